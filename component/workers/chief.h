#ifndef REKINDLE_COMPONENT_WORKERS_CHIEF_H_
#define REKINDLE_COMPONENT_WORKERS_CHIEF_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "metadata/api/metadata_store.h"
#include "metadata/api/open_store.h"
#include "ml_metadata/proto/metadata_store.pb.h"

namespace rekindle {

// The chief of a job of several processes, as the others see it: by its claim
// in the store. A plain value.
struct Chief {
  enum class State {
    kAbsent,    // it has not claimed the execution yet
    kWorking,   // its claim is alive
    kVanished,  // its claim is not renewed any more
    kFailure,   // FAILED or CANCELED; it may come back
    kSuccess,   // COMPLETE or CACHED
  };
  State state = State::kAbsent;
  int64_t attempt = 0;
  std::string node_dir;              // where it works
  std::string store_id;              // as its claim says
  ml_metadata::Execution execution;  // empty if absent
};

// Looks for the execution with this external id, `<run id>/<node id>`. Changes
// nothing. An error is the store's.
absl::StatusOr<Chief> LookAtChief(const std::string& external_id, Store& store);

// What one who joined `joined` has to make of how the chief is `now`: nullopt,
// go on; OK, the work is done; or why it cannot be any more, the reason
// attached (ReasonOf). UNAVAILABLE where a retry may help: the chief vanished,
// was stopped, or has begun anew.
std::optional<absl::Status> EndOfWork(const Chief& joined, const Chief& now);

// What the chief's execution reads, by key, in the order of their index.
absl::StatusOr<std::map<std::string, std::vector<ml_metadata::Artifact>>>
InputsOf(const Chief& chief, const MetadataStore& store);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_WORKERS_CHIEF_H_
