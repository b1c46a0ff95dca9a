// Internal to component/tasks.
#ifndef REKINDLE_COMPONENT_TASKS_JOIN_COLUMNS_H_
#define REKINDLE_COMPONENT_TASKS_JOIN_COLUMNS_H_

#include <vector>

#include "tensorflow/cc/framework/ops.h"
#include "tensorflow/cc/framework/scope.h"
#include "tensorflow/cc/ops/array_ops.h"

namespace rekindle {

// Matrices with as many rows each, side by side. TensorFlow's own operation
// does not take a single one.
inline tensorflow::Output JoinColumns(
    const tensorflow::Scope& scope,
    const std::vector<tensorflow::Output>& parts) {
  if (parts.size() == 1) return parts[0];
  return tensorflow::ops::Concat(scope, parts, 1);
}

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_TASKS_JOIN_COLUMNS_H_
