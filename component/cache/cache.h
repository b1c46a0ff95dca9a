#ifndef REKINDLE_COMPONENT_CACHE_CACHE_H_
#define REKINDLE_COMPONENT_CACHE_CACHE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "component/cache/cache_fields.h"
#include "component/resolve/digest_check.h"
#include "metadata/api/metadata_store.h"
#include "ml_metadata/proto/metadata_store.pb.h"

namespace rekindle {

// The cache is what executions recorded: an execution is in the context of type
// `execution_cache` whose name is its key, as TFX's are, and has these custom
// properties.

inline constexpr char kCacheContextType[] = "execution_cache";
// JSON of its CacheFields.
inline constexpr char kCacheFieldsProperty[] = "cache_fields";
// How it was decided whether to work (CacheDecision).
inline constexpr char kCacheDecisionProperty[] = "cache_decision";
// Of a CACHED execution: the one that computed its outputs.
inline constexpr char kCachedFromProperty[] = "cached_from";
// Since when its outputs must not be reused, RFC 3339.
inline constexpr char kCacheInvalidatedProperty[] = "cache_invalidated";

// A finished execution whose outputs may stand for those of another.
struct CacheEntry {
  struct Output {
    std::string key;
    int64_t index = 0;
    ml_metadata::Artifact artifact;
  };

  ml_metadata::Execution execution;
  CacheFields fields;           // as recorded
  std::vector<Output> outputs;  // by key and index
  std::string invalidated;      // since when; empty: it is not

  // The execution that computed the outputs: itself, unless it was a hit.
  int64_t ComputedBy() const;
  // Since when the outputs exist.
  absl::Time CreateTime() const;
};

// Loads what `execution` put out. nullopt if it is not in this cache: it is not
// finished, or was not written by a step of ours.
absl::StatusOr<std::optional<CacheEntry>> LoadCacheEntry(
    const ml_metadata::Execution& execution, const MetadataStore& store);

// What a result must be like: how old, at what time, and where its files are.
struct CacheTerms {
  absl::Duration max_age = absl::InfiniteDuration();
  absl::Time now;
  FileRules files;
};

// Why the entry cannot be reused, in a clause; empty if it can: its outputs are
// LIVE, complete, lie where artifacts are taken from and hold the files that
// were published, are not too old and not invalidated.
std::string WhyUnusable(const CacheEntry& entry, const CacheTerms& terms);

// An execution with the right key that was not reused.
struct CacheRejection {
  int64_t execution_id = 0;
  std::string reason;
};

struct CacheAnswer {
  std::optional<CacheEntry> hit;
  std::vector<CacheRejection> rejected;  // newest first
};

// Looks for the newest usable execution with this key. Nothing found is an
// answer. Writes nothing.
absl::StatusOr<CacheAnswer> LookUp(const std::string& key,
                                   const CacheTerms& terms,
                                   const MetadataStore& store);

// What a step decided, as kCacheDecisionProperty has it.
struct CacheDecision {
  enum class Kind {
    kOff,   // it did not look
    kMiss,  // it looked, and computed
    kHit,
  };
  Kind kind = Kind::kOff;
  std::vector<CacheRejection> rejected;

  std::string ToJson() const;
  // nullopt for a text that is not such JSON.
  static std::optional<CacheDecision> FromJson(const std::string& text);
};

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_CACHE_CACHE_H_
