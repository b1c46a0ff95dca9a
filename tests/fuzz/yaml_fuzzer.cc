// Any text as YAML: refused with a place, or within the limits that
// base/yaml_limits.h promises; and it can be written as JSON.
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "base/yaml_limits.h"
#include "operator/workflow/yaml_node.h"
#include "tests/fuzz/require.h"

namespace rekindle::argo {
namespace {

// What is in a document: values, bytes, and how deep they are.
struct Extent {
  size_t nodes = 0;
  size_t bytes = 0;
  size_t depth = 0;
};

void Measure(const YamlNode& node, size_t depth, Extent& extent) {
  ++extent.nodes;
  extent.bytes += node.text.size();
  extent.depth = std::max(extent.depth, depth);
  for (const YamlNode& item : node.items) Measure(item, depth + 1, extent);
  for (const YamlField& field : node.fields) {
    ++extent.nodes;
    extent.bytes += field.name.size();
    Measure(field.value, depth + 1, extent);
  }
}

void CheckExtent(const std::vector<YamlNode>& documents) {
  Extent extent;
  for (const YamlNode& document : documents) Measure(document, 1, extent);
  Require(extent.nodes <= kMostYamlNodes, "more values than allowed");
  // A number may be longer than it was written: 1e300.
  Require(extent.bytes <= kMostYamlTextBytes + 400 * extent.nodes,
          "more text than allowed");
  Require(extent.depth <= kDeepestYaml, "deeper than allowed");
}

}  // namespace
}  // namespace rekindle::argo

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace rekindle::argo;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto documents = ParseYaml(text, "a.yaml");
  if (!documents.ok()) {
    rekindle::Require(absl::StartsWith(documents.status().message(), "a.yaml:"),
                      "an error without a place");
    return 0;
  }
  rekindle::Require(!rekindle::FindYamlExcess(text).has_value(),
                    "read although it costs too much");
  CheckExtent(*documents);
  // Throws where a text is not UTF-8.
  for (const YamlNode& document : *documents) ToJson(document).dump();
  return 0;
}
