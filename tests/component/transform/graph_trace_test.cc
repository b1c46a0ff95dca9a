#include "component/transform/graph_trace.h"

#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"

namespace rekindle {
namespace {

using ::testing::ElementsAre;

// Two functions, one inside the other, that each give two results; the first
// result depends on the first argument alone.
constexpr char kGraph[] = R"pb(
  node { name: "a" op: "Placeholder" }
  node { name: "b" op: "Placeholder" }
  node { name: "c" op: "Placeholder" }
  node {
    name: "call"
    op: "StatefulPartitionedCall"
    input: "a"
    input: "b"
    input: "^c"
    attr {
      key: "f"
      value { func { name: "outer" } }
    }
  }
  node { name: "sum" op: "Add" input: "call:1" input: "c" input: "^call" }
  library {
    function {
      signature {
        name: "outer"
        input_arg { name: "x" }
        input_arg { name: "y" }
        output_arg { name: "first" }
        output_arg { name: "second" }
      }
      node_def {
        name: "nested"
        op: "PartitionedCall"
        input: "x"
        input: "y"
        attr {
          key: "f"
          value { func { name: "inner" } }
        }
      }
      ret { key: "first" value: "nested:output:0" }
      ret { key: "second" value: "nested:output:1" }
    }
    function {
      signature {
        name: "inner"
        input_arg { name: "x" }
        input_arg { name: "y" }
        output_arg { name: "first" }
        output_arg { name: "second" }
      }
      node_def { name: "copy" op: "Identity" input: "x" }
      node_def { name: "both" op: "Add" input: "copy:output:0" input: "y" }
      ret { key: "first" value: "copy:output:0" }
      ret { key: "second" value: "both:z:0" }
    }
    function { signature { name: "unused" } }
  }
)pb";

tensorflow::GraphDef Graph() {
  tensorflow::GraphDef graph;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(kGraph, &graph));
  return graph;
}

TEST(GraphTraceTest, AResultOfACallDependsOnWhatItsFunctionUses) {
  const tensorflow::GraphDef graph = Graph();
  GraphTrace trace(graph);
  EXPECT_THAT(trace.SourcesOf("call:0"), ElementsAre("a"));
  EXPECT_THAT(trace.SourcesOf("call:1"), ElementsAre("a", "b"));
  EXPECT_THAT(trace.SourcesOf("sum:0"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(trace.SourcesOf("b"), ElementsAre("b"));
}

TEST(GraphTraceTest, APartHasTheNodesThatMustRunAndTheFunctionsTheyCall) {
  const tensorflow::GraphDef part = PartBehind(Graph(), {"call"});
  EXPECT_EQ(part.node_size(), 4);  // c must run before, too
  EXPECT_EQ(part.library().function_size(), 2);
}

}  // namespace
}  // namespace rekindle
