#ifndef REKINDLE_COMPONENT_TRAINING_MODEL_PROBE_H_
#define REKINDLE_COMPONENT_TRAINING_MODEL_PROBE_H_

#include <string>

#include "absl/status/status.h"

namespace rekindle {

// Which examples are at hand: those that a model serves, or those that a
// transform graph made of them for training.
enum class ExampleForm { kServed, kTransformed };

// Tries a SavedModel that somebody else wrote, as a server would use it: it
// loads, has a serving_default, and answers the first examples of the files
// that match `pattern` with finite numbers. A model that does not take
// serialized tf.Examples is not asked; nor is, with transformed examples, one
// that takes raw examples only, but it must load.
//
//   NOT_FOUND         there is no SavedModel, or it has no serving_default
//   DATA_LOSS         the model does not load, or an examples file is damaged
//   INVALID_ARGUMENT  the model refuses the examples, or an answer is not
//   finite
absl::Status ProbeModel(const std::string& folder, const std::string& pattern,
                        ExampleForm form = ExampleForm::kServed);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_TRAINING_MODEL_PROBE_H_
