// Internal to component/input.
#ifndef REKINDLE_COMPONENT_INPUT_BATCH_GATHERER_H_
#define REKINDLE_COMPONENT_INPUT_BATCH_GATHERER_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "component/features/feature_spec.h"
#include "component/features/row_packer.h"
#include "component/input/chunk.h"
#include "rekindle/training/dataset.h"
#include "tensorflow/core/framework/tensor.h"

namespace rekindle {

// One example of packed rows. Not owned.
struct RowRef {
  const PackedRows* rows = nullptr;
  size_t row = 0;
};

// Puts `rows` into `batch`, as BatchTensors(features) says. Memory of `batch`
// that no one else uses is used again.
void GatherRows(const FeatureSpec& features, std::span<const RowRef> rows,
                Batch* batch);

// Puts the records of `examples` into `batch`, one string tensor.
void GatherRecords(std::span<const ExampleRef> examples, Batch* batch);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_INPUT_BATCH_GATHERER_H_
