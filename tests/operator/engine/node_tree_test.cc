#include "operator/engine/node_tree.h"

#include <string>

#include <gtest/gtest.h>

namespace rekindle::argo {
namespace {

TEST(NodeTreeTest, IdsAreArgos) {
  const NodeTree tree("artifact-passing-f75px");
  EXPECT_EQ(tree.IdOf("artifact-passing-f75px"), "artifact-passing-f75px");
  // FNV-1a of "a" is a published value.
  EXPECT_EQ(NodeTree("w").IdOf("a"), "w-3826002220");
}

TEST(NodeTreeTest, ADisplayNameIsTheNameInsideItsBoundary) {
  NodeTree tree("w");
  Node root;
  root.name = "w";
  const std::string id = tree.Add(root).id;
  Node step;
  step.name = "w[0].print(1:x)";
  step.boundary_id = id;
  EXPECT_EQ(tree.Add(step).display_name, "print(1:x)");
}

}  // namespace
}  // namespace rekindle::argo
