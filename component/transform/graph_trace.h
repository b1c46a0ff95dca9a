// Internal to component/transform.
#ifndef REKINDLE_COMPONENT_TRANSFORM_GRAPH_TRACE_H_
#define REKINDLE_COMPONENT_TRANSFORM_GRAPH_TRACE_H_

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tensorflow/core/framework/function.pb.h"
#include "tensorflow/core/framework/graph.pb.h"
#include "tensorflow/core/framework/node_def.pb.h"

namespace rekindle {

// Which tensors of a graph others are computed from, also through calls of
// functions, where one result need not depend on all arguments. Nodes that only
// have to run before are not looked at. Thread-compatible.
class GraphTrace {
 public:
  // `graph` is not owned and must outlive it.
  explicit GraphTrace(const tensorflow::GraphDef& graph);

  // Names of the nodes without inputs behind a tensor, as in "node:0".
  std::set<std::string> SourcesOf(const std::string& tensor);

 private:
  using Nodes = std::map<std::string, const tensorflow::NodeDef*>;
  using Arguments = std::set<int>;

  std::vector<std::string> InputsOf(const tensorflow::NodeDef& node,
                                    int output);
  const std::vector<Arguments>& ResultsOf(const std::string& function);
  Arguments ArgumentsBehind(const tensorflow::FunctionDef& function,
                            const Nodes& nodes, const std::string& result);

  Nodes nodes_;
  std::map<std::string, const tensorflow::FunctionDef*> functions_;
  std::map<std::string, std::vector<Arguments>> results_;  // by function
};

// The nodes that must run for `nodes` to run, themselves among them: a part of
// `graph`, with the functions that it calls.
tensorflow::GraphDef PartBehind(const tensorflow::GraphDef& graph,
                                const std::vector<std::string>& nodes);

// "node" of "node:0", "node" or "^node".
std::string NodeOf(const std::string& tensor);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_TRANSFORM_GRAPH_TRACE_H_
