#ifndef REKINDLE_COMPONENT_TRAINING_PREDICTOR_H_
#define REKINDLE_COMPONENT_TRAINING_PREDICTOR_H_

#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "component/io/tensor_bundle.h"

namespace rekindle {

// A SavedModel loaded in a session of its own, as a server would load it.
// Thread-compatible.
class Predictor {
 public:
  virtual ~Predictor() = default;

  // Runs the signature on serialized tf.Examples; returns its outputs by name,
  // one row per example.
  //
  //   INVALID_ARGUMENT  TensorFlow refuses the examples
  virtual absl::StatusOr<NamedTensors> Predict(
      const std::vector<std::string>& examples) = 0;
};

// Loads the SavedModel in `folder`. The signature must have one input, of
// strings.
//
//   NOT_FOUND         there is no SavedModel, or it has no such signature
//   INVALID_ARGUMENT  the signature does not take serialized examples
//   DATA_LOSS         the model does not load
absl::StatusOr<std::unique_ptr<Predictor>> LoadPredictor(
    const std::string& folder, const std::string& signature);

// Writes one line per example of the files that match `pattern` to `out`: a
// JSON object with the outputs of `predictor`.
//
//   NOT_FOUND         no file matches
//   DATA_LOSS         a file is damaged
//   INVALID_ARGUMENT  the model refuses an example
absl::Status PredictFiles(const std::string& pattern, Predictor& predictor,
                          std::ostream& out);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_TRAINING_PREDICTOR_H_
