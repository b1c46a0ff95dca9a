#ifndef REKINDLE_COMPONENT_TASKS_TABULAR_CLASSIFIER_H_
#define REKINDLE_COMPONENT_TASKS_TABULAR_CLASSIFIER_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "component/io/columns.h"
#include "component/io/example_dataset.h"
#include "component/io/saved_model_writer.h"
#include "component/io/tensor_bundle.h"
#include "rekindle/training/variable.h"
#include "tensorflow/cc/framework/ops.h"
#include "tensorflow/cc/framework/scope.h"

namespace rekindle {

// What the network starts from, one row per example.
struct ModelInputs {
  // float [n, numeric columns], NaN: missing. Unset without numeric columns.
  tensorflow::Output numeric;
  // float [n, vocabulary], one per categorical column; all zero: missing.
  std::vector<tensorflow::Output> one_hot;
};

// A feed-forward network that classifies rows of a table: numeric features
// normalised, categorical ones one-hot, hidden layers with ReLU, one logit per
// class. It describes the network and adds it to graphs; it holds no values.
// Thread-safe: it never changes.
class TabularClassifier {
 public:
  TabularClassifier(Columns columns, std::vector<int64_t> hidden_units);

  const Columns& columns() const { return columns_; }
  const std::vector<VariableSpec>& variables() const { return variables_; }
  // What the rows of the variables stand for.
  const VariableAxes& axes() const { return axes_; }

  // The values of a cold start: weights by Glorot from `seed`, means and
  // variances of the numeric features from `train`.
  NamedTensors InitialValues(const ExampleDataset& train, uint64_t seed) const;

  // Adds what turns a batch's tensors (ExampleBatch) into inputs.
  ModelInputs BatchInputs(const tensorflow::Scope& scope,
                          const tensorflow::Output& numeric,
                          const tensorflow::Output& categorical) const;

  // Adds the network; returns logits [n, classes]. `values` are the variables'
  // values by name.
  tensorflow::Output Logits(
      const tensorflow::Scope& scope, const ModelInputs& inputs,
      const std::map<std::string, tensorflow::Output>& values) const;

  // The graph and signature of a SavedModel with the given values (which may
  // hold more than the model's variables):
  // `serving_default` takes `examples`, serialized tf.Examples [n], and gives
  // `scores` (probabilities [n, classes]), `classes` (their names, the same in
  // every row) and `predicted` (the best one's name [n]).
  SavedModelContents ServingModel(const NamedTensors& values) const;

 private:
  void AddVariable(VariableSpec spec, std::vector<std::string> axes);
  std::string LayerName(size_t index) const;
  tensorflow::Output Normalised(
      const tensorflow::Scope& scope, const tensorflow::Output& numeric,
      const std::map<std::string, tensorflow::Output>& values) const;
  std::map<std::string, SignatureTensor> Answers(
      const tensorflow::Scope& scope, const tensorflow::Output& logits) const;
  void SetNormalisation(const ExampleDataset& train,
                        NamedTensors* values) const;

  const Columns columns_;
  const std::vector<int64_t> hidden_units_;
  std::vector<VariableSpec> variables_;
  VariableAxes axes_;
};

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_TASKS_TABULAR_CLASSIFIER_H_
