#include "rekindle/training/graph_builder.h"

#include <algorithm>
#include <cstdint>
#include <unordered_set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/nearest_name.h"
#include "component/graph/missing_gradients.h"
#include "tensorflow/cc/framework/gradients.h"
#include "tensorflow/cc/ops/array_ops.h"
#include "tensorflow/cc/ops/math_ops.h"
#include "tensorflow/cc/ops/resource_variable_ops.h"
#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/framework/types.pb.h"
#include "tensorflow/core/graph/graph.h"

namespace rekindle {
namespace {

namespace ops = ::tensorflow::ops;
using ::tensorflow::Node;
using ::tensorflow::Output;
using ::tensorflow::OutputList;
using ::tensorflow::Scope;
using ::tensorflow::Tensor;
using ::tensorflow::TensorShape;

// A variable may be named after a feature, in any letters; a node may not.
std::string NodeName(std::string name) {
  for (char& c : name) {
    if (!absl::ascii_isalnum(c) && !absl::StrContains("._-/", c)) c = '_';
  }
  const bool starts_well = !name.empty() && absl::ascii_isalnum(name[0]);
  return starts_well ? name : absl::StrCat("v", name);
}

absl::Status UnknownVariable(const std::string& name,
                             const std::map<std::string, Output>& known) {
  std::vector<std::string> names;
  for (const auto& [known_name, handle] : known) names.push_back(known_name);
  const auto nearest = NearestName(name, names);
  return absl::InvalidArgumentError(absl::StrCat(
      "the graph uses the variable '", name, "', which was not added to it",
      nearest ? absl::StrCat("; did you mean '", *nearest, "'?") : ""));
}

// The nodes that `output` is computed from, its own among them.
std::unordered_set<const Node*> NodesBehind(const Output& output) {
  std::unordered_set<const Node*> seen{output.node()};
  std::vector<const Node*> open{output.node()};
  while (!open.empty()) {
    const Node* node = open.back();
    open.pop_back();
    for (const tensorflow::Edge* edge : node->in_edges()) {
      if (edge->IsControlEdge() || !seen.insert(edge->src()).second) continue;
      open.push_back(edge->src());
    }
  }
  return seen;
}

// Ids of any shape as a list.
Output FlatIds(const Scope& scope, const Output& ids) {
  return ops::Reshape(scope, ids, {-1});
}

// The rows of such ids as a list of rows.
Output FlatRows(const Scope& scope, const Output& rows,
                const VariableSpec& variable) {
  const int rank = variable.shape.dims();
  Tensor shape(tensorflow::DT_INT64, TensorShape({rank}));
  shape.flat<int64_t>()(0) = -1;
  for (int i = 1; i < rank; ++i) {
    shape.flat<int64_t>()(i) = variable.shape.dim_size(i);
  }
  return ops::Reshape(scope, rows, shape);
}

Output Concat(const Scope& scope, const OutputList& parts) {
  return parts.size() == 1 ? parts[0] : ops::Concat(scope, parts, 0).output;
}

Output AddUp(const Scope& scope, const OutputList& parts) {
  return parts.size() == 1 ? parts[0] : ops::AddN(scope, parts).sum;
}

// Makes ids of several types ones of int64.
void ToOneType(const Scope& scope, OutputList* ids) {
  const auto other = [&](const Output& id) {
    return id.type() != ids->front().type();
  };
  if (std::none_of(ids->begin(), ids->end(), other)) return;
  for (Output& id : *ids) id = ops::Cast(scope, id, tensorflow::DT_INT64);
}

// Where gradients begin, and how the loss changes with what is there.
struct GradientStart {
  Output value;
  Output change;
};

// A loss is a number, nearly always the mean of all its examples' losses: it
// changes with each of them by one over their count. TensorFlow's own gradient
// of a mean, which allows for axes, is twenty operations that cost a small
// model a quarter of its step.
GradientStart StartOf(const Scope& scope, const Output& loss) {
  const tensorflow::Edge* summed = nullptr;
  if (loss.node()->type_string() != "Mean" ||
      !loss.node()->input_edge(0, &summed).ok()) {
    return {loss, ops::OnesLike(scope, loss)};
  }
  const Output values(summed->src(), summed->src_output());
  const Output count =
      ops::Cast(scope, ops::Size(scope, values), values.type());
  return {values, ops::Div(scope, ops::OnesLike(scope, values), count)};
}

}  // namespace

GraphBuilder::GraphBuilder(const Scope& scope, std::string prefix)
    : scope_(scope), prefix_(std::move(prefix)) {
  RegisterMissingGradients();
}

void GraphBuilder::AddVariable(const VariableSpec& spec,
                               const std::string& stored_as) {
  const std::string name =
      prefix_ + (stored_as.empty() ? spec.name : stored_as);
  const Output handle =
      ops::VarHandleOp(scope_.WithOpName(NodeName(name)), tensorflow::DT_FLOAT,
                       spec.shape, ops::VarHandleOp::SharedName(name));
  if (!handles_.emplace(spec.name, handle).second) {
    scope_.UpdateStatus(absl::InvalidArgumentError(absl::StrCat(
        "the variable '", spec.name,
        "' was added to the graph twice; each needs a name of its own")));
  }
  variables_.push_back(spec);
}

Output GraphBuilder::Handle(const std::string& variable) const {
  const auto found = handles_.find(variable);
  if (found != handles_.end()) return found->second;
  scope_.UpdateStatus(UnknownVariable(variable, handles_));
  return Output();
}

TensorShape GraphBuilder::ShapeOf(const std::string& variable) const {
  const auto found = std::find_if(
      variables_.begin(), variables_.end(),
      [&](const VariableSpec& spec) { return spec.name == variable; });
  if (found != variables_.end()) return found->shape;
  scope_.UpdateStatus(UnknownVariable(variable, handles_));
  return {};
}

Output GraphBuilder::Read(const std::string& variable) {
  const auto found = reads_.find(variable);
  if (found != reads_.end()) return found->second;
  const Output handle = Handle(variable);
  const Output value =
      ops::ReadVariableOp(scope_.WithOpName(NodeName(variable), "/read"),
                          handle, tensorflow::DT_FLOAT);
  reads_[variable] = value;
  uses_.push_back({variable, value, std::nullopt});
  return value;
}

Output GraphBuilder::Gather(const std::string& variable, const Output& ids) {
  const Output handle = Handle(variable);
  const Output rows =
      ops::ResourceGather(scope_.WithOpName(NodeName(variable), "/gather"),
                          handle, ids, tensorflow::DT_FLOAT);
  uses_.push_back({variable, rows, ids});
  return rows;
}

std::vector<GraphBuilder::Use> GraphBuilder::TrainableUsesBehind(
    const Output& loss) const {
  const std::unordered_set<const Node*> behind = NodesBehind(loss);
  std::unordered_set<std::string> trainable;
  for (const VariableSpec& spec : variables_) {
    if (spec.trainable) trainable.insert(spec.name);
  }
  std::vector<Use> uses;
  for (const Use& use : uses_) {
    if (!trainable.contains(use.variable)) continue;
    if (behind.contains(use.value.node())) uses.push_back(use);
  }
  return uses;
}

std::vector<Gradient> GraphBuilder::Gradients(const Output& loss) {
  if (!scope_.ok()) return {};
  const std::vector<Use> uses = TrainableUsesBehind(loss);
  if (uses.empty()) return {};
  OutputList values;
  for (const Use& use : uses) values.push_back(use.value);
  OutputList changes;
  const Scope scope = scope_.NewSubScope("gradients");
  const GradientStart start = StartOf(scope, loss);
  scope_.UpdateStatus(tensorflow::AddSymbolicGradients(
      scope, {start.value}, values, {start.change}, &changes));
  if (!scope_.ok()) return {};

  std::map<std::string, std::vector<UseGradient>> parts;
  for (size_t i = 0; i < uses.size(); ++i) {
    // None: everything between it and the loss is flat, as an ArgMax is.
    if (changes[i].node() == nullptr) continue;
    parts[uses[i].variable].push_back({uses[i], changes[i]});
  }
  std::vector<Gradient> gradients;
  for (const VariableSpec& spec : variables_) {
    const auto found = parts.find(spec.name);
    if (found != parts.end()) gradients.push_back(Join(spec, found->second));
  }
  return gradients;
}

Gradient GraphBuilder::Join(const VariableSpec& variable,
                            const std::vector<UseGradient>& parts) const {
  const bool only_gathered = std::all_of(
      parts.begin(), parts.end(),
      [](const UseGradient& part) { return part.use.ids.has_value(); });
  return only_gathered ? JoinRows(variable, parts) : JoinDense(variable, parts);
}

Gradient GraphBuilder::JoinRows(const VariableSpec& variable,
                                const std::vector<UseGradient>& parts) const {
  OutputList values;
  OutputList rows;
  for (const UseGradient& part : parts) {
    values.push_back(FlatRows(scope_, part.value, variable));
    rows.push_back(FlatIds(scope_, *part.use.ids));
  }
  ToOneType(scope_, &rows);
  return {variable.name, Concat(scope_, values), Concat(scope_, rows)};
}

Gradient GraphBuilder::JoinDense(const VariableSpec& variable,
                                 const std::vector<UseGradient>& parts) const {
  OutputList values;
  for (const UseGradient& part : parts) {
    Output value = part.value;
    if (part.use.ids.has_value()) {
      value = ops::UnsortedSegmentSum(scope_, value, *part.use.ids,
                                      variable.shape.dim_size(0));
    }
    values.push_back(value);
  }
  return {variable.name, AddUp(scope_, values), std::nullopt};
}

}  // namespace rekindle
