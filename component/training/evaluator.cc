#include "component/training/evaluator.h"

#include <algorithm>

#include "base/status_macros.h"

namespace rekindle {
namespace {

// Large enough that the cost per call disappears, small enough for the cache.
constexpr int64_t kBatchSize = 1024;

}  // namespace

absl::StatusOr<Evaluation> Evaluate(const ExampleDataset& data, int64_t limit,
                                    TrainingSession& session) {
  const int64_t examples = std::min(limit, data.size());
  double loss_sum = 0;
  int64_t correct = 0;
  for (int64_t first = 0; first < examples; first += kBatchSize) {
    const ExampleBatch batch =
        data.Slice(first, std::min(kBatchSize, examples - first));
    RK_ASSIGN_OR_RETURN(const BatchResult result, session.Evaluate(batch));
    loss_sum += result.loss_sum;
    correct += result.correct;
  }
  const auto count = static_cast<double>(examples);
  return Evaluation{.loss = loss_sum / count,
                    .accuracy = static_cast<double>(correct) / count,
                    .examples = examples};
}

}  // namespace rekindle
