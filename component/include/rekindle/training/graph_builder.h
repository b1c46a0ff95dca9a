#ifndef REKINDLE_TRAINING_GRAPH_BUILDER_H_
#define REKINDLE_TRAINING_GRAPH_BUILDER_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "rekindle/training/tensors.h"
#include "rekindle/training/variable.h"
#include "tensorflow/cc/framework/ops.h"
#include "tensorflow/cc/framework/scope.h"

namespace rekindle {

// How a loss changes with one variable. A plain value.
struct Gradient {
  std::string variable;
  // Of the variable's shape; or, without `rows`, of each of `rows`: row i of
  // `value` belongs to row rows[i] of the variable. A row may occur twice, its
  // values are then to be added.
  tensorflow::Output value;
  std::optional<tensorflow::Output> rows;
};

// One replica's view of a graph under construction: the scope to add nodes to,
// and the variables, which are this replica's own. Errors are kept in the
// scope, as everywhere in TensorFlow's C++ API. Thread-compatible.
class GraphBuilder {
 public:
  // `prefix` goes before the names of the variables in the graph, and keeps
  // those of several replicas apart.
  explicit GraphBuilder(tensorflow::Scope scope, std::string prefix = "");

  const tensorflow::Scope& scope() const { return scope_; }

  // Adds a variable. What it is called here is another one in the session, if
  // `stored_as` names that.
  void AddVariable(const VariableSpec& spec, const std::string& stored_as = "");

  // The handle of a variable; it must have been added.
  tensorflow::Output Handle(const std::string& variable) const;

  // The value of a variable, as it is before the step.
  tensorflow::Output Read(const std::string& variable);

  // The rows `ids` of a variable. Only they are read, and only they have a
  // gradient: the way to use a large table.
  tensorflow::Output Gather(const std::string& variable,
                            const tensorflow::Output& ids);

  // Adds the gradients of `loss` by every trainable variable that was read or
  // gathered so far and that the loss depends on, in the order in which they
  // were added.
  std::vector<Gradient> Gradients(const tensorflow::Output& loss);

 private:
  struct Gathered {
    std::string variable;
    tensorflow::Output ids;
    tensorflow::Output rows;
  };

  Gradient GradientOf(const VariableSpec& spec,
                      const std::map<std::string, tensorflow::Output>& dense,
                      const std::vector<tensorflow::Output>& sparse);

  tensorflow::Scope scope_;
  const std::string prefix_;
  std::vector<VariableSpec> variables_;
  std::map<std::string, tensorflow::Output> handles_;
  std::map<std::string, tensorflow::Output> reads_;
  std::vector<Gathered> gathered_;
};

}  // namespace rekindle

#endif  // REKINDLE_TRAINING_GRAPH_BUILDER_H_
