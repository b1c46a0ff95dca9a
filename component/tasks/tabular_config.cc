#include "component/tasks/tabular_config.h"

namespace rekindle {

void TabularFeatureConfig::Describe(ConfigFields& fields) {
  fields.Add("ignore", &feature.ignore, "leave the feature out");
  fields.Add("vocabulary", &feature.vocabulary, "the values of a string");
  fields
      .Add("hash_buckets", &feature.hash_buckets,
           "ids by hash, of a string or an integer")
      .AtLeast(0);
  fields.Add("boundaries", &feature.boundaries,
             "cut a number into ranges, ascending");
  fields
      .Add("embedding_dim", &feature.embedding_dim,
           "0: one-hot where there are few values")
      .AtLeast(0);
  fields.Add("combiner", &feature.combiner, "of several values of an example")
      .AnyOf({"mean", "sum"});
}

void DnnConfig::Describe(ConfigFields& fields) {
  fields.Add("hidden_units", &hidden_units, "of each layer; none: linear")
      .AtLeast(1)
      .AtMost(1 << 16);
  fields
      .Add("embedding_dim", &embedding_dim,
           "of features that do not say it; 0: one-hot where there are few "
           "values")
      .AtLeast(0);
}

void TabularModelConfig::Describe(ConfigFields& fields) {
  fields.AddType(&type);
  fields.Add("dnn", &dnn, "hidden layers with ReLU");
  fields.Add("wide_deep", &wide_deep,
             "the same, and a weight for each categorical value beside it");
}

TabularArchitecture TabularModelConfig::Architecture() const {
  const bool wide = type == "wide_deep";
  const DnnConfig& chosen = wide ? wide_deep : dnn;
  return {.hidden_units = chosen.hidden_units,
          .wide = wide,
          .embedding_dim = chosen.embedding_dim};
}

void TabularConfig::Describe(ConfigFields& fields) {
  TaskConfig::Describe(fields);
  fields.Add("label_key", &label_key, "the feature to learn").NotEmpty();
  fields
      .Add("num_classes", &num_classes,
           "of an INT label that is 0 to num_classes - 1; 0: its domain says")
      .AtLeast(0)
      .AtMost(1 << 20);
  fields.Add("schema_path", &schema_path,
             "a Schema as text; needed unless there is a transform graph");
  fields.Add("model", &model);
  fields.Add("features", &features, "by name, beside the schema");
  fields
      .Add("default_hash_buckets", &default_hash_buckets,
           "for strings without a domain; 0: they are left out")
      .AtLeast(0);
}

absl::Status TabularConfig::Validate() const {
  if (!schema_path.empty() || !transform_graph_path.empty()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      "schema_path must be set: it says which features there are");
}

FeatureOptions TabularConfig::Features(LabelUse label_use) const {
  FeatureOptions options{
      .label_key = label_key,
      .label_use = label_use,
      .num_classes = num_classes,
      .features = {},
      .default_hash_buckets = default_hash_buckets,
      .shapeless_is_multivalent = !transform_graph_path.empty()};
  for (const auto& [feature_name, said] : features) {
    options.features[feature_name] = said.feature;
  }
  return options;
}

}  // namespace rekindle
