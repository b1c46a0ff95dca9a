#include "component/tasks/tabular_experiments.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "component/features/schema_features.h"
#include "component/tasks/penguin_data.h"
#include "component/tasks/tabular_config.h"
#include "component/tasks/tabular_task.h"
#include "rekindle/training/experiment.h"
#include "rekindle/training/task_registry.h"

namespace rekindle {
namespace {

// Settings of the penguins' experiment, which need no files.
struct PenguinConfig final : TabularConfig {
  void Describe(ConfigFields& fields) override {
    TabularConfig::Describe(fields);
    fields.Add("schema_path", &schema_path, "empty: the penguins' own");
  }
  absl::Status Validate() const override { return absl::OkStatus(); }
};

// The tabular task on penguins, which it writes into the run's folder.
class PenguinTask final : public TabularTask {
 public:
  static absl::StatusOr<std::unique_ptr<Task>> Make(
      const PenguinConfig& config, const TaskContext& context) {
    if (!config.transform_graph_path.empty()) {
      return absl::InvalidArgumentError(
          "task.transform_graph_path is set, but penguin/local brings its own "
          "examples; tabular/classification takes those that were "
          "transformed");
    }
    RK_ASSIGN_OR_RETURN(
        const PenguinFiles files,
        WritePenguins(absl::StrCat(context.logging_dir, "/penguins")));
    auto own = std::make_unique<PenguinConfig>(config);
    own->schema_path = files.schema;
    own->train_data.input_path = {files.train};
    own->validation_data.input_path = {files.eval};
    RK_ASSIGN_OR_RETURN(
        SchemaFeatures features,
        ReadSchemaFeatures(files.schema, own->Features(LabelUse::kClass)));
    return std::unique_ptr<Task>(
        new PenguinTask(std::move(own), std::move(features), context.seed));
  }

 private:
  PenguinTask(std::unique_ptr<PenguinConfig> config, SchemaFeatures features,
              int64_t seed)
      : TabularTask(*config, std::move(features), /*transform=*/nullptr, seed),
        config_(std::move(config)) {}

  const std::unique_ptr<PenguinConfig> config_;
};

std::unique_ptr<ExperimentConfig> MakeExperiment(
    std::unique_ptr<TabularConfig> task) {
  auto config = std::make_unique<ExperimentConfig>();
  task->train_data.is_training = true;
  task->train_data.global_batch_size = 32;
  task->train_data.shuffle_buffer_size = 10'000;
  task->validation_data.global_batch_size = 32;
  task->validation_data.drop_remainder = false;
  config->task = std::move(task);
  TrainerConfig& trainer = config->trainer;
  trainer.train_steps = 500;
  trainer.steps_per_loop = 100;
  trainer.summary_interval = 100;
  trainer.max_to_keep = 3;
  trainer.optimizer_config.optimizer.type = "adam";
  trainer.optimizer_config.learning_rate.type = "constant";
  trainer.optimizer_config.learning_rate.constant.learning_rate = 0.003;
  return config;
}

template <typename TaskConfigT>
Experiment TabularExperiment() {
  return {
      .make = [] { return MakeExperiment(std::make_unique<TaskConfigT>()); },
      .short_names = {{"label_key", {"task.label_key"}},
                      {"hidden_units",
                       {"task.model.dnn.hidden_units",
                        "task.model.wide_deep.hidden_units"}},
                      {"embedding_dim",
                       {"task.model.dnn.embedding_dim",
                        "task.model.wide_deep.embedding_dim"}},
                      {"model", {"task.model.type"}}}};
}

template <typename TaskConfigT>
void RegisterTabular(const std::string& name, LabelUse label_use) {
  RegisterTask<TaskConfigT>(
      [label_use](const TaskConfigT& config, const TaskContext& context) {
        return TabularTask::Make(config, label_use, context.seed);
      });
  RegisterExperiment(name, TabularExperiment<TaskConfigT>());
}

bool RegisterAll() {
  RegisterTabular<TabularClassificationConfig>("tabular/classification",
                                               LabelUse::kClass);
  RegisterTabular<TabularRegressionConfig>("tabular/regression",
                                           LabelUse::kNumber);
  RegisterTask<PenguinConfig>(&PenguinTask::Make);
  Experiment penguins = TabularExperiment<PenguinConfig>();
  penguins.make = [] {
    auto task = std::make_unique<PenguinConfig>();
    task->label_key = "species";
    return MakeExperiment(std::move(task));
  };
  RegisterExperiment("penguin/local", std::move(penguins));
  return true;
}

}  // namespace

void RegisterTabularExperiments() {
  [[maybe_unused]] static const bool registered = RegisterAll();
}

}  // namespace rekindle
