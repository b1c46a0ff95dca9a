#ifndef REKINDLE_OPERATOR_WORKFLOW_YAML_NODE_H_
#define REKINDLE_OPERATOR_WORKFLOW_YAML_NODE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"
#include "operator/workflow/source_position.h"

namespace rekindle::argo {

struct YamlField;

// A value of a YAML document with the place it was written at. Aliases are
// expanded and `<<` merged. Scalars have the type and the text that Kubernetes'
// reader gives them: `yes` is true, 0x10 is 16, 1.0 is 1.
struct YamlNode {
  enum class Kind { kNull, kBool, kNumber, kString, kList, kMap };

  Kind kind = Kind::kNull;
  std::string text;               // of a scalar: "true", "16", "any string"
  std::vector<YamlNode> items;    // of a list
  std::vector<YamlField> fields;  // of a map, in order, names unique
  SourcePosition position;

  bool is_null() const { return kind == Kind::kNull; }
  bool is_map() const { return kind == Kind::kMap; }
  bool is_list() const { return kind == Kind::kList; }
  bool is_scalar() const { return !is_null() && !is_map() && !is_list(); }
  // The field's value, or null.
  const YamlNode* Find(absl::string_view name) const;
  // "a list", "a map", "the string 'x'", "the number 3": for messages.
  std::string Describe() const;
};

struct YamlField {
  std::string name;
  SourcePosition position;  // of the name
  YamlNode value;
};

// The documents of a YAML (or JSON) text; empty ones are left out. `file` is
// what messages call it.
//
//   INVALID_ARGUMENT  file:line:column: a syntax error, a key written twice, an
//                     unknown anchor, or more than FindYamlExcess() allows
absl::StatusOr<std::vector<YamlNode>> ParseYaml(const std::string& text,
                                                const std::string& file);

nlohmann::json ToJson(const YamlNode& node);
// Every value gets `position`.
YamlNode FromJson(const nlohmann::json& json, const SourcePosition& position);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_WORKFLOW_YAML_NODE_H_
