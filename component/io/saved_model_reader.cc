#include "component/io/saved_model_reader.h"

#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "tensorflow/cc/saved_model/constants.h"
#include "tensorflow/core/protobuf/trackable_object_graph.pb.h"

namespace rekindle {
namespace {

using ::tensorflow::TrackableObjectGraph;

// Checkpoint key -> the name its writer gave the variable.
std::map<std::string, std::string> FullNames(
    const TrackableObjectGraph& graph) {
  std::map<std::string, std::string> names;
  for (const auto& node : graph.nodes()) {
    for (const auto& attribute : node.attributes()) {
      if (attribute.full_name().empty()) continue;
      names[attribute.checkpoint_key()] = attribute.full_name();
    }
  }
  return names;
}

// Object graphs hold some variables twice, under different keys.
bool SameValue(const tensorflow::Tensor& a, const tensorflow::Tensor& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() &&
         a.tensor_data() == b.tensor_data();
}

// The tensors under the names in the object graph instead of their keys.
NamedTensors Renamed(const NamedTensors& tensors,
                     const TrackableObjectGraph& graph) {
  NamedTensors renamed;
  std::set<std::string> ambiguous;
  for (const auto& [key, name] : FullNames(graph)) {
    const auto found = tensors.find(key);
    if (found == tensors.end()) continue;
    const auto [first, added] = renamed.emplace(name, found->second);
    if (!added && !SameValue(first->second, found->second)) {
      ambiguous.insert(name);
    }
  }
  for (const std::string& name : ambiguous) renamed.erase(name);
  return renamed;
}

absl::StatusOr<NamedTensors> ByVariableName(NamedTensors tensors,
                                            const std::string& prefix) {
  const auto found = tensors.find(tensorflow::kObjectGraphProtoKey);
  if (found == tensors.end()) return tensors;
  TrackableObjectGraph graph;
  const tensorflow::Tensor& encoded = found->second;
  if (encoded.dtype() != tensorflow::DT_STRING || encoded.NumElements() != 1 ||
      !graph.ParseFromString(
          std::string(encoded.flat<tensorflow::tstring>()(0)))) {
    return absl::DataLossError(
        absl::StrCat("'", prefix, "' has a damaged object graph"));
  }
  return Renamed(tensors, graph);
}

}  // namespace

absl::StatusOr<SavedVariables> ReadSavedVariables(
    const std::string& saved_model) {
  const std::string prefix =
      absl::StrCat(saved_model, "/", tensorflow::kSavedModelVariablesDirectory,
                   "/", tensorflow::kSavedModelVariablesFilename);
  RK_ASSIGN_OR_RETURN(NamedTensors tensors, ReadTensors(prefix));
  SavedVariables saved;
  RK_ASSIGN_OR_RETURN(saved.values, ByVariableName(std::move(tensors), prefix));
  RK_ASSIGN_OR_RETURN(saved.axes, ReadVariableAxes(saved_model));
  return saved;
}

}  // namespace rekindle
