#ifndef REKINDLE_OPERATOR_SUBMIT_LOG_READERS_H_
#define REKINDLE_OPERATOR_SUBMIT_LOG_READERS_H_
// Internal to operator/submit.

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "base/event_fd.h"
#include "nlohmann/json.hpp"
#include "operator/kube/kube_client.h"
#include "operator/kube/object_follower.h"
#include "operator/submit/workflow_logs.h"

namespace rekindle::argo {

// Reads the logs of pods, several at once: a few of those that have ended, and
// many of those that run. The others wait for their turn, in the order they
// came in. What trying again does not change ends them all; a log that is out
// of reach for too long is only given up itself.
//
// Start() and Join() are for one thread, everything else is thread-safe.
class LogReaders {
 public:
  // Threads, connections and descriptors are not there without end.
  static constexpr size_t kMostEnded = 4;
  static constexpr size_t kMostRunning = 64;

  // Nothing is owned, and all must outlive this.
  LogReaders(const WorkflowLogOptions& options, KubeClient& client,
             const NodeLineSink& sink);
  // Gives up what is not read yet.
  ~LogReaders();
  LogReaders(const LogReaders&) = delete;
  LogReaders& operator=(const LogReaders&) = delete;

  // Reads the log of a pod when it is its turn; once.
  void Start(const nlohmann::json& pod);
  // Reads the log of a pod now; what then is as status().
  absl::Status Read(const nlohmann::json& pod);

  // Ends them all; the first error counts.
  void Fail(const absl::Status& status);
  // What ended them all; OK if nothing did.
  absl::Status status() const;

  // Waits until all is read. Returns status(), or else why the first log that
  // was given up was.
  absl::Status Join();

  // The options for whatever else waits: it ends when these end.
  const FollowOptions& follow() const { return follow_; }

 private:
  struct PodLog {
    std::string in_namespace;
    std::string pod;
    std::string node;
  };
  // Those who read logs of one kind, and what they have not begun with.
  struct Lane {
    const size_t most;
    size_t readers = 0;
    size_t idle = 0;
    std::deque<PodLog> waiting = {};
  };

  static PodLog LogOf(const nlohmann::json& pod);
  void ReadAll(Lane& lane);
  std::optional<PodLog> Next(Lane& lane);
  void ReadOne(const PodLog& log);
  void Say(const std::string& node, absl::string_view line);
  void SayLost(const absl::Status& status);

  const WorkflowLogOptions& options_;
  KubeClient& client_;
  const NodeLineSink& sink_;
  EventFd over_;
  FollowOptions follow_;
  std::set<std::string> started_;
  std::vector<std::thread> threads_;

  std::mutex saying_;
  std::string said_lost_;  // since the last line; guarded by saying_

  mutable std::mutex mutex_;
  // All below are guarded by mutex_.
  std::condition_variable has_news_;
  absl::Status status_;
  absl::Status given_up_;
  bool joining_ = false;  // no more pods come
  Lane ended_ = {kMostEnded};
  Lane running_ = {kMostRunning};
};

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_SUBMIT_LOG_READERS_H_
