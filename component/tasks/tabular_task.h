#ifndef REKINDLE_COMPONENT_TASKS_TABULAR_TASK_H_
#define REKINDLE_COMPONENT_TASKS_TABULAR_TASK_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "component/features/feature_spec.h"
#include "component/tasks/tabular_config.h"
#include "component/transform/transform_graph.h"
#include "rekindle/training/task.h"

namespace rekindle {

// Learns a feature of a table from the others: a class (mean cross entropy;
// accuracy, AUC, precision, recall, each class's) or a number (mean squared
// error; MAE).
class TabularTask : public Task {
 public:
  // Reads the schema; with config.transform_graph_path that of transformed
  // examples, and the transform graph. `config` is not owned and must outlive
  // the task.
  //
  //   what ReadSchemaFeatures and ReadTransformGraph answer
  //   INVALID_ARGUMENT  a feature is not an output of the transform graph, or
  //                     is computed from the label
  static absl::StatusOr<std::unique_ptr<Task>> Make(const TabularConfig& config,
                                                    LabelUse label_use,
                                                    int64_t seed);

  absl::StatusOr<std::unique_ptr<Dataset>> BuildInputs(
      const DataConfig& data, const InputContext& context) override;
  absl::StatusOr<std::unique_ptr<Model>> BuildModel() override;
  tensorflow::Output BuildLosses(const tensorflow::Scope& scope,
                                 const NamedOutputs& inputs,
                                 const NamedOutputs& model_outputs) override;
  std::vector<std::unique_ptr<Metric>> BuildMetrics(bool training) override;
  // Measures mean and variance of the numeric features before.
  absl::Status Initialize(const Model& model, NamedTensors* values,
                          RestoreReport* report) override;
  std::vector<std::string> Notes() const override { return features_.notes; }
  const TaskConfig& config() const override { return config_; }

 protected:
  // `transform` may be null.
  TabularTask(const TabularConfig& config, SchemaFeatures features,
              std::shared_ptr<const TransformGraph> transform, int64_t seed);

 private:
  const TabularConfig& config_;
  const SchemaFeatures features_;
  const std::shared_ptr<const TransformGraph> transform_;  // null: none
  const int64_t seed_;
};

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_TASKS_TABULAR_TASK_H_
