// Internal to component/strategies.
#ifndef REKINDLE_COMPONENT_STRATEGIES_WATCHED_SESSION_H_
#define REKINDLE_COMPONENT_STRATEGIES_WATCHED_SESSION_H_

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "component/strategies/collective_reach.h"
#include "component/strategies/tf_config.h"
#include "tensorflow/core/framework/graph.pb.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/protobuf/config.pb.h"
#include "tensorflow/core/public/session.h"

namespace rekindle {

// A session of one worker of several. A call that exchanges something with the
// others and fails says who of them is gone, as UNAVAILABLE. It also ends when
// the machine of one has vanished, which TensorFlow itself would wait for for
// ever: while such a call lasts, a thread sees to it that the others still
// accept connections.
//
// Calls of Run and RunCallable must follow one another; otherwise thread-safe.
class WatchedSession : public tensorflow::Session {
 public:
  using NamedTensor = std::pair<std::string, tensorflow::Tensor>;

  // Looks once in `period`, and gives up at the third time somebody is silent.
  WatchedSession(std::unique_ptr<tensorflow::Session> inner, Cluster cluster,
                 absl::Duration period = absl::Seconds(1));
  ~WatchedSession() override;

  absl::Status Create(const tensorflow::GraphDef& graph) override;
  absl::Status Extend(const tensorflow::GraphDef& graph) override;
  absl::Status Run(const std::vector<NamedTensor>& inputs,
                   const std::vector<std::string>& output_names,
                   const std::vector<std::string>& target_names,
                   std::vector<tensorflow::Tensor>* outputs) override;
  absl::Status Run(const tensorflow::RunOptions& options,
                   const std::vector<NamedTensor>& inputs,
                   const std::vector<std::string>& output_names,
                   const std::vector<std::string>& target_names,
                   std::vector<tensorflow::Tensor>* outputs,
                   tensorflow::RunMetadata* metadata) override;
  absl::Status MakeCallable(const tensorflow::CallableOptions& options,
                            CallableHandle* handle) override;
  absl::Status RunCallable(CallableHandle handle,
                           const std::vector<tensorflow::Tensor>& feeds,
                           std::vector<tensorflow::Tensor>* fetches,
                           tensorflow::RunMetadata* metadata) override;
  absl::Status ReleaseCallable(CallableHandle handle) override;
  absl::Status ListDevices(
      std::vector<tensorflow::DeviceAttributes>* devices) override;
  absl::Status Close() override;

 private:
  // Makes a call, under watch if it is one with the others.
  absl::Status Call(bool collective, const std::function<absl::Status()>& call);
  // Says more about why a call with the others failed.
  absl::Status Explain(const absl::Status& failed) const;
  void Watch();
  // Waits for a period; false when there is nothing more to watch.
  bool NextLook(int64_t* call);

  const std::unique_ptr<tensorflow::Session> inner_;
  const Cluster cluster_;
  const absl::Duration period_;
  CollectiveReach reach_;
  std::map<CallableHandle, bool> collective_;

  std::mutex mutex_;
  std::condition_variable changed_;
  bool closing_ = false;
  int64_t calls_ = 0;     // with the others, so far
  bool calling_ = false;  // one of them is under way
  std::thread watcher_;
};

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_STRATEGIES_WATCHED_SESSION_H_
