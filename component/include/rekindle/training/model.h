#ifndef REKINDLE_TRAINING_MODEL_H_
#define REKINDLE_TRAINING_MODEL_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "rekindle/training/graph_builder.h"
#include "rekindle/training/serving_graph.h"
#include "rekindle/training/signature.h"
#include "rekindle/training/tensors.h"
#include "rekindle/training/variable.h"

namespace rekindle {

// A network: which variables it has, and how to add it to a graph. It holds no
// values, those live in a session. Thread-safe: it never changes.
class Model {
 public:
  virtual ~Model() = default;

  virtual const std::vector<VariableSpec>& variables() const = 0;

  // The values of a cold start, of every variable. Depends on `seed` only.
  virtual NamedTensors InitialValues(uint64_t seed) const = 0;

  // Adds the network behind `inputs`, a batch's tensors by name; returns what
  // it puts out by name. Errors are kept in the graph's scope.
  virtual NamedOutputs Call(GraphBuilder& graph, const NamedOutputs& inputs,
                            bool training) const = 0;

  // About how many multiplications an example takes. By default one for each
  // weight; of a large table only the rows that an example uses count.
  virtual double WorkPerExample() const {
    double weights = 0;
    for (const VariableSpec& variable : variables()) {
      weights += static_cast<double>(variable.shape.num_elements());
    }
    return weights;
  }

  // What the rows of the variables stand for; a warm start compares it.
  virtual VariableAxes axes() const { return {}; }

  // What a SavedModel of it offers, by name, added to `graph`. None: it cannot
  // be exported.
  virtual std::map<std::string, ModelSignature> Signatures(
      ServingGraph& /*graph*/) const {
    return {};
  }

  // The signature that takes examples as training reads them; an export is
  // tried with it.
  virtual std::string TrainedSignature() const { return kServingDefault; }

  // Where that is another, some examples that `serving_default` can parse.
  virtual std::vector<std::string> ServingExamples() const { return {}; }
};

}  // namespace rekindle

#endif  // REKINDLE_TRAINING_MODEL_H_
