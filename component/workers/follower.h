#ifndef REKINDLE_COMPONENT_WORKERS_FOLLOWER_H_
#define REKINDLE_COMPONENT_WORKERS_FOLLOWER_H_

#include <functional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "component/launch/step.h"
#include "component/workers/chief.h"
#include "component/workers/worker_role.h"
#include "metadata/api/open_store.h"

namespace rekindle {

struct FollowOptions {
  WorkerRole role;
  // How long to wait for a chief whose claim is alive.
  absl::Duration chief_timeout = absl::Minutes(10);
  // How long to wait for another try of one that had failed before we came, in
  // a way that a retry does not change. Somebody may have mended it.
  absl::Duration failed_chief_timeout = absl::Minutes(1);
  // How often to look what became of it.
  absl::Duration look_every = absl::Seconds(1);
  // How long a store that is away is waited for, each time.
  absl::Duration store_timeout = absl::Minutes(5);
  // When the step must have ended.
  absl::Time deadline = absl::InfiniteFuture();
  // What a person should know meanwhile, line by line.
  std::function<void(absl::string_view line)> note;
};

// Takes part in a step that another process, the chief, has claimed: does the
// same work on the same inputs, and claims, records and publishes nothing. Its
// outputs go to a folder of its own, removed when it ends, but for those that
// survive a failure: they are the chief's, so that all go on from one
// checkpoint. Thread-compatible.
class Follower {
 public:
  // `store` is not owned and must outlive this.
  Follower(Store& store, FollowOptions options);

  // Returns how it ended, failures included. That is how the work did; work
  // that is still going on when the chief's is over is stopped, and ends as the
  // chief did. An error means that it took no part:
  //
  //   INVALID_ARGUMENT  the chief works with other parameters, or elsewhere
  //   ALREADY_EXISTS    the run id belongs to another pipeline
  //   CANCELLED         asked to stop while waiting for the chief
  //   UNAVAILABLE       no chief came, or the store cannot be reached
  absl::StatusOr<StepReport> Run(const StepSpec& spec, Executor& executor);

 private:
  // The chief once its folders are there, or once it has ended.
  absl::StatusOr<Chief> AwaitChief(const StepSpec& spec) const;
  absl::Status TakePart(const StepSpec& spec, const Chief& chief,
                        Executor& executor) const;

  Store& store_;
  const FollowOptions options_;
};

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_WORKERS_FOLLOWER_H_
