#include "operator/submit/log_readers.h"

#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/backoff.h"
#include "nlohmann/json.hpp"
#include "operator/kube/json_text.h"
#include "operator/kube/kube_client.h"
#include "operator/kube/object_follower.h"
#include "operator/submit/pod_log.h"
#include "operator/submit/workflow_logs.h"

namespace rekindle::argo {
namespace {

using nlohmann::json;

bool PodHasEnded(const json& pod) {
  const std::string phase = TextAt(pod, "/status/phase");
  return phase == "Succeeded" || phase == "Failed";
}

// Argo's executor starts the step's command in the same container, and writes
// there too.
bool IsOfTheExecutor(absl::string_view line) {
  return absl::StartsWith(line, "time=") &&
         absl::StrContains(line, " argo=true");
}

}  // namespace

LogReaders::LogReaders(const WorkflowLogOptions& options, KubeClient& client,
                       const NodeLineSink& sink)
    : options_(options), client_(client), sink_(sink), follow_(options.follow) {
  follow_.cancel_fd = over_.fd();
  follow_.on_lost = [this](const absl::Status& lost) { SayLost(lost); };
  follow_.backoff.sleep = [this](absl::Duration duration) {
    return status().ok() && options_.follow.backoff.sleep(duration) &&
           status().ok();
  };
  if (!over_.ok()) {
    Fail(absl::ResourceExhaustedError(
        "this process has no file descriptors left (ulimit -n)"));
  }
}

LogReaders::~LogReaders() {
  Fail(absl::CancelledError("not read to the end"));
  Join().IgnoreError();
}

LogReaders::PodLog LogReaders::LogOf(const json& pod) {
  return {TextAt(pod, "/metadata/namespace"), TextAt(pod, "/metadata/name"),
          NodeNameOf(pod)};
}

void LogReaders::Start(const json& pod) {
  PodLog log = LogOf(pod);
  if (!started_.insert(log.pod).second) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  Lane& lane = PodHasEnded(pod) ? ended_ : running_;
  lane.waiting.push_back(std::move(log));
  has_news_.notify_all();
  if (lane.waiting.size() <= lane.idle || lane.readers == lane.most) return;
  ++lane.readers;
  threads_.emplace_back([this, &lane] { ReadAll(lane); });
}

absl::Status LogReaders::Read(const json& pod) {
  if (status().ok()) ReadOne(LogOf(pod));
  return status();
}

void LogReaders::Fail(const absl::Status& status) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!status_.ok()) return;
  status_ = status;
  over_.Happen();
  has_news_.notify_all();
}

absl::Status LogReaders::status() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return status_;
}

absl::Status LogReaders::Join() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    joining_ = true;
    has_news_.notify_all();
  }
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
  const std::lock_guard<std::mutex> lock(mutex_);
  return status_.ok() ? given_up_ : status_;
}

void LogReaders::ReadAll(Lane& lane) {
  while (const std::optional<PodLog> log = Next(lane)) ReadOne(*log);
}

std::optional<LogReaders::PodLog> LogReaders::Next(Lane& lane) {
  std::unique_lock<std::mutex> lock(mutex_);
  ++lane.idle;
  has_news_.wait(lock, [this, &lane] {
    return !lane.waiting.empty() || joining_ || !status_.ok();
  });
  --lane.idle;
  if (lane.waiting.empty() || !status_.ok()) return std::nullopt;
  PodLog log = std::move(lane.waiting.front());
  lane.waiting.pop_front();
  return log;
}

void LogReaders::ReadOne(const PodLog& log) {
  LogOptions options = options_.log;
  options.cancel_fd = over_.fd();
  const absl::Status read =
      ReadWholeLog(log.in_namespace, log.pod, options, follow_, client_,
                   [&](absl::string_view line) { Say(log.node, line); });
  // podGC and retries delete pods while we read; the workflow goes on.
  if (read.ok() || absl::IsNotFound(read)) return;
  if (!IsTransient(read)) return Fail(read);
  const std::lock_guard<std::mutex> lock(mutex_);
  given_up_.Update(read);
}

void LogReaders::Say(const std::string& node, absl::string_view line) {
  if (!options_.executor && IsOfTheExecutor(line)) return;
  const std::lock_guard<std::mutex> lock(saying_);
  if (!status().ok()) return;
  said_lost_.clear();
  const absl::Status said = sink_(node, line);
  if (!said.ok()) Fail(said);
}

// Many lose the same cluster at once.
void LogReaders::SayLost(const absl::Status& status) {
  const std::lock_guard<std::mutex> lock(saying_);
  if (said_lost_ == status.message()) return;
  said_lost_ = std::string(status.message());
  if (options_.follow.on_lost) options_.follow.on_lost(status);
}

}  // namespace rekindle::argo
