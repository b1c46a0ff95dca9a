#ifndef REKINDLE_COMPONENT_TRAINING_MODEL_PROBE_H_
#define REKINDLE_COMPONENT_TRAINING_MODEL_PROBE_H_

#include <string>

#include "absl/status/status.h"

namespace rekindle {

// Tries a SavedModel that somebody else wrote, as a server would use it: it
// loads, has a serving_default, and answers the first examples of the files
// that match `pattern` with finite numbers. A model that does not take
// serialized tf.Examples is not asked.
//
//   NOT_FOUND         there is no SavedModel, or it has no serving_default
//   DATA_LOSS         the model does not load, or an examples file is damaged
//   INVALID_ARGUMENT  the model refuses the examples, or an answer is not
//   finite
absl::Status ProbeModel(const std::string& folder, const std::string& pattern);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_TRAINING_MODEL_PROBE_H_
