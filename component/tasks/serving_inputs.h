// Internal to component/tasks.
#ifndef REKINDLE_COMPONENT_TASKS_SERVING_INPUTS_H_
#define REKINDLE_COMPONENT_TASKS_SERVING_INPUTS_H_

#include "component/io/columns.h"
#include "component/tasks/tabular_classifier.h"
#include "tensorflow/cc/framework/ops.h"
#include "tensorflow/cc/framework/scope.h"

namespace rekindle {

// Adds nodes that parse `serialized`, tf.Examples [n], inside the graph, and
// give what the training reader gives for the same examples.
ModelInputs ParseInGraph(const tensorflow::Scope& scope, const Columns& columns,
                         const tensorflow::Output& serialized);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_TASKS_SERVING_INPUTS_H_
