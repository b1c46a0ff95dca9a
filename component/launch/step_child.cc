#include "component/launch/step_child.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <string.h>  // sigabbrev_np
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/cgroup.h"
#include "base/file_util.h"
#include "base/subprocess.h"
#include "component/launch/failure.h"
#include "component/launch/progress_relay.h"
#include "component/launch/step.h"
#include "component/launch/step_deadline.h"
#include "component/launch/step_log.h"
#include "component/launch/supervisor.h"
#include "metadata/api/values.h"
#include "ml_metadata/proto/metadata_store.pb.h"

namespace rekindle {
namespace {

// Exit codes after which a retry may help: "temporary failure" of sysexits.h,
// and what a shell makes of a command that was killed.
constexpr int kTemporaryFailure = 75;
constexpr int kShellKilled = 128 + SIGKILL;
constexpr int kShellTerminated = 128 + SIGTERM;

// Signals by which somebody ends a process; the others are its own fault.
constexpr std::array kFromOutside = {SIGKILL, SIGTERM, SIGINT, SIGHUP};

bool WasKilled(const ProcessEnd& end) {
  return end.signal == SIGKILL ||
         (end.signal == 0 && end.exit_code == kShellKilled);
}

absl::Status OutOfMemory(const StepChild& child, const ProcessEnd& end,
                         absl::string_view log) {
  constexpr int64_t kMiB = 1 << 20;
  return WithReason(
      FailureReason::kOutOfMemory,
      absl::ResourceExhaustedError(absl::StrCat(
          child.name,
          " was killed because memory ran out (its largest process "
          "had ",
          end.peak_rss_bytes / kMiB,
          " MiB); give the step more memory, or let it use less; its log is ",
          log)));
}

absl::Status EndedBySignal(const StepChild& child, const ProcessEnd& end,
                           absl::string_view log) {
  const bool from_outside = std::find(kFromOutside.begin(), kFromOutside.end(),
                                      end.signal) != kFromOutside.end();
  const char* name = sigabbrev_np(end.signal);
  return WithReason(
      FailureReason::kChildSignal,
      absl::Status(
          from_outside ? absl::StatusCode::kUnavailable
                       : absl::StatusCode::kInternal,
          absl::StrCat(
              child.name, from_outside ? " was killed" : " crashed", " (SIG",
              name == nullptr ? "?" : name, ")",
              end.signal == SIGKILL
                  ? ", and no control group counted it as out of memory"
                  : "",
              "; its log is ", log)));
}

absl::Status EndedWithCode(const StepChild& child, const ProcessEnd& end,
                           absl::string_view log) {
  const bool temporary = end.exit_code == kTemporaryFailure ||
                         end.exit_code == kShellKilled ||
                         end.exit_code == kShellTerminated;
  return WithReason(
      FailureReason::kChildExitCode,
      absl::Status(temporary ? absl::StatusCode::kUnavailable
                             : absl::StatusCode::kInternal,
                   absl::StrCat(child.name, " ended with exit code ",
                                end.exit_code, "; its log is ", log)));
}

absl::Status Judge(const StepChild& child, const ProcessEnd& end,
                   bool out_of_memory, absl::string_view log) {
  if (end.ok()) return absl::OkStatus();
  if (out_of_memory && WasKilled(end)) return OutOfMemory(child, end, log);
  if (end.signal != 0) return EndedBySignal(child, end, log);
  return EndedWithCode(child, end, log);
}

// A step may have several children, one after the other.
void RecordEnd(const ProcessEnd& end, AttemptFacts& facts) {
  ml_metadata::Value& peak = facts.properties["peak_rss_bytes"];
  peak = IntValue(std::max(peak.int_value(), end.peak_rss_bytes));
  ml_metadata::Value& seconds = facts.properties["cpu_seconds"];
  seconds = DoubleValue(seconds.double_value() + end.cpu_seconds);
  if (end.signal != 0) {
    facts.properties["signal"] = IntValue(end.signal);
  } else if (end.exit_code != 0) {
    facts.properties["exit_code"] = IntValue(end.exit_code);
  }
}

// What any child is told, whether or not it keeps the executor contract.
void AddEnvironment(const std::string& progress_file, absl::Time stop_at,
                    ChildSpec& spec) {
  spec.environment["REKINDLE_PROGRESS_FILE"] = progress_file;
  if (stop_at != absl::InfiniteFuture()) {
    spec.environment["REKINDLE_DEADLINE"] =
        absl::FormatTime(absl::RFC3339_sec, stop_at, absl::UTCTimeZone());
  }
}

}  // namespace

absl::Status RunStepChild(const StepChild& child, const StepContext& context) {
  StepLog log(context.execution_dir);
  LogTail tail(kLogTailBytes);
  const std::string progress_file = JoinPath(context.attempt_dir, "progress");
  ProgressRelay progress(progress_file, context.progress_file);
  const StopPlan stop = PlanStop(context.deadline, child.grace, absl::Now());

  ChildSpec spec;
  spec.argv = child.argv;
  spec.environment = child.environment;
  AddEnvironment(progress_file, stop.stop_at, spec);
  spec.on_line = [&](absl::string_view line) {
    const std::string masked = child.mask.Mask(line);
    log.Add(masked);
    tail.Add(masked);
    child.on_line(masked);
  };
  spec.on_tick = [&progress] { progress.Relay(); };
  spec.stop_fds = context.stop_fds;
  spec.kill_fds = context.kill_fds;
  spec.stop_at = stop.stop_at;
  spec.grace = stop.grace;

  const OomKills before = ReadOomKills();
  const absl::StatusOr<ChildEnd> end = RunChild(spec);
  if (!end.ok()) {
    return WithReason(FailureReason::kChildCannotStart, end.status());
  }
  progress.Relay();
  RecordEnd(end->process, *context.facts);
  context.facts->log_tail = tail.Text();
  switch (end->stop_cause) {
    case StopCause::kAsked:
      return context.check_stop();
    case StopCause::kTime:
      return WithReason(
          FailureReason::kDeadline,
          absl::DeadlineExceededError(absl::StrCat(
              child.name, " had not ended ", absl::FormatDuration(stop.grace),
              " before the deadline and was stopped; its log is ",
              log.path())));
    case StopCause::kNone:
      break;
  }
  return Judge(child, end->process, OomKilledSince(before, ReadOomKills()),
               log.path());
}

}  // namespace rekindle
