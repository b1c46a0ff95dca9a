#ifndef REKINDLE_CLI_CACHE_CACHE_ENTRIES_H_
#define REKINDLE_CLI_CACHE_CACHE_ENTRIES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "cli/flag_set.h"
#include "component/cache/cache.h"
#include "metadata/api/metadata_store.h"
#include "nlohmann/json.hpp"

namespace rekindle {

// Which entries of the cache are meant; an empty field means all.
struct EntryFilter {
  std::string pipeline;
  std::string node;
  std::string key_prefix;

  // --pipeline, --node and --key.
  void Bind(FlagSet& flags);
  bool empty() const {
    return pipeline.empty() && node.empty() && key_prefix.empty();
  }
};

// An execution that computed something, and what became of it.
struct ListedEntry {
  CacheEntry entry;
  std::string key;
  int64_t hits = 0;      // executions that reused it
  std::string unusable;  // why it cannot be reused; empty: it can
};

// Entries whose executions computed their outputs, newest first. Files are
// looked at, and read again where one was touched.
absl::StatusOr<std::vector<ListedEntry>> ListCacheEntries(
    const EntryFilter& filter, absl::Time now, const MetadataStore& store);

std::string EntriesToTable(const std::vector<ListedEntry>& entries,
                           absl::Time now);
nlohmann::json EntriesToJson(const std::vector<ListedEntry>& entries,
                             absl::Time now);

}  // namespace rekindle

#endif  // REKINDLE_CLI_CACHE_CACHE_ENTRIES_H_
