// Internal to component/input.
#ifndef REKINDLE_COMPONENT_INPUT_INPUT_PLAN_H_
#define REKINDLE_COMPONENT_INPUT_INPUT_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "component/features/feature_spec.h"
#include "component/input/epoch_order.h"
#include "rekindle/training/dataset.h"
#include "rekindle/training/experiment_config.h"

namespace rekindle {

// What a stream does, decided and checked. A plain value.
struct InputPlan {
  std::vector<std::string> files;
  OrderOptions order;
  bool repeat = false;
  bool drop_remainder = false;
  // Of every `batch` examples this worker gives those from `first` on, in
  // `slices` slices of `slice`.
  int64_t batch = 0;
  int64_t first = 0;
  int64_t slices = 0;
  int64_t slice = 0;
  std::optional<FeatureSpec> features;  // none: serialized examples
  size_t cache_budget = 0;              // bytes; 0: no cache
  int64_t prefetch = 0;                 // batches
  int threads = 1;

  // Every example is given by this worker.
  bool gives_all() const { return slices * slice == batch; }
};

// Errors as OpenExampleStream.
absl::StatusOr<InputPlan> MakeInputPlan(
    const DataConfig& data, const std::optional<FeatureSpec>& features,
    const InputContext& context, uint64_t seed);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_INPUT_INPUT_PLAN_H_
