#ifndef REKINDLE_COMPONENT_LAUNCH_PUBLISHER_H_
#define REKINDLE_COMPONENT_LAUNCH_PUBLISHER_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "component/cache/cache.h"
#include "component/launch/output_paths.h"
#include "component/launch/stage.h"
#include "component/launch/step.h"
#include "metadata/api/step_store.h"
#include "rekindle/v1/step_service.pb.h"

namespace rekindle {

// Makes a step's outputs visible, all or none, and only while its claim holds:
//
//   announce their digests in the store, flush, rename, record.
//
// What is in a place already stays there, whoever put it: the output then gets
// a name of its own. A crash in between leaves either nothing visible, or
// folders that Recover() of the next attempt records, if they hold what was
// announced. An attempt that lost its claim without knowing it can leave
// folders too, but never disturb those of its successor. Thread-compatible.
class Publisher {
 public:
  // `store` is not owned and must outlive the publisher.
  Publisher(StepStore& store, OutputPaths paths, int64_t execution_id,
            int64_t token, StageObserver on_stage);

  // `staged` says where each output was written, by key.
  //
  //   ABORTED              the claim was lost; nothing is recorded
  //   FAILED_PRECONDITION  an output holds a pipe, a socket or a device; or one
  //                        that was stored already is not LIVE any more
  //   UNAVAILABLE          somebody wrote into an output meanwhile
  //   INVALID_ARGUMENT     `result` speaks of an output that is not one
  //   NOT_FOUND            an output was not written
  //   RESOURCE_EXHAUSTED   the disk is full
  absl::StatusOr<std::vector<StepReport::Output>> Publish(
      const std::vector<OutputSpec>& outputs,
      const std::map<std::string, std::string>& staged,
      const StepResult& result);

  // Puts out what `hit` did, as a step that computed nothing: no files are
  // touched, and the execution becomes CACHED.
  //
  //   ABORTED              the claim was lost; nothing is recorded
  //   FAILED_PRECONDITION  it cannot be reused any more: an artifact was
  //                        deleted, or the hit invalidated; nothing is recorded
  absl::StatusOr<std::vector<StepReport::Output>> Reuse(
      const CacheEntry& hit, const CacheDecision& decision);

  // Puts out artifacts that are stored already, by key, as they are.
  //
  //   ABORTED    the claim was lost; nothing is recorded
  //   NOT_FOUND  an artifact was deleted meanwhile
  absl::StatusOr<std::vector<StepReport::Output>> PutOut(
      const ResolvedInputs& found);

  // Completes what an earlier attempt with the same work had announced and
  // renamed but not recorded. Returns no outputs when there is nothing to
  // complete.
  absl::StatusOr<std::vector<StepReport::Output>> Recover(
      const rekindle::v1::ClaimResponse& claim);

 private:
  absl::StatusOr<std::vector<StepReport::Output>> Record(
      rekindle::v1::PublishRequest request);
  absl::StatusOr<rekindle::v1::OutputArtifact> DescribeStaged(
      const OutputSpec& spec, const std::map<std::string, std::string>& staged,
      const StepResult::Output& answer) const;
  absl::Status Announce(const rekindle::v1::PublishRequest& request);
  std::string PlaceFor(const std::string& key) const;
  absl::Status MoveIntoPlace(const std::string& staged, const OutputSpec& spec,
                             rekindle::v1::PublishRequest& request);
  std::optional<rekindle::v1::PublishRequest> FindAnnounced(
      const rekindle::v1::ClaimResponse& claim) const;
  std::string RequestPath(int64_t token) const;

  StepStore& store_;
  const OutputPaths paths_;
  const int64_t execution_id_;
  const int64_t token_;
  const StageObserver on_stage_;
};

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_LAUNCH_PUBLISHER_H_
