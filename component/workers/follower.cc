#include "component/workers/follower.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/backoff.h"
#include "base/cancellation.h"
#include "base/file_util.h"
#include "base/status_macros.h"
#include "base/status_util.h"
#include "component/launch/attempts.h"
#include "component/launch/driver.h"
#include "component/launch/failure.h"
#include "component/launch/output_paths.h"
#include "component/launch/step.h"
#include "component/workers/chief.h"
#include "component/workers/chief_watch.h"
#include "metadata/api/open_store.h"
#include "metadata/api/values.h"
#include "ml_metadata/proto/metadata_store.pb.h"

namespace rekindle {
namespace {

OutputPaths PathsOf(const StepSpec& spec, const Chief& chief) {
  return {spec.pipeline_root, spec.node_id, chief.store_id};
}

// Where the chief keeps what survives a failure.
std::string StateOf(const StepSpec& spec, const Chief& chief) {
  return JoinPath(
      PathsOf(spec, chief)
          .StateDir(spec.ExternalId(), chief.execution.id(),
                    CustomString(chief.execution, kWorkKeyProperty)),
      absl::StrCat(chief.attempt));
}

// The chief has its claim, but may still be waiting for its turn, or find its
// outputs in the cache; it makes the folders when it begins to work.
bool HasBegun(const StepSpec& spec, const Chief& chief) {
  return chief.state == Chief::State::kWorking &&
         PathExists(StateOf(spec, chief));
}

// The attempts that were over when this process first looked: each of them may
// be tried again.
int64_t AttemptsOver(const Chief& chief) {
  return chief.state == Chief::State::kWorking ? chief.attempt - 1
                                               : chief.attempt;
}

// There is no work left to join: it is done, or an attempt has failed that was
// not over when this process came.
bool HasEnded(const Chief& chief, int64_t over_before) {
  return chief.state == Chief::State::kSuccess ||
         (chief.state == Chief::State::kFailure && chief.attempt > over_before);
}

// Nobody tries a chief again that failed like this, unless by hand.
bool HasFailedForGood(const Chief& chief) {
  if (chief.state != Chief::State::kFailure) return false;
  const absl::Status failure = EndOfWork(chief, chief).value();
  return !IsTransient(failure) && !absl::IsResourceExhausted(failure);
}

// The store may.
bool MayComeBack(const absl::Status& status) {
  return IsTransient(status) || absl::IsAborted(status);
}

// All processes of a job must mean the same one.
absl::Status CheckSameJob(const StepSpec& spec, const Chief& chief) {
  const std::string ours = NodeDirOf(spec.pipeline_root, spec.node_id);
  if (chief.node_dir != ours) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the chief works in ", chief.node_dir, ", this process in ", ours,
        "; give both the same --pipeline-root, on a volume that they share"));
  }
  const auto& theirs = chief.execution.custom_properties();
  for (const auto& [name, value] : spec.parameters) {
    if (spec.immaterial_parameters.contains(name)) continue;
    const auto found = theirs.find(name);
    if (found != theirs.end() &&
        found->second.SerializeAsString() == value.SerializeAsString()) {
      continue;
    }
    return absl::InvalidArgumentError(absl::StrCat(
        "the chief was started with another ", name, "; give both the same --",
        absl::StrReplaceAll(name, {{"_", "-"}})));
  }
  return absl::OkStatus();
}

absl::Status NoChief(const StepSpec& spec, const Chief& last,
                     absl::Duration waited) {
  std::string seen = "nobody has claimed it";
  if (last.state == Chief::State::kVanished) {
    seen = absl::StrCat("the chief of attempt ", last.attempt, " vanished");
  } else if (last.state == Chief::State::kFailure) {
    seen = absl::StrCat(
        "attempt ", last.attempt, " ended ",
        ml_metadata::Execution::State_Name(last.execution.last_known_state()));
  }
  return absl::UnavailableError(absl::StrCat(
      "no chief came to work on ", spec.ExternalId(), " in ",
      absl::FormatDuration(waited), ": ", seen,
      "; start it with the same --run-id and metadata store, or wait longer "
      "with --chief-timeout"));
}

absl::Status StoppedBySignal() {
  const int signal = Cancellation::Get().signal();
  if (signal == 0) return absl::OkStatus();
  return absl::CancelledError(absl::StrCat("stopped by signal ", signal));
}

// The folders that this process writes into.
absl::Status AddFolders(const StepSpec& spec, const Chief& chief,
                        const std::string& scratch, StepContext& context) {
  context.state_dir = JoinPath(scratch, ".work");
  RK_RETURN_IF_ERROR(MakeDirs(context.state_dir));
  for (const OutputSpec& output : spec.outputs) {
    if (output.external) continue;
    std::string& folder = context.output_dirs[output.key];
    folder = JoinPath(output.survives_failure ? StateOf(spec, chief) : scratch,
                      output.key);
    RK_RETURN_IF_ERROR(MakeDirs(folder));
  }
  return absl::OkStatus();
}

// One who takes part leaves no answer: the last line is its own word.
absl::Status WithLastLine(const absl::Status& ended,
                          const AttemptFacts& facts) {
  if (ended.ok() || ReasonOf(ended) != FailureReason::kChildExitCode ||
      facts.log_tail.empty()) {
    return ended;
  }
  const std::vector<std::string> lines =
      absl::StrSplit(facts.log_tail, '\n', absl::SkipEmpty());
  return WithNote(ended, absl::StrCat("it said: ", lines.back()));
}

}  // namespace

Follower::Follower(Store& store, FollowOptions options)
    : store_(store), options_(std::move(options)) {
  Cancellation::Get();  // From here on a signal is an answer, not the end.
}

absl::StatusOr<StepReport> Follower::Run(const StepSpec& spec,
                                         Executor& executor) {
  RK_ASSIGN_OR_RETURN(const Chief chief, AwaitChief(spec));
  StepReport report;
  report.role = options_.role.Name();
  report.state = chief.execution.last_known_state();
  report.execution_id = chief.execution.id();
  report.attempt = chief.attempt;
  report.finished_before = chief.state == Chief::State::kSuccess;
  if (const auto end = EndOfWork(chief, chief)) {
    report.error = *end;
    return report;
  }
  RK_RETURN_IF_ERROR(CheckRunIsOurs(spec, store_.metadata()));
  RK_RETURN_IF_ERROR(CheckSameJob(spec, chief));
  report.error = TakePart(spec, chief, executor);
  return report;
}

absl::StatusOr<Chief> Follower::AwaitChief(const StepSpec& spec) const {
  if (options_.note) {
    options_.note(absl::StrCat(options_.role.Name(), " follows the chief of ",
                               spec.ExternalId()));
  }
  const absl::Time begin = absl::Now();
  absl::Time last_alive = begin;
  std::optional<int64_t> over_before;
  while (true) {
    absl::StatusOr<Chief> chief = LookAtChief(spec.ExternalId(), store_);
    if (!chief.ok() && !MayComeBack(chief.status())) return chief.status();
    if (chief.ok()) {
      if (!over_before.has_value()) over_before = AttemptsOver(*chief);
      if (HasBegun(spec, *chief) || HasEnded(*chief, *over_before)) {
        return chief;
      }
      if (chief->state == Chief::State::kWorking) last_alive = absl::Now();
      if (HasFailedForGood(*chief) &&
          absl::Now() >= last_alive + options_.failed_chief_timeout) {
        return chief;
      }
    }
    if (absl::Now() >=
        std::min(last_alive + options_.chief_timeout, options_.deadline)) {
      RK_RETURN_IF_ERROR(chief.status());
      return NoChief(spec, *chief, absl::Now() - begin);
    }
    SleepUnlessReadable(Cancellation::Get().fd(), options_.look_every);
    RK_RETURN_IF_ERROR(StoppedBySignal());
  }
}

absl::Status Follower::TakePart(const StepSpec& spec, const Chief& chief,
                                Executor& executor) const {
  ChiefWatch watch(store_, chief,
                   {options_.look_every, options_.store_timeout});
  AttemptFacts facts;
  StepContext context;
  context.pipeline = spec.pipeline;
  context.run_id = spec.run_id;
  context.node_id = spec.node_id;
  context.execution_id = chief.execution.id();
  context.attempt = chief.attempt;
  RK_ASSIGN_OR_RETURN(context.inputs, InputsOf(chief, store_.metadata()));
  RK_RETURN_IF_ERROR(CheckFilesOf(spec, context.inputs));
  context.metadata = &store_.metadata();
  // Its log stays beside the chief's.
  context.execution_dir =
      JoinPath(PathsOf(spec, chief).ExecutionDir(chief.execution.id()),
               absl::StrReplaceAll(options_.role.Name(), {{" ", "-"}}));
  context.attempt_dir =
      absl::StrCat(context.execution_dir, "/attempt-", chief.attempt);
  RK_RETURN_IF_ERROR(MakeDirs(context.attempt_dir));
  const std::string scratch = JoinPath(context.execution_dir, "scratch");
  const absl::Cleanup remove = [&scratch] {
    RemoveTree(scratch).IgnoreError();
  };
  RK_RETURN_IF_ERROR(AddFolders(spec, chief, scratch, context));
  context.deadline = options_.deadline;
  context.stop_fds = {Cancellation::Get().fd(), watch.end_fd()};
  context.kill_fds = {Cancellation::Get().hurry_fd()};
  context.check_stop = [&watch] {
    const absl::Status stopped = StoppedBySignal();
    return stopped.ok() ? watch.end().value_or(absl::OkStatus()) : stopped;
  };
  context.facts = &facts;
  return WithLastLine(executor.TakePart(context), facts);
}

}  // namespace rekindle
