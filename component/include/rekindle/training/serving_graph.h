#ifndef REKINDLE_TRAINING_SERVING_GRAPH_H_
#define REKINDLE_TRAINING_SERVING_GRAPH_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "rekindle/training/graph_builder.h"
#include "tensorflow/cc/framework/ops.h"
#include "tensorflow/core/framework/tensor.h"

namespace rekindle {

// A file that a graph reads when it is initialised.
struct AssetFile {
  tensorflow::Output path;  // a string scalar, fed with where the copy is
  std::string file;         // what is copied
};

// A variable beside those that were trained.
struct FixedVariable {
  tensorflow::Output handle;  // its VarHandleOp
  tensorflow::Tensor value;
};

// The graph of a SavedModel, while a model adds its signatures to it. What they
// need beside the model's variables, tables of words above all, is said here.
class ServingGraph : public GraphBuilder {
 public:
  using GraphBuilder::GraphBuilder;

  // The SavedModel gets a copy of the file. Names of files must differ.
  void AddAsset(AssetFile asset) { assets_.push_back(std::move(asset)); }
  const std::vector<AssetFile>& assets() const { return assets_; }

  // Runs once when the SavedModel is loaded, when variables and assets are in
  // place.
  void AddInitializer(const tensorflow::Operation& operation) {
    initializers_.push_back(operation);
  }
  const std::vector<tensorflow::Operation>& initializers() const {
    return initializers_;
  }

  // The SavedModel keeps its value under `name`.
  void AddFixedVariable(const std::string& name, FixedVariable variable) {
    fixed_variables_.insert_or_assign(name, std::move(variable));
  }
  const std::map<std::string, FixedVariable>& fixed_variables() const {
    return fixed_variables_;
  }

 private:
  std::vector<AssetFile> assets_;
  std::vector<tensorflow::Operation> initializers_;
  std::map<std::string, FixedVariable> fixed_variables_;
};

}  // namespace rekindle

#endif  // REKINDLE_TRAINING_SERVING_GRAPH_H_
