#include "component/strategies/multi_worker_strategy.h"

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "component/strategies/devices.h"
#include "component/strategies/gradient_sum.h"
#include "component/strategies/peers.h"
#include "component/strategies/session_config.h"
#include "component/strategies/tf_config.h"
#include "component/strategies/watched_session.h"
#include "rekindle/training/graph_builder.h"
#include "rekindle/training/step_graph.h"
#include "rekindle/training/strategy.h"
#include "tensorflow/cc/framework/ops.h"
#include "tensorflow/cc/framework/scope.h"
#include "tensorflow/cc/ops/array_ops.h"
#include "tensorflow/core/distributed_runtime/server_lib.h"
#include "tensorflow/core/protobuf/cluster.pb.h"
#include "tensorflow/core/protobuf/config.pb.h"
#include "tensorflow/core/protobuf/tensorflow_server.pb.h"
#include "tensorflow/core/public/session.h"
#include "tensorflow/core/public/session_options.h"

namespace rekindle {
namespace {

using ::tensorflow::ConfigProto;

constexpr char kJob[] = "worker";

std::string TaskName(int worker) {
  return absl::StrCat("/job:", kJob, "/replica:0/task:", worker);
}

// A worker's session sees only its own devices: one that is gone or late must
// not hold up what the others do alone.
ConfigProto ForWorker(ConfigProto config, const Cluster& cluster) {
  config.add_device_filters(
      absl::StrCat("/job:", kJob, "/task:", cluster.worker));
  config.mutable_experimental()->set_collective_group_leader(TaskName(0));
  return config;
}

tensorflow::ServerDef MakeServerDef(const Cluster& cluster,
                                    const ConfigProto& config) {
  tensorflow::ServerDef def;
  def.set_protocol("grpc");
  def.set_job_name(kJob);
  def.set_task_index(cluster.worker);
  *def.mutable_default_session_config() = config;
  tensorflow::JobDef* job = def.mutable_cluster()->add_job();
  job->set_name(kJob);
  for (size_t i = 0; i < cluster.workers.size(); ++i) {
    (*job->mutable_tasks())[static_cast<int>(i)] = cluster.workers[i];
  }
  return def;
}

// Starts the server, and returns how to reach it. It is never destroyed:
// TensorFlow's cannot be while the process lives on.
absl::StatusOr<std::string> StartServer(const Cluster& cluster,
                                        const ConfigProto& config) {
  std::unique_ptr<tensorflow::ServerInterface> server;
  absl::Status started =
      tensorflow::NewServer(MakeServerDef(cluster, config), &server);
  if (started.ok()) started = server->Start();
  if (!started.ok()) {
    return absl::UnavailableError(
        absl::StrCat("the server of ", WorkerName(cluster, cluster.worker),
                     " cannot start; is its port free? TensorFlow says: ",
                     started.message()));
  }
  return server.release()->target();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Strategy>> MultiWorkerStrategy::Start(
    const Cluster& cluster, const DevicePlan& devices,
    const ConfigProto& config, const StrategyOptions& options) {
  ConfigProto ours = ForWorker(config, cluster);
  RK_ASSIGN_OR_RETURN(std::string target, StartServer(cluster, ours));
  return std::unique_ptr<Strategy>(
      new MultiWorkerStrategy(cluster, devices.Names(TaskName(cluster.worker)),
                              std::move(ours), std::move(target), options));
}

MultiWorkerStrategy::MultiWorkerStrategy(Cluster cluster,
                                         std::vector<std::string> devices,
                                         ConfigProto config, std::string target,
                                         StrategyOptions options)
    : cluster_(std::move(cluster)),
      devices_(std::move(devices)),
      config_(std::move(config)),
      target_(std::move(target)),
      options_(std::move(options)) {}

std::string MultiWorkerStrategy::Description() const {
  return absl::StrCat("Using MultiWorkerMirroredStrategy with ", workers(),
                      " workers; this is ", WorkerName(cluster_, worker()),
                      is_chief() ? ", the chief" : "", ", with devices ('",
                      absl::StrJoin(devices_, "', '"), "')");
}

absl::StatusOr<std::unique_ptr<tensorflow::Session>>
MultiWorkerStrategy::OpenSession(double /*work_per_step*/) const {
  RK_RETURN_IF_ERROR(WaitForPeers(
      cluster_, {options_.worker_timeout, options_.should_stop, options_.log}));
  tensorflow::SessionOptions options;
  options.target = target_;
  options.config = config_;
  RK_ASSIGN_OR_RETURN(std::unique_ptr<tensorflow::Session> session,
                      OpenNewSession(options));
  return std::make_unique<WatchedSession>(std::move(session), cluster_);
}

absl::StatusOr<std::vector<std::vector<Gradient>>> MultiWorkerStrategy::Reduce(
    const std::vector<StepGraph*>& replicas) const {
  const tensorflow::Scope scope =
      replicas.front()->scope().WithDevice(devices_.front());
  RK_ASSIGN_OR_RETURN(const std::vector<Gradient> ours,
                      SumOverReplicas(scope, replicas));
  tensorflow::Output loss = MeanLoss(scope, replicas);
  RK_ASSIGN_OR_RETURN(
      const std::vector<Gradient> sums,
      SumOverWorkers(scope, *replicas.front(), ours, workers(), &loss));
  // A tensor for each: a server's session fetches none twice.
  for (StepGraph* replica : replicas) {
    replica->SetLoss(tensorflow::ops::Identity(scope, loss));
  }
  return std::vector<std::vector<Gradient>>(replicas.size(), sums);
}

absl::Status MultiWorkerStrategy::Finish() const {
  if (is_chief()) return absl::OkStatus();
  return WaitForChiefsEnd(cluster_, options_.should_stop);
}

}  // namespace rekindle
