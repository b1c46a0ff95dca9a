#ifndef REKINDLE_COMPONENT_LAUNCH_LAUNCHER_H_
#define REKINDLE_COMPONENT_LAUNCH_LAUNCHER_H_

#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "component/launch/stage.h"
#include "component/launch/step.h"
#include "component/launch/step_time.h"
#include "component/launch/work_turn.h"
#include "metadata/api/open_store.h"

namespace rekindle {

struct LaunchOptions {
  // Who claims, for people: "host/pid" or a pod's name.
  std::string owner;
  // How long a claim lives without a sign of life. A retry after a vanished
  // process waits at most this long.
  absl::Duration lease = absl::Seconds(30);
  // How long to wait for another process's claim of the same execution to end.
  absl::Duration claim_timeout = absl::Seconds(90);
  CacheOptions cache;
  // How long a store that is away is waited for, each time.
  absl::Duration store_timeout = absl::Minutes(5);
  // When the step must have ended.
  absl::Time deadline = absl::InfiniteFuture();
  // Where the orchestrator reads "N/M"; empty if it does not.
  std::string progress_file;
  // What the orchestrator says became of the attempt before; empty if nothing.
  std::string previous_failure;
  // What a person should know meanwhile, line by line.
  std::function<void(absl::string_view line)> note;
  // For tests of what happens when it dies there.
  StageObserver on_stage = [](Stage) {};
  StepTime time;
};

// Runs one step: resolve, claim, execute, publish (docs/life-of-a-step.md).
// Every path ends in the store: once an execution is claimed it ends COMPLETE,
// CACHED, FAILED or CANCELED, with the reason. Thread-compatible.
class Launcher {
 public:
  // `store` is not owned and must outlive the launcher.
  Launcher(Store& store, LaunchOptions options);

  // Returns how the step ended, failures included: an input that cannot be
  // found is one, and is recorded as TFX records it. An error means that
  // nothing was claimed and nothing was written:
  //
  //   ABORTED         another process still holds the claim after
  //                   `claim_timeout`
  //   ALREADY_EXISTS  the run id belongs to another pipeline
  //   CANCELLED       asked to stop while waiting for a claim
  //   UNAVAILABLE     the store cannot be reached
  absl::StatusOr<StepReport> Run(const StepSpec& spec, Executor& executor);

 private:
  Store& store_;
  const LaunchOptions options_;
};

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_LAUNCH_LAUNCHER_H_
