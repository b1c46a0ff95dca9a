#ifndef REKINDLE_COMPONENT_TASKS_TABULAR_CONFIG_H_
#define REKINDLE_COMPONENT_TASKS_TABULAR_CONFIG_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "component/features/schema_features.h"
#include "component/tasks/tabular_model.h"
#include "rekindle/training/config.h"
#include "rekindle/training/experiment_config.h"

namespace rekindle {

// What a user says about one feature beside the schema.
struct TabularFeatureConfig : Config {
  FeatureConfig feature;

  void Describe(ConfigFields& fields) override;
};

// A network of fully connected layers.
struct DnnConfig : Config {
  std::vector<int64_t> hidden_units = {16, 16};
  int64_t embedding_dim = 0;

  void Describe(ConfigFields& fields) override;
};

// Which network: type is dnn or wide_deep.
struct TabularModelConfig : Config {
  std::string type = "dnn";
  DnnConfig dnn;
  DnnConfig wide_deep;

  void Describe(ConfigFields& fields) override;

  TabularArchitecture Architecture() const;
};

// A tabular task, of classes or of numbers. It needs schema_path, or
// transform_graph_path, which has a schema of its own.
struct TabularConfig : TaskConfig {
  std::string label_key;  // required: the feature to learn
  int64_t num_classes = 0;
  TabularModelConfig model;
  std::map<std::string, TabularFeatureConfig> features;
  int64_t default_hash_buckets = 0;

  void Describe(ConfigFields& fields) override;
  absl::Status Validate() const override;

  FeatureOptions Features(LabelUse label_use) const;
};

struct TabularClassificationConfig final : TabularConfig {};
struct TabularRegressionConfig final : TabularConfig {};

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_TASKS_TABULAR_CONFIG_H_
