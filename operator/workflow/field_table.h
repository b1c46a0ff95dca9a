#ifndef REKINDLE_OPERATOR_WORKFLOW_FIELD_TABLE_H_
#define REKINDLE_OPERATOR_WORKFLOW_FIELD_TABLE_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "operator/workflow/finding.h"
#include "operator/workflow/yaml_node.h"

namespace rekindle::argo {

// What `rekindle run` makes of a field.
enum class Support {
  kSupported,
  kNoMeaning,  // accepted: it says something only a cluster can do
  kRefused,    // the workflow would mean something else without it
};

// One field of Argo's Workflow.
struct FieldRule {
  const char* owner;  // the type it belongs to: "Template"
  const char* name;   // "retryStrategy"
  // "string", "int", "number", "bool", "intOrString", "anyString" (a number or
  // bool becomes a string), "any", or the name of a type; [T] is a list of T,
  // {T} a map with values of T.
  const char* type;
  Support support;
  const char* note;  // what it means here, or why it is refused; may be empty
};

// Every field Argo knows, grouped by owner. The loader, the refusals of the
// local runner, docs/local-runner-fields.md and the tests all read this table.
const std::vector<FieldRule>& FieldTable();

// Null when Argo has no such field.
const FieldRule* FindField(absl::string_view owner, absl::string_view name);

// Appends what is wrong with `node` as a value of `type`: fields Argo does not
// know, and values of wrong types. `path` is the field's own
// ("spec.templates").
void CheckType(const YamlNode& node, const std::string& type,
               const std::string& path, Findings* findings);

// Appends the fields below `node`, of type `type`, that the local runner
// refuses.
void CheckSupport(const YamlNode& node, const std::string& type,
                  const std::string& path, Findings* findings);

// The table in Markdown.
std::string FieldTableMarkdown();

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_WORKFLOW_FIELD_TABLE_H_
