#ifndef REKINDLE_TRAINING_SIGNATURE_H_
#define REKINDLE_TRAINING_SIGNATURE_H_

#include <map>
#include <string>

#include "tensorflow/cc/framework/ops.h"
#include "tensorflow/core/framework/tensor_shape.h"

namespace rekindle {

// Names of signatures: the one that servers ask by default, and the one that
// takes transformed examples where that takes raw ones.
inline constexpr char kServingDefault[] = "serving_default";
inline constexpr char kServingTransformed[] = "serving_transformed";

// A tensor of the graph that a signature names.
struct SignatureTensor {
  tensorflow::Output output;
  tensorflow::PartialTensorShape shape;
};

// A function that a SavedModel offers: named inputs and outputs of its graph.
struct ModelSignature {
  std::string method_name = "tensorflow/serving/predict";
  std::map<std::string, SignatureTensor> inputs;
  std::map<std::string, SignatureTensor> outputs;
};

}  // namespace rekindle

#endif  // REKINDLE_TRAINING_SIGNATURE_H_
