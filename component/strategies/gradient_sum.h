// Internal to component/strategies.
#ifndef REKINDLE_COMPONENT_STRATEGIES_GRADIENT_SUM_H_
#define REKINDLE_COMPONENT_STRATEGIES_GRADIENT_SUM_H_

#include <vector>

#include "absl/status/statusor.h"
#include "rekindle/training/graph_builder.h"
#include "rekindle/training/step_graph.h"
#include "tensorflow/cc/framework/ops.h"
#include "tensorflow/cc/framework/scope.h"

namespace rekindle {

// The gradients of some replicas in one session, added up in `scope`; rows of
// tables are put one after the other. One replica's are returned as they are.
//
//   INTERNAL  the replicas differ, or nodes cannot be added
absl::StatusOr<std::vector<Gradient>> SumOverReplicas(
    const tensorflow::Scope& scope, const std::vector<StepGraph*>& replicas);

// The same over `workers` processes, each of which calls this and runs the step
// at the same time. All gradients travel as one vector, with `loss`, a scalar
// that is summed, too: rows of tables become whole tables first. `replica` is
// where the gradients are from.
//
//   INTERNAL  nodes cannot be added
absl::StatusOr<std::vector<Gradient>> SumOverWorkers(
    const tensorflow::Scope& scope, const StepGraph& replica,
    const std::vector<Gradient>& gradients, int workers,
    tensorflow::Output* loss);

// What these replicas add to the mean loss of all replicas of the step.
tensorflow::Output MeanLoss(const tensorflow::Scope& scope,
                            const std::vector<StepGraph*>& replicas);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_STRATEGIES_GRADIENT_SUM_H_
