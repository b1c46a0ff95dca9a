#ifndef REKINDLE_COMPONENT_TASKS_TABULAR_MODEL_H_
#define REKINDLE_COMPONENT_TASKS_TABULAR_MODEL_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "component/features/feature_spec.h"
#include "rekindle/training/graph_builder.h"
#include "rekindle/training/model.h"
#include "rekindle/training/serving_graph.h"
#include "rekindle/training/signature.h"
#include "rekindle/training/tensors.h"
#include "rekindle/training/variable.h"
#include "tensorflow/cc/framework/ops.h"

namespace rekindle {

// The shape of a tabular model. A plain value.
struct TabularArchitecture {
  std::vector<int64_t> hidden_units = {16, 16};  // none: a linear model
  // A weight for each id of each categorical feature, beside the network.
  bool wide = false;
  // Of categorical features that do not say it themselves. 0: one-hot where
  // there are few ids, else a size that grows slowly with their number.
  int64_t embedding_dim = 0;
};

// Names of what the model puts out: of classes `logits` and `scores`
// (probabilities) [n, classes], of numbers `predictions` [n].
inline constexpr char kLogits[] = "logits";
inline constexpr char kScores[] = "scores";
inline constexpr char kPredictions[] = "predictions";

// Names of the numeric features' means and variances, [numeric_width].
inline constexpr char kMean[] = "normalization/mean";
inline constexpr char kVariance[] = "normalization/variance";

// A feed-forward network over the features of a table: numeric ones
// normalised, categorical ones one-hot or embedded, hidden layers with ReLU;
// with a linear part beside it if it is wide and deep. One output per class, or
// one number.
class TabularModel final : public Model {
 public:
  // `features` have a label.
  TabularModel(FeatureSpec features, const TabularArchitecture& architecture);

  const FeatureSpec& features() const { return features_; }

  const std::vector<VariableSpec>& variables() const override {
    return variables_;
  }
  // Weights by Glorot; means are 0 and variances 1.
  NamedTensors InitialValues(uint64_t seed) const override;
  NamedOutputs Call(GraphBuilder& graph, const NamedOutputs& inputs,
                    bool training) const override;
  double WorkPerExample() const override;
  VariableAxes axes() const override { return axes_; }
  // `serving_default` takes `examples`, serialized tf.Examples [n];
  // `serving_raw` takes the features by name. Both give `scores`, `classes`
  // (their names, the same in every row) and `predicted` (the best one's name
  // [n]), or `predictions`.
  std::map<std::string, ModelSignature> Signatures(
      ServingGraph& graph) const override;

  // What `serving_default` is here.
  ModelSignature ExamplesSignature(GraphBuilder& graph) const;

  // The same answers to a batch, for signatures of other inputs.
  std::map<std::string, SignatureTensor> Answers(
      GraphBuilder& graph, const NamedOutputs& batch) const;

 private:
  // How a categorical feature comes into the network.
  struct Table {
    const CategoricalFeature* feature = nullptr;
    int64_t dim = 0;  // 0: one-hot
  };

  int64_t outputs() const;
  void AddVariable(VariableSpec spec, std::vector<std::string> axes);
  void AddAxes();
  void AddTables();
  void AddLayers();
  std::string LayerName(size_t index) const;
  tensorflow::Output DeepInput(GraphBuilder& graph,
                               const NamedOutputs& inputs) const;
  tensorflow::Output Deep(GraphBuilder& graph, tensorflow::Output layer) const;
  tensorflow::Output WithWide(GraphBuilder& graph, const NamedOutputs& inputs,
                              const tensorflow::Output& deep) const;

  const FeatureSpec features_;
  const TabularArchitecture architecture_;
  std::vector<Table> tables_;  // categorical, then multivalent
  std::vector<VariableSpec> variables_;
  VariableAxes axes_;
};

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_TASKS_TABULAR_MODEL_H_
