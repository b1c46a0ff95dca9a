#ifndef REKINDLE_COMPONENT_IO_SAVED_MODEL_WRITER_H_
#define REKINDLE_COMPONENT_IO_SAVED_MODEL_WRITER_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "rekindle/training/serving_graph.h"
#include "rekindle/training/signature.h"
#include "tensorflow/cc/framework/ops.h"
#include "tensorflow/cc/framework/scope.h"
#include "tensorflow/core/framework/tensor.h"

namespace rekindle {

// A variable of the graph: its VarHandleOp, and the value to save.
struct ModelVariable {
  tensorflow::Output handle;
  tensorflow::Tensor value;
  bool trainable = true;
};

// Everything a SavedModel consists of. `scope` holds the graph.
struct SavedModelContents {
  tensorflow::Scope scope;
  std::map<std::string, ModelVariable> variables;
  std::map<std::string, ModelSignature> signatures;
  std::vector<AssetFile> assets = {};
  // Run once when it is loaded, when variables and assets are in place.
  std::vector<tensorflow::Operation> initializers = {};
};

// Writes a SavedModel into `folder`, which TensorFlow Serving, the C++ loader
// and Python's tf.saved_model.load read; its variables are restored by a saver
// in the graph (TensorFlow 1 style), so keras.models.load_model does not.
// Adds the saver's nodes to contents.scope. saved_model.pb is written last: a
// folder that has it is complete.
//
//   INVALID_ARGUMENT  two assets have the same file name
//   INTERNAL          the graph is not valid
//   NOT_FOUND         an asset's file is not there
//   UNAVAILABLE       the folder is full or not writable
absl::Status WriteSavedModel(const SavedModelContents& contents,
                             const std::string& folder);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_IO_SAVED_MODEL_WRITER_H_
