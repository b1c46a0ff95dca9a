#ifndef REKINDLE_CLI_STEP_PART_H_
#define REKINDLE_CLI_STEP_PART_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "component/workers/worker_role.h"

namespace rekindle {

// This process's part in a step of several processes, of which it is not the
// chief.
struct StepPart {
  WorkerRole role;
  absl::Duration chief_timeout;
};

// How a training step was started.
struct PartFlags {
  std::string tf_config;  // the variable TF_CONFIG; empty: none
  std::string run_id;     // empty: none is named
  bool starts_workers = false;
  absl::Duration chief_timeout = absl::Minutes(10);
};

// The part that TF_CONFIG gives this process; nullopt for the chief, or one
// that trains alone.
//
//   INVALID_ARGUMENT  TF_CONFIG is malformed; it has a cluster, and the run is
//                     not named, or the step starts workers of its own
absl::StatusOr<std::optional<StepPart>> FindPart(const PartFlags& flags);

}  // namespace rekindle

#endif  // REKINDLE_CLI_STEP_PART_H_
