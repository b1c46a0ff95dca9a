#include "operator/local/local_runner.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <deque>
#include <poll.h>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/bounded_read.h"
#include "base/cancellation.h"
#include "base/status_macros.h"

namespace rekindle::argo {
namespace {

constexpr absl::Duration kLookEvery = absl::Seconds(1);
// "17/20"; Argo takes nothing longer for progress.
constexpr size_t kLongestProgress = 64;

bool Overlap(const std::string& a, const std::string& b) {
  return a == b || absl::StartsWith(a, absl::StrCat(b, "/")) ||
         absl::StartsWith(b, absl::StrCat(a, "/"));
}

}  // namespace

LocalRunner::LocalRunner(Engine& engine, PodRunner& pods, ProcessHost& host,
                         Journal& journal, RunView& view,
                         LocalRunnerOptions options)
    : engine_(engine),
      pods_(pods),
      host_(host),
      journal_(journal),
      view_(view),
      options_(std::move(options)) {}

absl::Status LocalRunner::Run() {
  Cancellation::Get();
  absl::Time wake = absl::InfinitePast();
  while (true) {
    ObeySignals();
    news_ = false;
    Decision decision = engine_.Decide(absl::Now());
    wake = decision.wake;
    Act(std::move(decision));
    StartQueued();
    if (!failure_.ok()) return failure_;
    if (engine_.done() && running_.empty()) break;
    view_.Update(engine_, absl::Now());
    // Nobody else would wake us for a pod that ended without running.
    Wait(news_ ? absl::InfinitePast() : wake);
    RK_RETURN_IF_ERROR(Collect());
    KillOverdue(absl::Now());
    LookAtPods(absl::Now());
  }
  view_.Finish(engine_, absl::Now());
  return absl::OkStatus();
}

void LocalRunner::Act(Decision decision) {
  for (PodTask& task : decision.start) {
    if (const PodResult* earlier = journal_.Find(task.node_name);
        earlier != nullptr) {
      engine_.PodStarted(task.node_id, absl::Now());
      TellEnd(task, *earlier);
      continue;
    }
    Pod pod;
    pod.task = std::move(task);
    if (options_.isolation == Isolation::kNone) {
      pod.paths = pods_.OwnPaths(pod.task);
    }
    queued_.push_back(std::move(pod));
  }
  for (const PodKill& kill : decision.kill) Kill(kill.node_id);
}

void LocalRunner::Kill(const std::string& node_id) {
  for (auto& [process, pod] : running_) {
    if (pod.task.node_id != node_id) continue;
    host_.Signal(process, SIGTERM);
    pod.kill_at = absl::Now() + options_.grace;
    return;
  }
  const auto found =
      std::find_if(queued_.begin(), queued_.end(),
                   [&](const Pod& pod) { return pod.task.node_id == node_id; });
  if (found == queued_.end()) return;
  const PodTask task = std::move(found->task);
  queued_.erase(found);
  TellEnd(task, {Phase::kFailed, "", {}});
}

bool LocalRunner::MayUsePaths(const Pod& pod) const {
  for (const auto& [process, other] : running_) {
    for (const std::string& theirs : other.paths) {
      for (const std::string& ours : pod.paths) {
        if (Overlap(ours, theirs)) return false;
      }
    }
  }
  return true;
}

void LocalRunner::StartQueued() {
  for (auto it = queued_.begin();
       it != queued_.end() && running_.size() < options_.max_processes;) {
    if (!it->paths.empty() && !MayUsePaths(*it)) {
      ++it;
      continue;
    }
    Pod pod = std::move(*it);
    it = queued_.erase(it);
    Start(std::move(pod));
  }
}

void LocalRunner::Start(Pod pod) {
  absl::StatusOr<ProcessSpec> spec = pods_.Prepare(pod.task);
  if (!spec.ok()) {
    return End(pod.task,
               {Phase::kError, std::string(spec.status().message()), {}});
  }
  const uint64_t process = next_process_++;
  const absl::Status started = host_.Run(process, *spec);
  if (absl::IsUnavailable(started)) {
    failure_ = started;
    return;
  }
  if (!started.ok()) {
    pods_.Discard(pod.task);
    return End(pod.task, {Phase::kError, std::string(started.message()), {}});
  }
  pod.process = process;
  engine_.PodStarted(pod.task.node_id, absl::Now());
  running_.emplace(process, std::move(pod));
}

void LocalRunner::End(const PodTask& task, PodResult result) {
  const absl::Status noted = journal_.Add(task.node_name, result);
  if (!noted.ok()) failure_ = noted;
  TellEnd(task, std::move(result));
}

void LocalRunner::TellEnd(const PodTask& task, PodResult result) {
  engine_.PodEnded(task.node_id, std::move(result), absl::Now());
  news_ = true;
}

absl::Status LocalRunner::Collect() {
  RK_ASSIGN_OR_RETURN(const std::deque<ProcessReport> ended, host_.Collect());
  for (const ProcessReport& report : ended) {
    const auto found = running_.find(report.id);
    if (found == running_.end()) continue;
    Pod pod = std::move(found->second);
    running_.erase(found);
    Take(std::move(pod), report);
  }
  return failure_;
}

void LocalRunner::Take(Pod pod, const ProcessReport& report) {
  PodResult result = pods_.Finish(pod.task, report);
  if (report.view_refused && options_.isolation == Isolation::kAuto) {
    if (options_.on_notice) {
      options_.on_notice(absl::StrCat(
          "steps share this machine's files, one after the other where their "
          "paths meet: ",
          report.start_error.message(), " (--isolation)"));
    }
    options_.isolation = Isolation::kNone;
    pods_.GiveUpIsolation();
    for (Pod& queued : queued_) queued.paths = pods_.OwnPaths(queued.task);
  }
  if (report.view_refused && options_.isolation == Isolation::kNone) {
    pod.process = 0;
    pod.paths = pods_.OwnPaths(pod.task);
    queued_.push_front(std::move(pod));
    return;
  }
  End(pod.task, std::move(result));
}

void LocalRunner::ObeySignals() {
  const int count = Cancellation::Get().count();
  if (count == signals_) return;
  signals_ = count;
  engine_.Stop(count > 1 ? Shutdown::kTerminate : Shutdown::kStop);
  if (count < 2) return;
  for (auto& [process, pod] : running_) host_.Signal(process, SIGKILL);
}

void LocalRunner::KillOverdue(absl::Time now) {
  for (auto& [process, pod] : running_) {
    if (now < pod.kill_at) continue;
    host_.Signal(process, SIGKILL);
    pod.kill_at = absl::InfiniteFuture();
  }
}

void LocalRunner::LookAtPods(absl::Time now) {
  if (now - looked_at_ < kLookEvery) return;
  looked_at_ = now;
  for (auto& [process, pod] : running_) {
    pods_.TrimLog(pod.task);
    const auto text =
        ReadFileStart(pods_.ProgressPath(pod.task.node_id), kLongestProgress);
    if (!text.ok()) continue;
    engine_.PodProgressed(pod.task.node_id,
                          std::string(absl::StripAsciiWhitespace(*text)));
  }
}

void LocalRunner::Wait(absl::Time wake) {
  const absl::Time now = absl::Now();
  for (const auto& [process, pod] : running_) {
    wake = std::min(wake, pod.kill_at);
  }
  wake = std::min(wake, now + view_.tick());
  if (!running_.empty()) wake = std::min(wake, now + kLookEvery);
  const Cancellation& cancellation = Cancellation::Get();
  // A descriptor that was answered already would not let us wait.
  std::array<pollfd, 3> polled = {
      {{host_.fd(), POLLIN, 0},
       {signals_ < 1 ? cancellation.fd() : -1, POLLIN, 0},
       {signals_ < 2 ? cancellation.hurry_fd() : -1, POLLIN, 0}}};
  int millis = wake <= now ? 0 : -1;
  if (wake > now && wake != absl::InfiniteFuture()) {
    const absl::Duration left = wake - now;
    millis = static_cast<int>(absl::ToInt64Milliseconds(
        std::min(left + absl::Milliseconds(1), absl::Hours(24))));
  }
  poll(polled.data(), polled.size(), millis);
}

}  // namespace rekindle::argo
