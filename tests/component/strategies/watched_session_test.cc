#include "component/strategies/watched_session.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "component/strategies/host_port.h"
#include "component/strategies/tf_config.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tensorflow/core/framework/device_attributes.pb.h"
#include "tensorflow/core/framework/graph.pb.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/protobuf/config.pb.h"
#include "tensorflow/core/public/session.h"

namespace rekindle {
namespace {

using ::tensorflow::Tensor;
using ::testing::HasSubstr;

// A session that waits for an answer from another machine, which never comes:
// its calls end when it is closed, as those of TensorFlow do.
class WaitingSession : public tensorflow::Session {
 public:
  using NamedTensor = std::pair<std::string, Tensor>;

  absl::Status Create(const tensorflow::GraphDef&) override {
    return absl::OkStatus();
  }
  absl::Status Extend(const tensorflow::GraphDef&) override {
    return absl::OkStatus();
  }
  absl::Status Run(const std::vector<NamedTensor>&,
                   const std::vector<std::string>&,
                   const std::vector<std::string>&,
                   std::vector<Tensor>*) override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return closed_; });
    return absl::CancelledError("the session was closed");
  }
  absl::Status ListDevices(
      std::vector<tensorflow::DeviceAttributes>*) override {
    return absl::OkStatus();
  }
  absl::Status Close() override {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
    return absl::OkStatus();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool closed_ = false;
};

void AddNode(const std::string& name, const std::string& op,
             const std::vector<std::string>& inputs,
             tensorflow::GraphDef* graph) {
  tensorflow::NodeDef* node = graph->add_node();
  node->set_name(name);
  node->set_op(op);
  for (const std::string& input : inputs) node->add_input(input);
}

tensorflow::GraphDef GraphWithExchange() {
  tensorflow::GraphDef graph;
  AddNode("apply", "Identity", {"split:1"}, &graph);
  AddNode("alone", "Identity", {"gradient"}, &graph);
  AddNode("gradient", "Placeholder", {}, &graph);
  AddNode("sum", "CollectiveReduceV2", {"gradient"}, &graph);
  AddNode("split", "SplitV", {"sum:0"}, &graph);
  AddNode("done", "NoOp", {"^apply"}, &graph);
  return graph;
}

// Two workers, of which the other does not exist.
Cluster Alone() {
  const auto ports = FreeLoopbackPorts(2);
  Cluster cluster;
  for (const int port : *ports) {
    cluster.workers.push_back(absl::StrCat("127.0.0.1:", port));
  }
  return cluster;
}

TEST(WatchedSessionTest, AStepThatWaitsForAVanishedWorkerEndsAndNamesIt) {
  const Cluster cluster = Alone();
  WatchedSession session(std::make_unique<WaitingSession>(), cluster,
                         absl::Milliseconds(10));
  ASSERT_TRUE(session.Create(GraphWithExchange()).ok());
  const absl::Status ended = session.Run({}, {}, {"done"}, nullptr);
  EXPECT_EQ(ended.code(), absl::StatusCode::kUnavailable) << ended;
  EXPECT_THAT(ended.message(),
              HasSubstr("worker 1 (" + cluster.workers[1] + ") is gone"));
}

// Gives every step up, at once.
class FailingSession : public WaitingSession {
 public:
  explicit FailingSession(absl::Status failure)
      : failure_(std::move(failure)) {}

  absl::Status Run(const std::vector<NamedTensor>&,
                   const std::vector<std::string>&,
                   const std::vector<std::string>&,
                   std::vector<Tensor>*) override {
    return failure_;
  }

 private:
  const absl::Status failure_;
};

absl::Status EndOfAStepThatFails(const absl::Status& failure) {
  WatchedSession session(std::make_unique<FailingSession>(failure), Cluster(),
                         absl::Milliseconds(10));
  EXPECT_TRUE(session.Create(GraphWithExchange()).ok());
  return session.Run({}, {}, {"done"}, nullptr);
}

TEST(WatchedSessionTest, AStepThatTensorFlowAbortsIsWorthAnotherTry) {
  const absl::Status twice = EndOfAStepThatFails(absl::AbortedError(
      absl::StrCat("received twice: ", std::string(100000, 'x'))));
  EXPECT_EQ(twice.code(), absl::StatusCode::kUnavailable) << twice;
  EXPECT_THAT(twice.message(), HasSubstr("received twice"));
  EXPECT_LT(twice.message().size(), 1000U);
  const absl::Status told = EndOfAStepThatFails(
      absl::InternalError("Collective ops is aborted by: another"));
  EXPECT_EQ(told.code(), absl::StatusCode::kUnavailable) << told;
}

TEST(WatchedSessionTest, AStepThatIsWrongInItselfIsNot) {
  const absl::Status wrong =
      EndOfAStepThatFails(absl::InvalidArgumentError("a shape"));
  EXPECT_EQ(wrong.code(), absl::StatusCode::kInvalidArgument) << wrong;
}

TEST(CollectiveReachTest, FollowsAnExchangeToAllThatNeedsIt) {
  CollectiveReach reach;
  reach.Add(GraphWithExchange());
  for (const std::string needs : {"sum", "sum:0", "split:1", "apply", "done"}) {
    EXPECT_TRUE(reach.Covers({"alone", needs})) << needs;
  }
  EXPECT_FALSE(reach.Covers({"gradient", "alone:0", "^alone", "unknown"}));
  EXPECT_FALSE(reach.Covers({}));
}

TEST(CollectiveReachTest, FollowsItIntoAnExtension) {
  CollectiveReach reach;
  reach.Add(GraphWithExchange());
  tensorflow::GraphDef more;
  AddNode("later", "Identity", {"apply"}, &more);
  AddNode("other", "Identity", {"alone"}, &more);
  reach.Add(more);
  EXPECT_TRUE(reach.Covers({"later:0"}));
  EXPECT_FALSE(reach.Covers({"other:0"}));
}

}  // namespace
}  // namespace rekindle
