#include "component/launch/launcher.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/backoff.h"
#include "base/cancellation.h"
#include "base/copy_tree.h"
#include "base/durable_dirs.h"
#include "base/file_util.h"
#include "base/status_macros.h"
#include "base/status_util.h"
#include "component/cache/cache.h"
#include "component/cache/cache_fields.h"
#include "component/launch/driver.h"
#include "component/launch/failure.h"
#include "component/launch/lease.h"
#include "component/launch/output_links.h"
#include "component/launch/output_paths.h"
#include "component/launch/publisher.h"
#include "component/launch/retrying_step_store.h"
#include "component/launch/stage.h"
#include "component/launch/state_folder.h"
#include "component/launch/step.h"
#include "component/launch/step_time.h"
#include "component/launch/work_turn.h"
#include "component/resolve/resolver.h"
#include "metadata/api/metadata_store.h"
#include "metadata/api/open_store.h"
#include "metadata/api/values.h"
#include "ml_metadata/proto/metadata_store.pb.h"
#include "ml_metadata/proto/metadata_store_service.pb.h"
#include "rekindle/v1/step_service.pb.h"

namespace rekindle {
namespace {

using ml_metadata::Execution;
using rekindle::v1::ClaimRequest;
using rekindle::v1::ClaimResponse;

// A store that is away is waited for also by a step that was asked to stop: it
// has an end to record. Asked twice it does not.
Backoff::Options StoreBackoff(const LaunchOptions& options) {
  Backoff::Options backoff;
  backoff.total = options.store_timeout;
  backoff.clock = options.time.clock;
  if (options.time.share) backoff.random = options.time.share;
  backoff.sleep = [&options](absl::Duration pause) {
    if (options.note && pause > absl::Seconds(1)) {
      options.note("the metadata store does not answer; waiting for it");
    }
    return options.time.wait(pause, {Cancellation::Get().hurry_fd()});
  };
  return backoff;
}

// What a step is to do, and its claim.
struct ClaimedWork {
  ResolvedInputs inputs;
  std::optional<CacheFields> work;  // none without its inputs
  ClaimResponse claim;
};

// Waits a little for another process's claim to end, whose answer `held` is.
//
//   ABORTED    it has been waited for long enough
//   CANCELLED  asked to stop
absl::Status AwaitHolder(const absl::Status& held, absl::Time give_up,
                         const StepTime& time) {
  if (time.Now() >= give_up) return absl::AbortedError(held.message());
  if (time.wait(absl::Seconds(1), {Cancellation::Get().fd()})) {
    return absl::OkStatus();
  }
  return absl::CancelledError("stopped while another process held the claim");
}

// Tells the store what became of an attempt that vanished.
void SetPreviousFailure(const std::string& text, ClaimRequest& request) {
  if (text.empty()) return;
  request.set_previous_failure(text);
  request.set_previous_failure_reason(
      std::string(FailureReasonName(ReasonOfVanished(text))));
}

// Finds out what there is to do, and how to claim it.
absl::StatusOr<ClaimRequest> Describe(const StepSpec& spec,
                                      const LaunchOptions& options,
                                      Store& store, ClaimedWork& work) {
  RK_ASSIGN_OR_RETURN(work.inputs,
                      RetryWhileTransient(Backoff(StoreBackoff(options)), [&] {
                        return ResolveInputs(spec, store.metadata());
                      }));
  if (CheckInputs(spec, work.inputs).ok()) {
    work.work = DescribeWork(spec, work.inputs, options.cache.ignored_inputs);
  }
  options.on_stage(Stage::kResolved);
  ClaimRequest request = MakeClaimRequest(spec, work.inputs, work.work,
                                          options.owner, options.lease);
  SetPreviousFailure(options.previous_failure, request);
  return request;
}

// Claims; while another process holds the claim, waits for it to end. The
// inputs are looked for anew before each try: they may have moved on meanwhile.
absl::StatusOr<ClaimedWork> ClaimOrWait(const StepSpec& spec,
                                        const LaunchOptions& options,
                                        Store& store) {
  const absl::Time give_up =
      std::min(options.time.Now() + options.claim_timeout, options.deadline);
  RetryingStepStore steps(store.steps(), StoreBackoff(options));
  bool noted = false;
  while (true) {
    ClaimedWork claimed;
    RK_ASSIGN_OR_RETURN(const ClaimRequest request,
                        Describe(spec, options, store, claimed));
    absl::StatusOr<ClaimResponse> claim = steps.Claim(request);
    if (claim.ok()) {
      claimed.claim = *std::move(claim);
      return claimed;
    }
    if (!absl::IsFailedPrecondition(claim.status())) return claim.status();
    if (!noted && options.note) {
      options.note(absl::StrCat("waiting: ", claim.status().message()));
      noted = true;
    }
    RK_RETURN_IF_ERROR(AwaitHolder(claim.status(), give_up, options.time));
  }
}

// How often outputs are looked for that are deleted before they are reused.
constexpr int kLooks = 3;

// Whether an output is an artifact that was stored before.
bool ReusesStored(const StepResult& result) {
  return std::any_of(
      result.outputs.begin(), result.outputs.end(),
      [](const auto& output) { return output.second.external.has_id(); });
}

// One claimed execution, from its claim to its end.
class ClaimedStep {
 public:
  ClaimedStep(Store& store, const LaunchOptions& options, const StepSpec& spec,
              ClaimedWork claimed)
      : store_(store),
        steps_(store.steps(), StoreBackoff(options)),
        options_(options),
        spec_(spec),
        claim_(std::move(claimed.claim)),
        paths_(spec.pipeline_root, spec.node_id, claim_.store_id()),
        lease_(store.steps(), claim_.execution_id(), claim_.token(),
               options.lease, options.time),
        resolved_(CheckInputs(spec, claimed.inputs)),
        work_(std::move(claimed.work)) {
    report_.execution_id = claim_.execution_id();
    report_.attempt = claim_.attempt();
    report_.inputs = std::move(claimed.inputs);
  }

  StepReport Run(Executor& executor) {
    absl::StatusOr<std::vector<StepReport::Output>> outputs = Produce(executor);
    if (outputs.ok()) {
      report_.state = reused_ ? Execution::CACHED : Execution::COMPLETE;
      report_.outputs = *std::move(outputs);
    } else {
      EndWithout(outputs.status());
    }
    RemoveLeftovers();
    return std::move(report_);
  }

 private:
  absl::StatusOr<std::vector<StepReport::Output>> Produce(Executor& executor) {
    RK_RETURN_IF_ERROR(resolved_);
    RK_RETURN_IF_ERROR(CheckStoreId());
    Publisher publisher(steps_, paths_, claim_.execution_id(), claim_.token(),
                        options_.on_stage);
    if (spec_.puts_out_inputs) return publisher.PutOut(report_.inputs);
    RK_ASSIGN_OR_RETURN(std::vector<StepReport::Output> recovered,
                        publisher.Recover(claim_));
    if (!recovered.empty()) return recovered;
    for (int look = 0; look < kLooks; ++look) {
      RK_ASSIGN_OR_RETURN(const std::optional<CacheEntry> hit, LookInCache());
      // Whatever was waited for, the claim or another's work.
      RK_RETURN_IF_ERROR(CheckUnchanged());
      if (!hit.has_value()) return Compute(executor, publisher);
      auto reused = Reuse(*hit, publisher);
      if (!absl::IsFailedPrecondition(reused.status())) return reused;
    }
    return Compute(executor, publisher);
  }

  // FAILED_PRECONDITION if what was found is gone meanwhile: it is as if it had
  // not been found.
  absl::StatusOr<std::vector<StepReport::Output>> Reuse(const CacheEntry& hit,
                                                        Publisher& publisher) {
    auto outputs = publisher.Reuse(hit, *decision_);
    if (outputs.ok()) {
      reused_ = true;
      report_.cached_from = hit.ComputedBy();
    } else {
      decision_->kind = CacheDecision::Kind::kMiss;
    }
    return outputs;
  }

  absl::StatusOr<std::vector<StepReport::Output>> Compute(
      Executor& executor, Publisher& publisher) {
    RK_RETURN_IF_ERROR(MakeFolders());
    RK_ASSIGN_OR_RETURN(const StepContext context, MakeContext());
    for (int look = 1;; ++look) {
      reused_ = false;
      auto outputs = Execute(context, executor, publisher);
      // It put out what was stored, and is not any more: the executor looks
      // again.
      const bool gone = reused_ && absl::IsFailedPrecondition(outputs.status());
      if (!gone || look == kLooks) return outputs;
    }
  }

  absl::StatusOr<std::vector<StepReport::Output>> Execute(
      const StepContext& context, Executor& executor, Publisher& publisher) {
    RK_ASSIGN_OR_RETURN(StepResult result, executor.Execute(context));
    // Past the deadline too: the work is done.
    RK_RETURN_IF_ERROR(CheckOwned());
    options_.on_stage(Stage::kExecuted);
    result.execution_properties.insert(facts_.properties.begin(),
                                       facts_.properties.end());
    if (decision_.has_value()) {
      result.execution_properties[kCacheDecisionProperty] =
          StringValue(decision_->ToJson());
    }
    NoteChanges(result.execution_properties);
    report_.execution_properties = result.execution_properties;
    reused_ = ReusesStored(result);
    RK_ASSIGN_OR_RETURN(const auto folders, SettleOutputs(context));
    return publisher.Publish(spec_.outputs, folders, result);
  }

  // The folders of the outputs, by key, as they can be published: whole in
  // themselves, and with nobody left who might write into them.
  absl::StatusOr<std::map<std::string, std::string>> SettleOutputs(
      const StepContext& context) const {
    std::map<std::string, std::string> folders = context.output_dirs;
    for (const OutputSpec& output : spec_.outputs) {
      if (output.external) continue;
      std::string& folder = folders.at(output.key);
      RK_RETURN_IF_ERROR(WithReason(
          FailureReason::kInvalidOutput,
          KeepLinksInside(folder, PassingFolders(context, output.key))));
      if (!output.survives_failure || !IsSharedState()) continue;
      RK_ASSIGN_OR_RETURN(folder, CopyOfState(output.key, folder));
    }
    return folders;
  }

  // Where an output's links must not lead: what is moved or removed when the
  // step ends, but for the output itself.
  static std::vector<std::string> PassingFolders(const StepContext& context,
                                                 const std::string& key) {
    std::vector<std::string> passing = {context.state_dir};
    for (const auto& [other, folder] : context.output_dirs) {
      if (other != key) passing.push_back(folder);
    }
    return passing;
  }

  // Whether processes beside our child may have files in the state folder open:
  // those of an earlier attempt, which may not know that it is over, and those
  // that take part in the work and end after it.
  bool IsSharedState() const { return resumed_ || spec_.has_workers; }

  absl::StatusOr<std::string> CopyOfState(const std::string& key,
                                          const std::string& folder) const {
    std::string copy =
        paths_.Staging(key, claim_.execution_id(), claim_.token());
    const absl::Status copied = CopyPlainTree(folder, copy);
    RK_RETURN_IF_ERROR(absl::IsFailedPrecondition(copied)
                           ? WithReason(FailureReason::kInvalidOutput, copied)
                           : copied);
    return copy;
  }

  // Files changed between the look at them and the work: it would go under the
  // wrong key.
  absl::Status CheckUnchanged() const {
    const std::string changed = spec_.watched.FindChanged();
    if (changed.empty()) return absl::OkStatus();
    return WithReason(FailureReason::kInputChanged,
                      absl::UnavailableError(
                          absl::StrCat(changed,
                                       " changed while the step waited for its "
                                       "turn; run it again")));
  }

  // Work during which they changed is kept, for nobody knows which of both it
  // has read, and is not found by later steps.
  void NoteChanges(PropertyMap& properties) const {
    const std::string changed = spec_.watched.FindChanged();
    if (changed.empty()) return;
    if (options_.note) {
      options_.note(absl::StrCat(changed,
                                 " changed while the step worked; its outputs "
                                 "will not be reused"));
    }
    properties["changed_while_running"] = StringValue(changed);
    properties[kCacheInvalidatedProperty] = StringValue(absl::FormatTime(
        absl::RFC3339_sec, options_.time.Now(), absl::UTCTimeZone()));
  }

  CacheDecision::Kind KindOf(const CacheAnswer& answer) const {
    if (!options_.cache.look_up) return CacheDecision::Kind::kOff;
    return answer.hit.has_value() ? CacheDecision::Kind::kHit
                                  : CacheDecision::Kind::kMiss;
  }

  // Outputs of an earlier execution that stand for this one's, or none: it is
  // this step's turn to compute them.
  absl::StatusOr<std::optional<CacheEntry>> LookInCache() {
    if (!CanBeCached(spec_)) return std::nullopt;
    const WorkTurn turn = {claim_.execution_id(),
                           claim_.token(),
                           CacheKeyOf(*work_),
                           spec_.Files(),
                           StopFds(),
                           [this] { return CheckStop(); },
                           options_.note,
                           StoreBackoff(options_),
                           options_.time};
    RK_ASSIGN_OR_RETURN(
        CacheAnswer answer,
        AwaitTurn(turn, options_.cache, store_.metadata(), steps_));
    decision_ = {KindOf(answer), std::move(answer.rejected)};
    return std::move(answer.hit);
  }

  // Without it the step's folders could be another store's, too.
  absl::Status CheckStoreId() const {
    if (!claim_.store_id().empty()) return absl::OkStatus();
    return absl::FailedPreconditionError(
        "the metadata store does not say which one it is; start a `rekindle "
        "serve` of this version");
  }

  // A folder of this attempt alone. It is there only if something that cannot
  // be told from this store has been here: a copy of its disk.
  static absl::Status MakeNewDir(const std::string& path) {
    std::error_code error;
    if (std::filesystem::create_directory(path, error)) return absl::OkStatus();
    if (error) return ErrnoStatus(error.value(), "make the folder", path);
    return absl::FailedPreconditionError(absl::StrCat(
        path,
        " is there already: a copy of the metadata store has used this "
        "pipeline root; give the step another --pipeline-root, or try again"));
  }

  absl::Status MakeFolders() const {
    absl::Status made = MakeWritableDir(paths_.NodeDir());
    if (made.ok()) made = MakeDirs(paths_.ExecutionDir(claim_.execution_id()));
    if (made.ok()) made = MakeNewDir(AttemptDir());
    return WithReason(FailureReason::kOutputUnwritable, std::move(made));
  }

  std::string AttemptDir() const {
    return paths_.AttemptDir(claim_.execution_id(), claim_.token());
  }

  absl::StatusOr<StepContext> MakeContext() {
    StepContext context;
    context.pipeline = spec_.pipeline;
    context.run_id = spec_.run_id;
    context.node_id = spec_.node_id;
    context.execution_id = claim_.execution_id();
    context.attempt = claim_.attempt();
    context.execution_dir = paths_.ExecutionDir(claim_.execution_id());
    context.attempt_dir = AttemptDir();
    context.metadata = &store_.metadata();
    for (const auto& [key, resolution] : report_.inputs) {
      if (!resolution.chosen.empty()) context.inputs[key] = resolution.chosen;
    }
    RK_ASSIGN_OR_RETURN(
        const std::string state,
        AdoptState(paths_.StateDir(spec_.ExternalId(), claim_.execution_id(),
                                   CacheKeyOf(*work_)),
                   claim_.token()));
    // No output has such a name.
    context.state_dir = JoinPath(state, ".work");
    RK_RETURN_IF_ERROR(MakeDirs(context.state_dir));
    // Whether an earlier attempt left something to continue.
    resumed_ = !IsEmptyFolder(context.state_dir);
    for (const OutputSpec& output : spec_.outputs) {
      if (output.external) continue;
      const std::string folder =
          output.survives_failure
              ? JoinPath(state, output.key)
              : paths_.Staging(output.key, claim_.execution_id(),
                               claim_.token());
      // What is published below it must not vanish with it.
      RK_RETURN_IF_ERROR(MakeDurableDirs(paths_.KeyDir(output.key)));
      RK_RETURN_IF_ERROR(MakeDirs(folder));
      context.output_dirs[output.key] = folder;
      resumed_ = resumed_ || !IsEmptyFolder(folder);
    }
    context.deadline = options_.deadline;
    context.progress_file = options_.progress_file;
    context.stop_fds = StopFds();
    context.kill_fds = {Cancellation::Get().hurry_fd()};
    context.check_stop = [this] { return CheckStop(); };
    context.facts = &facts_;
    facts_.properties["attempt"] = IntValue(claim_.attempt());
    facts_.properties["resumed"] = IntValue(resumed_ ? 1 : 0);
    return context;
  }

  std::vector<int> StopFds() const {
    return {Cancellation::Get().fd(), lease_.lost_fd()};
  }

  absl::Status CheckStop() const {
    RK_RETURN_IF_ERROR(CheckOwned());
    if (options_.time.Now() < options_.deadline) return absl::OkStatus();
    return WithReason(FailureReason::kDeadline,
                      absl::DeadlineExceededError(absl::StrCat(
                          "the deadline, ", absl::FormatTime(options_.deadline),
                          ", passed before the step had done its work")));
  }

  absl::Status CheckOwned() const {
    if (lease_.lost()) {
      return absl::AbortedError(
          absl::StrCat("execution ", claim_.execution_id(),
                       " was taken over by another process"));
    }
    if (const int signal = Cancellation::Get().signal(); signal != 0) {
      return absl::CancelledError(absl::StrCat("stopped by signal ", signal));
    }
    return absl::OkStatus();
  }

  // The store must say how the execution ended, and the caller must learn the
  // first cause even if the store cannot be reached.
  void EndWithout(const absl::Status& cause) {
    const bool cancelled = absl::IsCancelled(cause);
    rekindle::v1::FinishRequest request;
    request.set_execution_id(claim_.execution_id());
    request.set_token(claim_.token());
    request.set_state(cancelled ? rekindle::v1::FinishRequest::CANCELED
                                : rekindle::v1::FinishRequest::FAILED);
    request.set_reason(std::string(cause.message()));
    (*request.mutable_custom_properties())[kExecutionResultProperty] =
        StringValue(ExecutionResultJson(cause));
    if (decision_.has_value()) {
      (*request.mutable_custom_properties())[kCacheDecisionProperty] =
          StringValue(decision_->ToJson());
    }
    for (const auto& [name, value] : facts_.properties) {
      (*request.mutable_custom_properties())[name] = value;
    }
    if (!facts_.log_tail.empty()) {
      (*request.mutable_custom_properties())[kFailureLogTailProperty] =
          StringValue(facts_.log_tail);
    }
    request.set_failure_reason(std::string(FailureReasonName(ReasonOf(cause))));
    const absl::Status noted = Finish(request, cause);

    report_.state = cancelled ? Execution::CANCELED : Execution::FAILED;
    report_.error = cause;
    if (absl::IsAborted(noted) && !absl::IsAborted(cause)) {
      // Whatever went wrong here, it did so under another process's feet.
      report_.error = absl::AbortedError(noted.message());
    } else if (!noted.ok() && !absl::IsAborted(noted)) {
      report_.error =
          WithNote(cause, absl::StrCat("not recorded: ", noted.message()));
    }
  }

  absl::Status Finish(const rekindle::v1::FinishRequest& request,
                      const absl::Status& cause) {
    // What was waited for once is not waited for again.
    StepStore& steps = ReasonOf(cause) == FailureReason::kStoreUnreachable
                           ? store_.steps()
                           : steps_;
    return steps.Finish(request).status();
  }

  // Staging folders of this attempt, and the state folder once it is of no
  // use to a retry. A leftover is a nuisance, not an error.
  void RemoveLeftovers() {
    for (const OutputSpec& output : spec_.outputs) {
      RemoveTree(
          paths_.Staging(output.key, claim_.execution_id(), claim_.token()))
          .IgnoreError();
    }
    if (report_.error.ok()) {
      RemoveTree(paths_.StateDir(spec_.ExternalId(), claim_.execution_id()))
          .IgnoreError();
    }
  }

  Store& store_;
  RetryingStepStore steps_;  // the same, patiently
  const LaunchOptions& options_;
  const StepSpec& spec_;
  const ClaimResponse claim_;
  const OutputPaths paths_;
  LeaseKeeper lease_;
  const absl::Status resolved_;
  const std::optional<CacheFields> work_;  // none if `resolved_` is an error
  std::optional<CacheDecision> decision_;  // once it is made
  AttemptFacts facts_;
  StepReport report_;
  bool reused_ = false;
  bool resumed_ = false;
};

// The report of an execution that an earlier command completed.
absl::StatusOr<StepReport> ReportFinished(const ClaimResponse& claim,
                                          MetadataStore& store) {
  ml_metadata::GetExecutionsByIDRequest by_id;
  by_id.add_execution_ids(claim.execution_id());
  RK_ASSIGN_OR_RETURN(const auto found, store.GetExecutionsByID(by_id));
  if (found.executions().empty()) {
    return absl::NotFoundError(absl::StrCat("execution ", claim.execution_id(),
                                            " was deleted meanwhile"));
  }
  StepReport report;
  report.state = found.executions(0).last_known_state();
  report.execution_id = claim.execution_id();
  report.attempt = claim.attempt();
  report.finished_before = true;
  report.cached_from = CustomInt(found.executions(0), kCachedFromProperty);
  for (const rekindle::v1::Binding& binding : claim.outputs()) {
    ml_metadata::GetArtifactsByIDRequest request;
    request.add_artifact_ids(binding.artifact_id());
    RK_ASSIGN_OR_RETURN(const auto response, store.GetArtifactsByID(request));
    for (const ml_metadata::Artifact& artifact : response.artifacts()) {
      report.outputs.push_back({binding.key(), artifact});
    }
  }
  return report;
}

}  // namespace

Launcher::Launcher(Store& store, LaunchOptions options)
    : store_(store), options_(std::move(options)) {
  Cancellation::Get();  // From here on a signal is an answer, not the end.
}

absl::StatusOr<StepReport> Launcher::Run(const StepSpec& spec,
                                         Executor& executor) {
  RK_ASSIGN_OR_RETURN(ClaimedWork claimed, ClaimOrWait(spec, options_, store_));
  options_.on_stage(Stage::kClaimed);
  if (claimed.claim.finished()) {
    return ReportFinished(claimed.claim, store_.metadata());
  }
  return ClaimedStep(store_, options_, spec, std::move(claimed)).Run(executor);
}

}  // namespace rekindle
