#include "component/training/training_session.h"

#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "component/training/session_options.h"
#include "component/training/training_graph.h"
#include "tensorflow/core/framework/device_attributes.pb.h"
#include "tensorflow/core/public/session.h"

namespace rekindle {
namespace {

using ::tensorflow::CallableOptions;
using ::tensorflow::Session;
using ::tensorflow::Tensor;

absl::Status Failed(absl::string_view doing, const absl::Status& status) {
  return absl::InternalError(
      absl::StrCat("TensorFlow failed while ", doing, ": ", status.message()));
}

Tensor Scalar(double value) { return Tensor(static_cast<float>(value)); }

class SessionImpl final : public TrainingSession {
 public:
  SessionImpl(TrainingGraph graph, std::unique_ptr<Session> session)
      : nodes_(std::move(graph.nodes)),
        graph_variables_(std::move(graph.variables)),
        session_(std::move(session)) {
    for (const TrainingVariable& variable : graph_variables_) {
      specs_.push_back(variable.spec);
    }
  }

  absl::Status MakeCallables() {
    CallableOptions step = BatchFeeds();
    step.add_feed(nodes_.beta1_power);
    step.add_feed(nodes_.beta2_power);
    step.add_fetch(nodes_.mean_loss);
    step.add_target(nodes_.train_step);
    RK_RETURN_IF_ERROR(session_->MakeCallable(step, &step_));

    CallableOptions evaluate = BatchFeeds();
    evaluate.add_fetch(nodes_.loss_sum);
    evaluate.add_fetch(nodes_.correct);
    return session_->MakeCallable(evaluate, &evaluate_);
  }

  const std::vector<VariableSpec>& variables() const override { return specs_; }

  absl::Status Assign(const NamedTensors& values) override {
    std::vector<std::pair<std::string, Tensor>> feeds;
    std::vector<std::string> assigns;
    for (const TrainingVariable& variable : graph_variables_) {
      const auto found = values.find(variable.spec.name);
      if (found == values.end()) continue;
      feeds.emplace_back(variable.value, found->second);
      assigns.push_back(variable.assign);
    }
    const absl::Status run = session_->Run(feeds, {}, assigns, nullptr);
    return run.ok() ? run : Failed("setting variables", run);
  }

  absl::StatusOr<NamedTensors> Read() override {
    std::vector<std::string> reads;
    for (const TrainingVariable& variable : graph_variables_) {
      reads.push_back(variable.read);
    }
    std::vector<Tensor> fetched;
    const absl::Status run = session_->Run({}, reads, {}, &fetched);
    if (!run.ok()) return Failed("reading variables", run);
    NamedTensors values;
    for (size_t i = 0; i < fetched.size(); ++i) {
      values[specs_[i].name] = std::move(fetched[i]);
    }
    return values;
  }

  absl::StatusOr<float> Step(int64_t step, const ExampleBatch& batch) override {
    const auto number = static_cast<double>(step + 1);
    feeds_ = {batch.numeric, batch.categorical, batch.labels,
              Scalar(std::pow(kAdamBeta1, number)),
              Scalar(std::pow(kAdamBeta2, number))};
    RK_RETURN_IF_ERROR(Run(step_, "training"));
    return fetched_[0].scalar<float>()();
  }

  absl::StatusOr<BatchResult> Evaluate(const ExampleBatch& batch) override {
    feeds_ = {batch.numeric, batch.categorical, batch.labels};
    RK_RETURN_IF_ERROR(Run(evaluate_, "evaluating"));
    return BatchResult{.loss_sum = fetched_[0].scalar<float>()(),
                       .correct = fetched_[1].scalar<int64_t>()()};
  }

  absl::StatusOr<Tensor> Scores(const ExampleBatch& batch) override {
    std::vector<Tensor> fetched;
    const absl::Status run =
        session_->Run({{nodes_.numeric, batch.numeric},
                       {nodes_.categorical, batch.categorical}},
                      {nodes_.scores}, {}, &fetched);
    if (!run.ok()) return Failed("scoring", run);
    return fetched[0];
  }

  absl::StatusOr<std::vector<std::string>> Devices() override {
    std::vector<tensorflow::DeviceAttributes> devices;
    const absl::Status listed = session_->ListDevices(&devices);
    if (!listed.ok()) return Failed("listing devices", listed);
    std::vector<std::string> names;
    for (const auto& device : devices) {
      // "/job:localhost/replica:0/task:0/device:CPU:0"
      const std::string& name = device.name();
      names.push_back(name.substr(name.find("device:") + 7));
    }
    return names;
  }

 private:
  CallableOptions BatchFeeds() const {
    CallableOptions options;
    options.add_feed(nodes_.numeric);
    options.add_feed(nodes_.categorical);
    options.add_feed(nodes_.labels);
    return options;
  }

  absl::Status Run(Session::CallableHandle callable, absl::string_view doing) {
    fetched_.clear();
    const absl::Status run =
        session_->RunCallable(callable, feeds_, &fetched_, nullptr);
    feeds_.clear();  // The batch's tensors may be filled again.
    return run.ok() ? run : Failed(doing, run);
  }

  const TrainingNodes nodes_;
  const std::vector<TrainingVariable> graph_variables_;
  std::vector<VariableSpec> specs_;
  const std::unique_ptr<Session> session_;
  Session::CallableHandle step_ = 0;
  Session::CallableHandle evaluate_ = 0;
  // Kept between calls for their memory.
  std::vector<Tensor> feeds_;
  std::vector<Tensor> fetched_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<TrainingSession>> OpenTrainingSession(
    const TabularClassifier& model, double learning_rate) {
  RK_ASSIGN_OR_RETURN(TrainingGraph graph,
                      BuildTrainingGraph(model, learning_rate));
  std::unique_ptr<Session> session(
      tensorflow::NewSession(SmallModelSessionOptions()));
  if (session == nullptr) {
    return absl::InternalError("TensorFlow cannot open a session");
  }
  if (const absl::Status created = session->Create(graph.graph);
      !created.ok()) {
    return Failed("loading the training graph", created);
  }
  auto impl =
      std::make_unique<SessionImpl>(std::move(graph), std::move(session));
  if (const absl::Status made = impl->MakeCallables(); !made.ok()) {
    return Failed("preparing the training graph", made);
  }
  return impl;
}

}  // namespace rekindle
