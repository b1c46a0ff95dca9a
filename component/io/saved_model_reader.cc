#include "component/io/saved_model_reader.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "rekindle/training/checkpoint_manager.h"
#include "tensorflow/cc/saved_model/constants.h"
#include "tensorflow/core/protobuf/trackable_object_graph.pb.h"

namespace rekindle {
namespace {

using ::tensorflow::TrackableObjectGraph;

// How the key of a variable's value ends, behind the variable's path.
constexpr absl::string_view kValueSuffix = "/.ATTRIBUTES/VARIABLE_VALUE";

// Object graphs hold some variables twice, under different keys.
bool SameValue(const tensorflow::Tensor& a, const tensorflow::Tensor& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() &&
         a.tensor_data() == b.tensor_data();
}

void AddByName(const std::string& name, const tensorflow::Tensor& value,
               SavedVariables* saved) {
  if (name.empty() || saved->ambiguous.contains(name)) return;
  const auto [first, added] = saved->values.emplace(name, value);
  if (added || SameValue(first->second, value)) return;
  saved->values.erase(first);
  saved->ambiguous.insert(name);
}

// Nodes that an optimizer keeps for a variable.
std::set<int> SlotNodes(const TrackableObjectGraph& graph) {
  std::set<int> slots;
  for (const auto& node : graph.nodes()) {
    for (const auto& slot : node.slot_variables()) {
      slots.insert(slot.slot_variable_node_id());
    }
  }
  return slots;
}

// Names the tensors as the object graph does, instead of by their keys.
SavedVariables Named(const NamedTensors& tensors,
                     const TrackableObjectGraph& graph) {
  SavedVariables saved;
  const std::set<int> slots = SlotNodes(graph);
  for (int i = 0; i < graph.nodes_size(); ++i) {
    if (slots.contains(i)) continue;
    for (const auto& attribute : graph.nodes(i).attributes()) {
      absl::string_view path = attribute.checkpoint_key();
      const auto found = tensors.find(attribute.checkpoint_key());
      if (found == tensors.end() || !absl::ConsumeSuffix(&path, kValueSuffix)) {
        continue;
      }
      saved.by_path.emplace(path, found->second);
      AddByName(attribute.full_name(), found->second, &saved);
    }
  }
  return saved;
}

absl::StatusOr<SavedVariables> NameVariables(NamedTensors tensors,
                                             const std::string& prefix) {
  const auto found = tensors.find(tensorflow::kObjectGraphProtoKey);
  if (found == tensors.end()) {
    SavedVariables saved;
    saved.values = std::move(tensors);
    return saved;
  }
  TrackableObjectGraph graph;
  const tensorflow::Tensor& encoded = found->second;
  if (encoded.dtype() != tensorflow::DT_STRING || encoded.NumElements() != 1 ||
      !graph.ParseFromString(
          std::string(encoded.flat<tensorflow::tstring>()(0)))) {
    return absl::DataLossError(
        absl::StrCat("'", prefix, "' has a damaged object graph"));
  }
  return Named(tensors, graph);
}

}  // namespace

absl::StatusOr<SavedVariables> ReadSavedVariables(const std::string& path) {
  RK_ASSIGN_OR_RETURN(const std::string prefix, FindCheckpoint(path));
  RK_ASSIGN_OR_RETURN(NamedTensors tensors, ReadTensors(prefix));
  RK_ASSIGN_OR_RETURN(SavedVariables saved,
                      NameVariables(std::move(tensors), prefix));
  RK_ASSIGN_OR_RETURN(saved.axes, ReadVariableAxes(path));
  return saved;
}

}  // namespace rekindle
