// A task of one's own: fits a line through points. With its experiment
// `line/fit` it is all that a module needs; rekindle-trainer brings the rest:
// the loop, optimizers, checkpoints, summaries, strategies and the export.
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "points.h"
#include "rekindle/training/config.h"
#include "rekindle/training/experiment.h"
#include "rekindle/training/experiment_config.h"
#include "rekindle/training/metrics.h"
#include "rekindle/training/model.h"
#include "rekindle/training/module.h"
#include "rekindle/training/task.h"
#include "rekindle/training/task_registry.h"
#include "tensorflow/cc/ops/array_ops.h"
#include "tensorflow/cc/ops/math_ops.h"

REKINDLE_MODULE();

namespace line {
namespace {

namespace ops = ::tensorflow::ops;
using ::rekindle::GraphBuilder;
using ::rekindle::NamedOutputs;
using ::rekindle::NamedTensors;
using ::tensorflow::Output;
using ::tensorflow::Scope;
using ::tensorflow::Tensor;
using ::tensorflow::TensorShape;

// What a user can set: task.noise, beside what every task has.
struct LineConfig final : rekindle::TaskConfig {
  double noise = 0.1;

  void Describe(rekindle::ConfigFields& fields) override {
    TaskConfig::Describe(fields);
    fields.Add("noise", &noise, "largest error of a point").AtLeast(0);
  }
};

// y = x kernel + bias
class LineModel final : public rekindle::Model {
 public:
  const std::vector<rekindle::VariableSpec>& variables() const override {
    return variables_;
  }

  NamedTensors InitialValues(uint64_t /*seed*/) const override {
    NamedTensors values;
    for (const rekindle::VariableSpec& variable : variables_) {
      Tensor zeros(tensorflow::DT_FLOAT, variable.shape);
      zeros.flat<float>().setZero();
      values[variable.name] = zeros;
    }
    return values;
  }

  NamedOutputs Call(GraphBuilder& graph, const NamedOutputs& inputs,
                    bool /*training*/) const override {
    const Scope& scope = graph.scope();
    const Output product =
        ops::MatMul(scope, inputs.at("x"), graph.Read("kernel"));
    const Output sum = ops::Add(scope, product, graph.Read("bias"));
    return {{"predictions", ops::Squeeze(scope, sum, ops::Squeeze::Axis({1}))}};
  }

  std::map<std::string, rekindle::ModelSignature> Signatures(
      rekindle::ServingGraph& graph) const override {
    const Output x =
        ops::Placeholder(graph.scope().WithOpName("x"), tensorflow::DT_FLOAT,
                         ops::Placeholder::Shape({-1, 2}));
    const Output y = Call(graph, {{"x", x}}, false).at("predictions");
    rekindle::ModelSignature signature;
    signature.inputs["x"] = {x, {-1, 2}};
    signature.outputs["predictions"] = {y, {-1}};
    return {{"serving_default", signature}};
  }

 private:
  const std::vector<rekindle::VariableSpec> variables_ = {
      {.name = "kernel", .shape = TensorShape({2, 1})},
      {.name = "bias", .shape = TensorShape({1})}};
};

class LineTask final : public rekindle::Task {
 public:
  LineTask(const LineConfig& config, int64_t seed)
      : config_(config), seed_(seed) {}

  absl::StatusOr<std::unique_ptr<rekindle::Dataset>> BuildInputs(
      const rekindle::DataConfig& data,
      const rekindle::InputContext& context) override {
    PointsOptions options;
    options.batch_size = data.global_batch_size;
    options.points = data.is_training ? 0 : 10 * data.global_batch_size;
    options.noise = config_.noise;
    options.seed = static_cast<uint64_t>(seed_) + (data.is_training ? 0 : 1);
    return MakePoints(options, context);
  }

  absl::StatusOr<std::unique_ptr<rekindle::Model>> BuildModel() override {
    return std::make_unique<LineModel>();
  }

  Output BuildLosses(const Scope& scope, const NamedOutputs& inputs,
                     const NamedOutputs& model_outputs) override {
    const Output error =
        ops::Sub(scope, model_outputs.at("predictions"), inputs.at("y"));
    return ops::Mean(scope, ops::Square(scope, error), {0});
  }

  std::vector<std::unique_ptr<rekindle::Metric>> BuildMetrics(
      bool /*training*/) override {
    std::vector<std::unique_ptr<rekindle::Metric>> metrics;
    metrics.push_back(rekindle::MakeMeanAbsoluteError(
        {.label = "y", .prediction = "predictions"}));
    return metrics;
  }

  const rekindle::TaskConfig& config() const override { return config_; }

 private:
  const LineConfig& config_;
  const int64_t seed_;
};

std::unique_ptr<rekindle::ExperimentConfig> MakeExperiment() {
  auto config = std::make_unique<rekindle::ExperimentConfig>();
  auto task = std::make_unique<LineConfig>();
  task->train_data.is_training = true;
  task->train_data.global_batch_size = 32;
  task->validation_data.global_batch_size = 32;
  config->task = std::move(task);
  config->trainer.train_steps = 300;
  config->trainer.steps_per_loop = 100;
  config->trainer.summary_interval = 100;
  auto& optimization = config->trainer.optimizer_config;
  optimization.optimizer.type = "sgd";
  optimization.learning_rate.type = "constant";
  optimization.learning_rate.constant.learning_rate = 0.1;
  return config;
}

const bool task_registered = rekindle::RegisterTask<LineConfig>(
    [](const LineConfig& config, const rekindle::TaskContext& context)
        -> absl::StatusOr<std::unique_ptr<rekindle::Task>> {
      return std::make_unique<LineTask>(config, context.seed);
    });

const bool experiment_registered = rekindle::RegisterExperiment(
    "line/fit", {.make = MakeExperiment, .short_names = {}});

}  // namespace
}  // namespace line
