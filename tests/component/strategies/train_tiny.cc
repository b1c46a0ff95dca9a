// train_tiny: trains a line and a table by a strategy, step by step by hand,
// and prints the last
// loss and the weights. The data depend on the step alone, so that any number
// of replicas sees the same global batches.
//
//   train_tiny STATE_FILE STEPS VIRTUAL_CPUS [--die=WORKER,STEP,MARK_FILE]
//              [--workers=N] [--restarts=N] [--worker_timeout=SECONDS]
//
// The chief saves to STATE_FILE every ten steps; all go on from there. With
// --die a worker kills itself before that step, unless MARK_FILE exists.
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <unistd.h>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "component/strategies/local_workers.h"
#include "rekindle/training/experiment_config.h"
#include "rekindle/training/graph_builder.h"
#include "rekindle/training/step_graph.h"
#include "rekindle/training/strategy.h"
#include "tensorflow/cc/framework/scope.h"
#include "tensorflow/cc/ops/array_ops.h"
#include "tensorflow/cc/ops/const_op.h"
#include "tensorflow/cc/ops/math_ops.h"
#include "tensorflow/cc/ops/resource_variable_ops.h"
#include "tensorflow/cc/ops/state_ops.h"
#include "tensorflow/cc/ops/training_ops.h"
#include "tensorflow/core/framework/graph.pb.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/framework/tensor_shape.h"
#include "tensorflow/core/framework/tensor_util.h"
#include "tensorflow/core/framework/types.pb.h"
#include "tensorflow/core/protobuf/config.pb.h"
#include "tensorflow/core/public/session.h"

namespace rekindle {
namespace {

namespace ops = ::tensorflow::ops;
using ::tensorflow::Output;
using ::tensorflow::Scope;
using ::tensorflow::Tensor;
using ::tensorflow::TensorShape;

constexpr int64_t kGlobalBatch = 24;
constexpr int64_t kInputs = 3;
constexpr int64_t kOutputs = 2;
constexpr int64_t kTableRows = 50;
constexpr float kLearningRate = 0.05F;
constexpr int64_t kSaveInterval = 10;
constexpr int kExitTryAgain = 75;

const std::vector<VariableSpec>& Variables() {
  static const auto& variables = *new std::vector<VariableSpec>{
      {"line", TensorShape({kInputs, kOutputs})},
      {"table", TensorShape({kTableRows, kOutputs})},
      {"bias", TensorShape({kOutputs})}};
  return variables;
}

struct Flags {
  std::string state_file;
  int64_t steps = 0;
  int64_t virtual_cpus = 0;
  std::map<std::string, std::string> named;

  std::string Get(const std::string& name, const std::string& or_else) const {
    const auto found = named.find(name);
    return found == named.end() ? or_else : found->second;
  }
};

// One example's tensors, the batch as the first dimension.
struct Examples {
  Tensor x{tensorflow::DT_FLOAT, TensorShape({kGlobalBatch, kInputs})};
  Tensor id{tensorflow::DT_INT64, TensorShape({kGlobalBatch})};
  Tensor y{tensorflow::DT_FLOAT, TensorShape({kGlobalBatch, kOutputs})};
};

Examples ExamplesOf(int64_t step) {
  Examples examples;
  std::mt19937 random(static_cast<uint32_t>(step));
  std::uniform_real_distribution<float> value(-1, 1);
  std::uniform_int_distribution<int64_t> row(0, kTableRows - 1);
  for (int64_t i = 0; i < kGlobalBatch; ++i) {
    examples.id.flat<int64_t>()(i) = row(random);
    for (int64_t k = 0; k < kInputs; ++k) {
      examples.x.matrix<float>()(i, k) = value(random);
    }
    for (int64_t k = 0; k < kOutputs; ++k) {
      examples.y.matrix<float>()(i, k) = value(random);
    }
  }
  return examples;
}

// The weights and the step they are of.
struct State {
  int64_t step = 0;
  std::vector<float> weights;  // of all variables, one after the other
};

State ReadState(const std::string& path) {
  State state;
  std::ifstream file(path);
  file >> state.step;
  for (float weight = 0; file >> weight;) state.weights.push_back(weight);
  return state;
}

void WriteState(const State& state, const std::string& path) {
  const std::string unfinished = absl::StrCat(path, ".new");
  std::ofstream file(unfinished);
  file.precision(9);
  file << state.step;
  for (const float weight : state.weights) file << " " << weight;
  file.close();
  std::rename(unfinished.c_str(), path.c_str());
}

class TinyTrainer {
 public:
  TinyTrainer(const Flags& flags, const Strategy& strategy)
      : flags_(flags), strategy_(strategy), root_(Scope::NewRootScope()) {}

  absl::Status Train() {
    RK_RETURN_IF_ERROR(BuildGraph());
    tensorflow::GraphDef graph;
    RK_RETURN_IF_ERROR(root_.ToGraphDef(&graph));
    RK_ASSIGN_OR_RETURN(session_, strategy_.OpenSession(1));
    RK_RETURN_IF_ERROR(session_->Create(graph));
    RK_RETURN_IF_ERROR(session_->MakeCallable(step_, &run_step_));
    RK_RETURN_IF_ERROR(Restore());
    while (state_.step < flags_.steps) {
      DieIfAsked();
      losses_.clear();
      RK_RETURN_IF_ERROR(
          session_->RunCallable(run_step_, Feeds(), &losses_, nullptr));
      ++state_.step;
      if (state_.step % kSaveInterval == 0) RK_RETURN_IF_ERROR(Save());
    }
    return Save();
  }

  const State& state() const { return state_; }

  // The mean over this worker's replicas, of the last step.
  float loss() const {
    float sum = 0;
    for (const Tensor& loss : losses_) sum += loss.scalar<float>()();
    return sum / static_cast<float>(losses_.size());
  }

 private:
  absl::Status BuildGraph() {
    for (const std::string& device : strategy_.devices()) AddReplica(device);
    std::vector<StepGraph*> pointers;
    for (const auto& replica : replicas_) pointers.push_back(replica.get());
    RK_ASSIGN_OR_RETURN(const auto gradients, strategy_.Reduce(pointers));
    for (size_t i = 0; i < replicas_.size(); ++i) {
      step_.add_fetch(replicas_[i]->loss().name());
      for (const Gradient& gradient : gradients[i]) {
        Apply(*replicas_[i], gradient);
      }
    }
    return root_.status();
  }

  void AddReplica(const std::string& device) {
    const size_t k = replicas_.size();
    const Scope scope =
        root_.NewSubScope(absl::StrCat("replica", k)).WithDevice(device);
    replicas_.push_back(std::make_unique<StepGraph>(
        scope, absl::StrCat("replica", k, "/"), strategy_.replicas()));
    StepGraph& graph = *replicas_.back();
    for (const VariableSpec& variable : Variables()) {
      graph.AddVariable(variable);
      AddAssign(graph, variable, k);
    }
    const Output x = Fed(scope, tensorflow::DT_FLOAT);
    const Output id = Fed(scope, tensorflow::DT_INT64);
    const Output y = Fed(scope, tensorflow::DT_FLOAT);
    const Output line = ops::MatMul(scope, x, graph.Read("line"));
    const Output answer =
        ops::AddV2(scope, ops::AddV2(scope, line, graph.Gather("table", id)),
                   graph.Read("bias"));
    const Output loss =
        ops::Mean(scope, ops::SquaredDifference(scope, answer, y), {0, 1});
    graph.SetLoss(loss);
    graph.ApplyGradients(graph.Gradients(
        ops::Div(scope, loss, static_cast<float>(strategy_.replicas()))));
  }

  // A tensor that each step is fed.
  Output Fed(const Scope& scope, tensorflow::DataType type) {
    const Output fed = ops::Placeholder(scope, type);
    step_.add_feed(fed.name());
    return fed;
  }

  void AddAssign(StepGraph& graph, const VariableSpec& variable,
                 size_t replica) {
    const Output value = ops::Placeholder(graph.scope(), tensorflow::DT_FLOAT);
    const ops::AssignVariableOp assign(graph.scope(),
                                       graph.Handle(variable.name), value);
    values_.push_back(value.name());
    assigns_.push_back(assign.operation.node()->name());
    if (replica == 0) reads_.push_back(graph.Read(variable.name).name());
  }

  void Apply(StepGraph& graph, const Gradient& gradient) {
    const Scope& scope = graph.scope();
    const Output handle = graph.Handle(gradient.variable);
    const Output rate = ops::Const(scope, kLearningRate);
    const tensorflow::Operation applied =
        gradient.rows.has_value()
            ? ops::ResourceScatterSub(
                  scope, handle, *gradient.rows,
                  ops::Multiply(scope, gradient.value, rate))
                  .operation
            : ops::ResourceApplyGradientDescent(scope, handle, rate,
                                                gradient.value)
                  .operation;
    step_.add_target(applied.node()->name());
  }

  // Gives every replica the saved weights, or zeros.
  absl::Status Restore() {
    state_ = ReadState(flags_.state_file);
    size_t next = 0;
    std::vector<std::pair<std::string, Tensor>> feeds;
    for (size_t i = 0; i < values_.size(); ++i) {
      const size_t variable = i % Variables().size();
      if (variable == 0) next = 0;
      Tensor value(tensorflow::DT_FLOAT, Variables()[variable].shape);
      for (int64_t k = 0; k < value.NumElements(); ++k, ++next) {
        value.flat<float>()(k) =
            state_.weights.empty() ? 0 : state_.weights.at(next);
      }
      feeds.emplace_back(values_[i], value);
    }
    return session_->Run(feeds, {}, assigns_, nullptr);
  }

  std::vector<Tensor> Feeds() const {
    const Examples examples = ExamplesOf(state_.step);
    const int64_t share = kGlobalBatch / strategy_.replicas();
    int64_t begin =
        strategy_.worker() * share * static_cast<int64_t>(replicas_.size());
    std::vector<Tensor> feeds;
    for (size_t k = 0; k < replicas_.size(); ++k, begin += share) {
      for (const Tensor& all : {examples.x, examples.id, examples.y}) {
        // A slice is not aligned as TensorFlow wants it.
        feeds.push_back(
            tensorflow::tensor::DeepCopy(all.Slice(begin, begin + share)));
      }
    }
    return feeds;
  }

  absl::Status Save() {
    std::vector<Tensor> values;
    RK_RETURN_IF_ERROR(session_->Run({}, reads_, {}, &values));
    state_.weights.clear();
    for (const Tensor& value : values) {
      const auto flat = value.flat<float>();
      state_.weights.insert(state_.weights.end(), flat.data(),
                            flat.data() + flat.size());
    }
    if (strategy_.is_chief()) WriteState(state_, flags_.state_file);
    return absl::OkStatus();
  }

  void DieIfAsked() const {
    const std::string die = flags_.Get("--die", "");
    if (die.empty()) return;
    const std::vector<std::string> parts = absl::StrSplit(die, ',');
    const bool now = parts.at(0) == absl::StrCat(strategy_.worker()) &&
                     parts.at(1) == absl::StrCat(state_.step);
    if (!now || std::ifstream(parts.at(2)).good()) return;
    std::ofstream(parts.at(2)) << state_.step;
    kill(getpid(), SIGKILL);
  }

  const Flags& flags_;
  const Strategy& strategy_;
  Scope root_;
  std::vector<std::unique_ptr<StepGraph>> replicas_;
  tensorflow::CallableOptions step_;
  std::vector<std::string> values_;   // fed by a restore
  std::vector<std::string> assigns_;  // which then run
  std::vector<std::string> reads_;    // of the first replica
  std::unique_ptr<tensorflow::Session> session_;
  tensorflow::Session::CallableHandle run_step_ = 0;
  State state_;
  std::vector<Tensor> losses_;
};

absl::Status Run(const Flags& flags) {
  RuntimeConfig runtime;
  runtime.num_virtual_cpus = flags.virtual_cpus;
  const char* tf_config = std::getenv("TF_CONFIG");
  StrategyOptions options;
  options.worker_timeout =
      absl::Seconds(std::stod(flags.Get("--worker_timeout", "60")));
  RK_ASSIGN_OR_RETURN(
      const std::unique_ptr<Strategy> strategy,
      MakeStrategy(runtime, tf_config == nullptr ? "" : tf_config, options));
  std::cout << strategy->Description() << std::endl;
  TinyTrainer trainer(flags, *strategy);
  RK_RETURN_IF_ERROR(trainer.Train());
  std::cout << "loss: " << trainer.loss()
            << "\nweights: " << absl::StrJoin(trainer.state().weights, " ")
            << std::endl;
  return strategy->Finish();
}

Flags ParseFlags(const std::vector<std::string>& arguments) {
  Flags flags{.state_file = arguments.at(0),
              .steps = std::stoll(arguments.at(1)),
              .virtual_cpus = std::stoll(arguments.at(2)),
              .named = {}};
  for (size_t i = 3; i < arguments.size(); ++i) {
    flags.named.insert(absl::StrSplit(arguments[i], absl::MaxSplits('=', 1)));
  }
  return flags;
}

int Main(const std::vector<std::string>& argv) {
  const Flags flags = ParseFlags({argv.begin() + 1, argv.end()});
  if (flags.named.contains("--workers")) {
    LocalWorkers job{.argv = {}};
    for (const std::string& argument : argv) {
      if (!argument.starts_with("--workers=")) job.argv.push_back(argument);
    }
    job.workers = std::stoi(flags.Get("--workers", ""));
    job.restarts = std::stoi(flags.Get("--restarts", "3"));
    const absl::StatusOr<int> ended = RunLocalWorkers(job);
    if (ended.ok()) return *ended;
    std::cout << ended.status() << std::endl;
    return kExitTryAgain;
  }
  const absl::Status trained = Run(flags);
  if (trained.ok()) return 0;
  std::cout << trained << std::endl;
  return absl::IsUnavailable(trained) ? kExitTryAgain : 1;
}

}  // namespace
}  // namespace rekindle

int main(int argc, char** argv) {
  _exit(rekindle::Main(std::vector<std::string>(argv, argv + argc)));
}
