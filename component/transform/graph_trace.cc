#include "component/transform/graph_trace.h"

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "tensorflow/core/framework/function.h"
#include "tensorflow/core/framework/op.h"

namespace rekindle {
namespace {

using ::tensorflow::FunctionDef;
using ::tensorflow::GraphDef;
using ::tensorflow::NodeDef;

bool IsControl(absl::string_view input) { return input.starts_with('^'); }

// 2 of "node:2" and of "node:output:2", 0 of "node".
int IndexOf(const std::string& tensor) {
  const std::vector<std::string> parts = absl::StrSplit(tensor, ':');
  int index = 0;
  if (parts.size() > 1 && !absl::SimpleAtoi(parts.back(), &index)) return 0;
  return index;
}

// What is still to be looked at; nothing is given twice.
class Worklist {
 public:
  void Add(const std::string& tensor) {
    if (!IsControl(tensor) && seen_.insert(tensor).second) {
      open_.push_back(tensor);
    }
  }

  bool Next(std::string* tensor) {
    if (open_.empty()) return false;
    *tensor = std::move(open_.back());
    open_.pop_back();
    return true;
  }

 private:
  std::set<std::string> seen_;
  std::vector<std::string> open_;
};

// The function that a node calls; empty: it calls none.
std::string CalledBy(const NodeDef& node) {
  if (!node.op().ends_with("PartitionedCall")) return "";
  const auto found = node.attr().find("f");
  return found == node.attr().end() ? "" : found->second.func().name();
}

auto NodesByName(const auto& nodes) {
  std::map<std::string, const NodeDef*> by_name;
  for (const NodeDef& node : nodes) by_name[node.name()] = &node;
  return by_name;
}

}  // namespace

std::string NodeOf(const std::string& tensor) {
  const size_t begin = IsControl(tensor) ? 1 : 0;
  return tensor.substr(begin, tensor.find(':') - begin);
}

GraphTrace::GraphTrace(const GraphDef& graph)
    : nodes_(NodesByName(graph.node())) {
  for (const FunctionDef& function : graph.library().function()) {
    functions_[function.signature().name()] = &function;
  }
}

std::set<std::string> GraphTrace::SourcesOf(const std::string& tensor) {
  std::set<std::string> sources;
  Worklist open;
  open.Add(tensor);
  for (std::string next; open.Next(&next);) {
    const auto node = nodes_.find(NodeOf(next));
    if (node == nodes_.end()) continue;
    const std::vector<std::string> inputs =
        InputsOf(*node->second, IndexOf(next));
    if (node->second->input_size() == 0) sources.insert(node->first);
    for (const std::string& input : inputs) open.Add(input);
  }
  return sources;
}

std::vector<std::string> GraphTrace::InputsOf(const NodeDef& node, int output) {
  const std::string called = CalledBy(node);
  if (!functions_.contains(called)) {
    return {node.input().begin(), node.input().end()};
  }
  const std::vector<Arguments>& results = ResultsOf(called);
  std::vector<std::string> inputs;
  if (output >= static_cast<int>(results.size())) return inputs;
  for (const int argument : results[output]) {
    if (argument < node.input_size()) inputs.push_back(node.input(argument));
  }
  return inputs;
}

const std::vector<GraphTrace::Arguments>& GraphTrace::ResultsOf(
    const std::string& name) {
  if (const auto found = results_.find(name); found != results_.end()) {
    return found->second;
  }
  const FunctionDef& function = *functions_.at(name);
  // A function that calls itself depends on everything.
  Arguments all;
  for (int i = 0; i < function.signature().input_arg_size(); ++i) all.insert(i);
  results_[name].assign(function.signature().output_arg_size(), all);

  const Nodes nodes = NodesByName(function.node_def());
  std::vector<Arguments> results;
  for (const auto& result : function.signature().output_arg()) {
    results.push_back(
        ArgumentsBehind(function, nodes, function.ret().at(result.name())));
  }
  return results_[name] = std::move(results);
}

GraphTrace::Arguments GraphTrace::ArgumentsBehind(const FunctionDef& function,
                                                  const Nodes& nodes,
                                                  const std::string& result) {
  std::map<std::string, int> numbers;
  for (int i = 0; i < function.signature().input_arg_size(); ++i) {
    numbers[function.signature().input_arg(i).name()] = i;
  }
  Arguments arguments;
  Worklist open;
  open.Add(result);
  for (std::string next; open.Next(&next);) {
    if (const auto number = numbers.find(next); number != numbers.end()) {
      arguments.insert(number->second);
    } else if (const auto node = nodes.find(NodeOf(next));
               node != nodes.end()) {
      for (const auto& input : InputsOf(*node->second, IndexOf(next))) {
        open.Add(input);
      }
    }
  }
  return arguments;
}

GraphDef PartBehind(const GraphDef& graph,
                    const std::vector<std::string>& nodes) {
  const auto by_name = NodesByName(graph.node());
  std::set<std::string> needed(nodes.begin(), nodes.end());
  std::vector<std::string> open = nodes;
  while (!open.empty()) {
    const auto found = by_name.find(open.back());
    open.pop_back();
    if (found == by_name.end()) continue;
    for (const std::string& input : found->second->input()) {
      if (needed.insert(NodeOf(input)).second) open.push_back(NodeOf(input));
    }
  }
  GraphDef part;
  *part.mutable_versions() = graph.versions();
  for (const NodeDef& node : graph.node()) {
    if (needed.contains(node.name())) *part.add_node() = node;
  }
  *part.mutable_library() =
      tensorflow::FunctionLibraryDefinition(tensorflow::OpRegistry::Global(),
                                            graph.library())
          .ReachableDefinitions(part)
          .ToProto();
  return part;
}

}  // namespace rekindle
