#ifndef REKINDLE_OPERATOR_WORKFLOW_TEMPLATING_H_
#define REKINDLE_OPERATOR_WORKFLOW_TEMPLATING_H_

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "operator/expression/value.h"
#include "operator/workflow/workflow_model.h"

namespace rekindle::argo {

// What tags may stand for, by full name: "inputs.parameters.n",
// "tasks.a.outputs.result", "workflow.name", "item", "item.key". A nil value is
// an output that a skipped node never made: a plain tag of it is an error, an
// expression may handle it with `??`.
using Scope = std::map<std::string, Value>;

// What happens to a tag whose name is not in the scope.
struct Unresolved {
  // Stay as they are, for a later pass.
  static Unresolved Keep() { return {}; }
  // Every one is an error.
  static Unresolved Refuse() {
    return {.refuse_all = true, .refused_prefixes = {}};
  }
  // One that is, or is below, one of `prefixes` is an error ("steps" covers
  // "steps.a.id", not "stepsize"), except names of output artifacts, which are
  // found later; others stay.
  static Unresolved RefuseBelow(std::vector<std::string> prefixes) {
    return {.refuse_all = false, .refused_prefixes = std::move(prefixes)};
  }

  bool refuse_all = false;
  std::vector<std::string> refused_prefixes;
};

// `text` with its tags replaced, once, from left to right, as Argo does:
//
//   {{name}}, {{ name }}  the value; nested {{a.{{b}}}} takes one pass per
//   level
//   {{=expression}}       the value, JSON unless it is a string
//
// An expression that uses a name the scope lacks is kept or refused like a tag.
// `{{` without `}}` is text.
//
//   INVALID_ARGUMENT  a tag that is refused, an expression that fails, a value
//                     that JSON cannot carry (Argo substitutes inside JSON)
absl::StatusOr<std::string> Substitute(absl::string_view text,
                                       const Scope& scope,
                                       const Unresolved& unresolved);

// Every string below `node` (names of map entries too) after Substitute(). The
// message names the place.
absl::StatusOr<YamlNode> Substitute(const YamlNode& node, const Scope& scope,
                                    const Unresolved& unresolved);

// A template, step or task with its tags replaced: what was written goes
// through Substitute() and is decoded again, so every field may hold a tag.
absl::StatusOr<Template> Render(const Template& source, const Scope& scope,
                                const Unresolved& unresolved);
absl::StatusOr<Step> Render(const Step& source, const Scope& scope,
                            const Unresolved& unresolved);

// The tags of a text, without braces: "inputs.parameters.n", "= 1 + 1".
std::vector<std::string> FindTags(absl::string_view text);

// The variables of an expression: dotted names become maps in maps. Where one
// name is the beginning of another ("item" and "item.key") the longer one wins.
Value::Map ToVariables(const Scope& scope);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_WORKFLOW_TEMPLATING_H_
