// Any text as YAML: refused with a place, or within the limits that
// base/yaml_limits.h promises; and written out as JSON it reads the same again.
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

// YAML takes no name of more than 1,024 characters in one line.
bool HasLongName(const nlohmann::json& json) {
  if (!json.is_structured()) return false;
  for (const auto& [name, value] : json.items()) {
    if (json.is_object() && nlohmann::json(name).dump().size() > 1'000) {
      return true;
    }
    if (HasLongName(value)) return true;
  }
  return false;
}

void CheckReadsAgain(const YamlNode& document) {
  const nlohmann::json json = ToJson(document);
  if (HasLongName(json)) return;
  const auto again = ParseYaml(json.dump(), "again");
  if (!again.ok()) {
    // Written out it may have more brackets, or be longer, than is allowed.
    Require(FindYamlExcess(json.dump()).has_value(), again.status().ToString());
    return;
  }
  Require(again->size() == 1 && ToJson(again->front()) == json,
          "another document when it is read again: " + json.dump());
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
  for (const YamlNode& document : *documents) CheckReadsAgain(document);
  return 0;
}
