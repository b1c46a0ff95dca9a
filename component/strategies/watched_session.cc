#include "component/strategies/watched_session.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "component/strategies/peers.h"
#include "component/strategies/tf_config.h"
#include "tensorflow/core/framework/device_attributes.pb.h"
#include "tensorflow/core/framework/graph.pb.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/protobuf/config.pb.h"
#include "tensorflow/core/public/session.h"

namespace rekindle {
namespace {

using ::tensorflow::Tensor;

// A worker may stop to answer for a moment: its machine is busy.
constexpr int kSilencesThatCount = 3;

// A process that ends closes its connections before we can see that its port
// is closed, too.
constexpr absl::Duration kToFindOut = absl::Seconds(2);
constexpr absl::Duration kBetweenTries = absl::Milliseconds(50);

std::vector<std::string> Needed(const std::vector<std::string>& outputs,
                                const std::vector<std::string>& targets) {
  std::vector<std::string> names = outputs;
  names.insert(names.end(), targets.begin(), targets.end());
  return names;
}

// TensorFlow quotes whole requests, with the tensors in them.
constexpr size_t kEnoughWords = 300;

// Whether the step may go well when all workers begin again. Nobody here
// cancels a step, so that came from another worker; TensorFlow aborts one whose
// messages it got twice or not at all, and tells the others that it did.
bool IsWorthAnotherTry(const absl::Status& failed) {
  return absl::IsCancelled(failed) || absl::IsAborted(failed) ||
         absl::StrContains(failed.message(), "Collective ops is aborted");
}

absl::Status Gone(const std::string& worker) {
  return absl::UnavailableError(
      absl::StrCat(worker, " is gone: it accepts no connections any more"));
}

}  // namespace

WatchedSession::WatchedSession(std::unique_ptr<tensorflow::Session> inner,
                               Cluster cluster, absl::Duration period)
    : inner_(std::move(inner)),
      cluster_(std::move(cluster)),
      period_(period),
      watcher_([this] { Watch(); }) {}

WatchedSession::~WatchedSession() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  watcher_.join();
}

absl::Status WatchedSession::Create(const tensorflow::GraphDef& graph) {
  reach_.Add(graph);
  return inner_->Create(graph);
}

absl::Status WatchedSession::Extend(const tensorflow::GraphDef& graph) {
  reach_.Add(graph);
  return inner_->Extend(graph);
}

absl::Status WatchedSession::Run(const std::vector<NamedTensor>& inputs,
                                 const std::vector<std::string>& output_names,
                                 const std::vector<std::string>& target_names,
                                 std::vector<Tensor>* outputs) {
  return Call(reach_.Covers(Needed(output_names, target_names)), [&] {
    return inner_->Run(inputs, output_names, target_names, outputs);
  });
}

absl::Status WatchedSession::Run(const tensorflow::RunOptions& options,
                                 const std::vector<NamedTensor>& inputs,
                                 const std::vector<std::string>& output_names,
                                 const std::vector<std::string>& target_names,
                                 std::vector<Tensor>* outputs,
                                 tensorflow::RunMetadata* metadata) {
  return Call(reach_.Covers(Needed(output_names, target_names)), [&] {
    return inner_->Run(options, inputs, output_names, target_names, outputs,
                       metadata);
  });
}

absl::Status WatchedSession::MakeCallable(
    const tensorflow::CallableOptions& options, CallableHandle* handle) {
  RK_RETURN_IF_ERROR(inner_->MakeCallable(options, handle));
  collective_[*handle] =
      reach_.Covers(Needed({options.fetch().begin(), options.fetch().end()},
                           {options.target().begin(), options.target().end()}));
  return absl::OkStatus();
}

absl::Status WatchedSession::RunCallable(CallableHandle handle,
                                         const std::vector<Tensor>& feeds,
                                         std::vector<Tensor>* fetches,
                                         tensorflow::RunMetadata* metadata) {
  const auto made = collective_.find(handle);
  return Call(made != collective_.end() && made->second, [&] {
    return inner_->RunCallable(handle, feeds, fetches, metadata);
  });
}

absl::Status WatchedSession::ReleaseCallable(CallableHandle handle) {
  collective_.erase(handle);
  return inner_->ReleaseCallable(handle);
}

absl::Status WatchedSession::ListDevices(
    std::vector<tensorflow::DeviceAttributes>* devices) {
  return inner_->ListDevices(devices);
}

absl::Status WatchedSession::Close() { return inner_->Close(); }

absl::Status WatchedSession::Call(bool collective,
                                  const std::function<absl::Status()>& call) {
  if (!collective) return call();
  {
    const std::lock_guard lock(mutex_);
    ++calls_;
    calling_ = true;
  }
  const absl::Status ended = call();
  {
    const std::lock_guard lock(mutex_);
    calling_ = false;
  }
  return ended.ok() ? ended : Explain(ended);
}

absl::Status WatchedSession::Explain(const absl::Status& failed) const {
  const absl::Time give_up = absl::Now() + kToFindOut;
  do {
    const std::vector<int> silent = SilentPeers(cluster_);
    if (!silent.empty()) return Gone(WorkerName(cluster_, silent.front()));
    absl::SleepFor(kBetweenTries);
  } while (absl::Now() < give_up);
  return absl::Status(IsWorthAnotherTry(failed) ? absl::StatusCode::kUnavailable
                                                : failed.code(),
                      absl::StrCat("a step with the other workers failed: ",
                                   failed.message().substr(0, kEnoughWords)));
}

bool WatchedSession::NextLook(int64_t* call) {
  std::unique_lock lock(mutex_);
  const int64_t before = calling_ ? calls_ : -1;
  changed_.wait_for(lock, absl::ToChronoNanoseconds(period_),
                    [this] { return closing_; });
  // Only a call that has lasted for the whole period is worth a look.
  *call = calling_ && calls_ == before ? calls_ : -1;
  return !closing_;
}

void WatchedSession::Watch() {
  int64_t call = -1;
  int64_t last_call = -1;
  int silences = 0;
  while (NextLook(&call)) {
    if (call != last_call) silences = 0;
    last_call = call;
    const bool silent = call >= 0 && !SilentPeers(cluster_).empty();
    silences = silent ? silences + 1 : 0;
    // Ends the call; nobody else would.
    if (silences == kSilencesThatCount) inner_->Close().IgnoreError();
  }
}

}  // namespace rekindle
