#include "component/training/graph_session.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace rekindle {
namespace {

using ::tensorflow::CallableOptions;
using ::tensorflow::Session;
using ::tensorflow::Tensor;

// The code is TensorFlow's own: a lost worker is UNAVAILABLE.
absl::Status Failed(absl::string_view doing, const absl::Status& status) {
  return {status.code(), absl::StrCat("TensorFlow failed while ", doing, ": ",
                                      status.message())};
}

}  // namespace

GraphSession::GraphSession(ReplicatedGraph graph,
                           std::unique_ptr<Session> session)
    : graph_(std::move(graph)), session_(std::move(session)) {
  for (size_t i = 0; i < graph_.train.scalars.size(); ++i) {
    scalars_.emplace_back(tensorflow::DT_FLOAT, tensorflow::TensorShape({}));
  }
}

absl::StatusOr<std::unique_ptr<GraphSession>> GraphSession::Open(
    ReplicatedGraph graph, std::unique_ptr<Session> session,
    bool fetch_outputs) {
  if (const absl::Status created = session->Create(graph.graph);
      !created.ok()) {
    return Failed("loading the graph", created);
  }
  std::unique_ptr<GraphSession> opened(
      new GraphSession(std::move(graph), std::move(session)));
  const ReplicatedGraph& nodes = opened->graph_;
  if (!nodes.train.replicas.empty()) {
    RK_ASSIGN_OR_RETURN(opened->train_,
                        opened->MakeCallable(nodes.train, fetch_outputs));
  }
  if (!nodes.validation.replicas.empty()) {
    RK_ASSIGN_OR_RETURN(
        opened->validate_,
        opened->MakeCallable(nodes.validation, /*fetch_outputs=*/true));
  }
  return opened;
}

absl::StatusOr<Session::CallableHandle> GraphSession::MakeCallable(
    const StepNodes& step, bool fetch_outputs) {
  CallableOptions options;
  for (const ReplicaNodes& replica : step.replicas) {
    for (const std::string& feed : replica.feeds) options.add_feed(feed);
    options.add_fetch(replica.loss);
  }
  for (const std::string& scalar : step.scalars) options.add_feed(scalar);
  if (fetch_outputs) {
    for (const ReplicaNodes& replica : step.replicas) {
      for (const std::string& output : replica.outputs) {
        options.add_fetch(output);
      }
    }
  }
  if (!step.target.empty()) options.add_target(step.target);
  Session::CallableHandle handle = 0;
  const absl::Status made = session_->MakeCallable(options, &handle);
  if (!made.ok()) return Failed("preparing the graph", made);
  return handle;
}

absl::Status GraphSession::Assign(const NamedTensors& values) {
  std::vector<std::pair<std::string, Tensor>> feeds;
  std::vector<std::string> assigns;
  for (const VariableNodes& variable : graph_.variables) {
    const auto found = values.find(variable.spec.name);
    if (found == values.end()) continue;
    feeds.emplace_back(variable.value, found->second);
    assigns.insert(assigns.end(), variable.assigns.begin(),
                   variable.assigns.end());
  }
  const absl::Status run = session_->Run(feeds, {}, assigns, nullptr);
  return run.ok() ? run : Failed("setting variables", run);
}

absl::StatusOr<NamedTensors> GraphSession::Read() {
  std::vector<std::string> reads;
  for (const VariableNodes& variable : graph_.variables) {
    reads.push_back(variable.read);
  }
  std::vector<Tensor> fetched;
  const absl::Status run = session_->Run({}, reads, {}, &fetched);
  if (!run.ok()) return Failed("reading variables", run);
  NamedTensors values;
  for (size_t i = 0; i < fetched.size(); ++i) {
    values[graph_.variables[i].spec.name] = std::move(fetched[i]);
  }
  return values;
}

absl::StatusOr<float> GraphSession::Train(const std::vector<Batch>& batches,
                                          const std::vector<float>& scalars) {
  for (const Batch& batch : batches) {
    feeds_.insert(feeds_.end(), batch.tensors.begin(), batch.tensors.end());
  }
  for (size_t i = 0; i < scalars.size(); ++i) {
    scalars_[i].scalar<float>()() = scalars[i];
  }
  feeds_.insert(feeds_.end(), scalars_.begin(), scalars_.end());
  return Run(train_, batches.size(), "training");
}

absl::StatusOr<float> GraphSession::Validate(const Batch& batch) {
  feeds_ = batch.tensors;
  return Run(validate_, 1, "evaluating");
}

absl::StatusOr<float> GraphSession::Run(Session::CallableHandle callable,
                                        size_t replicas,
                                        absl::string_view doing) {
  fetched_.clear();
  replicas_of_last_ = replicas;
  const absl::Status run =
      session_->RunCallable(callable, feeds_, &fetched_, nullptr);
  feeds_.clear();  // The batch's tensors may be filled again.
  if (!run.ok()) return Failed(doing, run);
  float sum = 0;
  for (size_t i = 0; i < replicas; ++i) sum += fetched_[i].scalar<float>()();
  return sum / static_cast<float>(replicas);
}

std::span<const Tensor> GraphSession::Outputs(size_t replica) const {
  const std::span<const Tensor> outputs =
      std::span(fetched_).subspan(replicas_of_last_);
  const size_t each = outputs.size() / replicas_of_last_;
  return outputs.subspan(replica * each, each);
}

}  // namespace rekindle
