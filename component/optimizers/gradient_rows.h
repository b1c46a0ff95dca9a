#ifndef REKINDLE_COMPONENT_OPTIMIZERS_GRADIENT_ROWS_H_
#define REKINDLE_COMPONENT_OPTIMIZERS_GRADIENT_ROWS_H_

#include "rekindle/training/graph_builder.h"

namespace rekindle {

// The same gradient without rows: of the variable's shape.
Gradient ToDense(const GraphBuilder& graph, const Gradient& gradient);

// The same gradient with each of its rows once. One without rows stays as it
// is.
Gradient WithUniqueRows(const GraphBuilder& graph, const Gradient& gradient);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_OPTIMIZERS_GRADIENT_ROWS_H_
