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
#include "tensorflow/core/framework/tensor_shape.h"

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
  explicit GraphBuilder(const tensorflow::Scope& scope,
                        std::string prefix = "");

  const tensorflow::Scope& scope() const { return scope_; }

  // Adds a variable's handle. The variable of a session that it stands for is
  // named `prefix` + its name, or + `stored_as`; whoever opens the session
  // gives it a value.
  void AddVariable(const VariableSpec& spec, const std::string& stored_as = "");

  // The handle of a variable; one that was not added is the scope's error.
  tensorflow::Output Handle(const std::string& variable) const;

  // The shape of a variable; one that was not added is the scope's error.
  tensorflow::TensorShape ShapeOf(const std::string& variable) const;

  // The value of a variable, as it is before the step.
  tensorflow::Output Read(const std::string& variable);

  // The rows `ids` of a variable. Only they are read, and only they have a
  // gradient: the way to use a large table.
  tensorflow::Output Gather(const std::string& variable,
                            const tensorflow::Output& ids);

  // Adds the gradients of `loss` by every trainable variable that was read or
  // gathered so far and that the loss depends on, one for each, in the order in
  // which the variables were added. It has rows when the variable was only
  // gathered.
  std::vector<Gradient> Gradients(const tensorflow::Output& loss);

 private:
  // A place where the graph uses a variable; without `ids` it reads the whole.
  struct Use {
    std::string variable;
    tensorflow::Output value;
    std::optional<tensorflow::Output> ids;
  };
  struct UseGradient {
    Use use;
    tensorflow::Output value;
  };

  std::vector<Use> TrainableUsesBehind(const tensorflow::Output& loss) const;
  Gradient Join(const VariableSpec& variable,
                const std::vector<UseGradient>& parts) const;
  Gradient JoinRows(const VariableSpec& variable,
                    const std::vector<UseGradient>& parts) const;
  Gradient JoinDense(const VariableSpec& variable,
                     const std::vector<UseGradient>& parts) const;

  tensorflow::Scope scope_;
  const std::string prefix_;
  std::vector<VariableSpec> variables_;  // in the order they were added
  std::map<std::string, tensorflow::Output> handles_;
  std::map<std::string, tensorflow::Output> reads_;
  std::vector<Use> uses_;
};

}  // namespace rekindle

#endif  // REKINDLE_TRAINING_GRAPH_BUILDER_H_
