#ifndef REKINDLE_COMPONENT_INPUT_EXAMPLE_STREAM_H_
#define REKINDLE_COMPONENT_INPUT_EXAMPLE_STREAM_H_

#include <cstdint>
#include <memory>
#include <optional>

#include "absl/status/statusor.h"
#include "component/features/feature_spec.h"
#include "rekindle/training/dataset.h"
#include "rekindle/training/experiment_config.h"

namespace rekindle {

// Opens the examples of `data` as a stream of batches: of the tensors that
// `features` make (BatchTensors), or without `features` of the serialized
// examples themselves, `examples` string [n]. Threads begin to read at once.
//
// With data.is_training the order of an epoch depends on the seed (data's own,
// else `seed`), the epoch, and the files alone: files are shuffled, read
// interleaved, and their examples shuffled by a buffer. Otherwise each example
// is given once, in the order of the files, interleaved.
//
//   NOT_FOUND         a pattern matches no file
//   INVALID_ARGUMENT  a setting is out of its range, or the batch cannot be cut
//                     into equal slices
//
// Next also answers INVALID_ARGUMENT when the files hold no example at all, and
// UNAVAILABLE when one cannot be read. An error stays until Seek.
absl::StatusOr<std::unique_ptr<Dataset>> OpenExampleStream(
    const DataConfig& data, const std::optional<FeatureSpec>& features,
    const InputContext& context, uint64_t seed);

struct InputPlan;

// Internal to component/input: the stream of a plan.
std::unique_ptr<Dataset> StreamOf(InputPlan plan);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_INPUT_EXAMPLE_STREAM_H_
