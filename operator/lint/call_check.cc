#include <algorithm>
#include <optional>
#include <set>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/nearest_name.h"
#include "operator/expression/expression.h"
#include "operator/lint/name_rules.h"
#include "operator/lint/template_check.h"
#include "operator/workflow/templating.h"

// Arguments, hooks, tags and expressions: what steps, tasks and workflows
// share.
namespace rekindle::argo {
namespace {

template <typename T>
void CheckNames(const Template* in, const std::vector<T>& all,
                const std::string& field, const CheckContext& context) {
  std::set<std::string> seen;
  for (const T& one : all) {
    const std::string problem = FieldNameProblem(one.name);
    if (one.name.empty()) {
      context.Error(in, one.position, field,
                    absl::StrCat("an entry of '", field, "' has no name"));
    } else if (!problem.empty() && !HasTag(one.name)) {
      context.Error(in, one.position, field,
                    absl::StrCat("the name '", one.name, "' ", problem));
    } else if (!seen.insert(one.name).second) {
      context.Error(in, one.position, field,
                    absl::StrCat("'", one.name, "' is twice in '", field, "'"));
    }
  }
}

void CheckEnum(const Template* in, const Parameter& parameter,
               const std::string& field, const CheckContext& context) {
  if (!parameter.has_enum) return;
  if (parameter.enum_values.empty()) {
    context.Error(
        in, parameter.position, field,
        absl::StrCat("the enum of parameter '", parameter.name, "' is empty"));
  } else if (parameter.value.has_value() &&
             std::find(parameter.enum_values.begin(),
                       parameter.enum_values.end(),
                       *parameter.value) == parameter.enum_values.end()) {
    context.Error(
        in, parameter.position, field,
        absl::StrCat("parameter '", parameter.name, "' is '", *parameter.value,
                     "', which its enum does not "
                     "have: ",
                     absl::StrJoin(parameter.enum_values, ", ")));
  }
}

void CheckValue(const Template* in, const Parameter& parameter,
                const std::string& field, bool values_needed,
                const CheckContext& context) {
  if (!parameter.value_from.has_value()) {
    if (!parameter.value.has_value() && values_needed) {
      context.Error(in, parameter.position, field,
                    absl::StrCat("parameter '", parameter.name,
                                 "' has neither a value nor a valueFrom"));
    }
    return;
  }
  const ValueFrom& from = *parameter.value_from;
  const bool known =
      from.config_map_key_ref || !from.event.empty() || from.supplied;
  const bool output = !from.path.empty() || !from.json_path.empty() ||
                      !from.parameter.empty() || !from.expression.empty();
  if (!known || output) {
    context.Error(in, from.position, field,
                  absl::StrCat("the valueFrom of parameter '", parameter.name,
                               "' may only be a configMapKeyRef, an event or "
                               "supplied here"));
  }
}

bool IsOurs(const TemplateLibrary::Found& called) {
  return called.owner->name == "rekindle" &&
         called.owner->kind == WorkflowKind::kWorkflowTemplate;
}

std::string DidYouMean(const std::string& typed,
                       const std::vector<std::string>& names) {
  const std::optional<std::string> nearest = NearestName(typed, names);
  return nearest.has_value() ? absl::StrCat("; did you mean '", *nearest, "'?")
                             : "";
}

template <typename T>
std::vector<std::string> NamesOf(const std::vector<T>& all) {
  std::vector<std::string> names;
  for (const T& one : all) names.push_back(one.name);
  return names;
}

// What only a person's mistake explains: Argo ignores it, but a step of ours
// would not do what was meant.
void Suspicious(const Template* in, const TemplateLibrary::Found& called,
                const SourcePosition& position, const std::string& field,
                const std::string& message, const CheckContext& context) {
  if (IsOurs(called)) {
    context.Error(in, position, field, message);
  } else {
    context.Warning(in, position, field, message);
  }
}

void CheckGiven(const Template* in, const Parameter& given,
                const TemplateLibrary::Found& called, const std::string& user,
                const CheckContext& context) {
  const Inputs& inputs = called.definition->inputs;
  const Parameter* taken = inputs.FindParameter(given.name);
  if (taken == nullptr) {
    Suspicious(
        in, called, given.position, "arguments.parameters",
        absl::StrCat(user, " gives '", called.definition->name,
                     "' a parameter '", given.name, "' that it does not have",
                     DidYouMean(given.name, NamesOf(inputs.parameters))),
        context);
    return;
  }
  const bool literal = given.value.has_value() && !HasTag(*given.value);
  if (literal && !taken->enum_values.empty() &&
      std::find(taken->enum_values.begin(), taken->enum_values.end(),
                *given.value) == taken->enum_values.end()) {
    Suspicious(in, called, given.position, "arguments.parameters",
               absl::StrCat(user, " gives parameter '", given.name,
                            "' the value '", *given.value, "'; it takes: ",
                            absl::StrJoin(taken->enum_values, ", ")),
               context);
  }
}

}  // namespace

void CheckContext::Error(const Template* in, const SourcePosition& position,
                         std::string field, std::string message) const {
  findings->push_back({Finding::Severity::kError, position,
                       in == nullptr ? "" : in->name, std::move(field),
                       std::move(message)});
}

void CheckContext::Warning(const Template* in, const SourcePosition& position,
                           std::string field, std::string message) const {
  Error(in, position, std::move(field), std::move(message));
  findings->back().severity = Finding::Severity::kWarning;
}

void CheckArguments(const Template* in, const Arguments& arguments,
                    const std::string& field, bool values_needed,
                    const CheckContext& context) {
  const std::string parameters = absl::StrCat(field, ".parameters");
  const std::string artifacts = absl::StrCat(field, ".artifacts");
  CheckNames(in, arguments.parameters, parameters, context);
  CheckNames(in, arguments.artifacts, artifacts, context);
  for (const Parameter& parameter : arguments.parameters) {
    CheckValue(in, parameter, parameters, values_needed, context);
    CheckEnum(in, parameter, parameters, context);
  }
  for (const Artifact& artifact : arguments.artifacts) {
    if (artifact.from.empty() && !artifact.has_key &&
        artifact.from_expression.empty()) {
      context.Error(in, artifact.position, artifacts,
                    absl::StrCat("artifact '", artifact.name,
                                 "' has neither from nor a location"));
    } else if (!artifact.from.empty() && !artifact.from_expression.empty()) {
      context.Error(in, artifact.position, artifacts,
                    absl::StrCat("artifact '", artifact.name,
                                 "' has both from and fromExpression"));
    }
    CheckExpression(in, artifact.from_expression, artifact.position, artifacts,
                    context);
  }
}

void CheckCall(const Template* in, const Arguments& arguments,
               const TemplateLibrary::Found& called,
               const SourcePosition& position, const std::string& user,
               const CheckContext& context) {
  const Template& definition = *called.definition;
  for (const Parameter& wanted : definition.inputs.parameters) {
    if (wanted.value.has_value() || wanted.default_value.has_value() ||
        wanted.value_from.has_value() ||
        arguments.FindParameter(wanted.name) != nullptr) {
      continue;
    }
    context.Error(in, position, "arguments.parameters",
                  absl::StrCat(user, " must give template '", definition.name,
                               "' its parameter '", wanted.name, "'"));
  }
  for (const Artifact& wanted : definition.inputs.artifacts) {
    if (wanted.optional || wanted.has_key ||
        arguments.FindArtifact(wanted.name) != nullptr) {
      continue;
    }
    context.Error(in, position, "arguments.artifacts",
                  absl::StrCat(user, " must give template '", definition.name,
                               "' its artifact '", wanted.name, "'"));
  }
  for (const Parameter& given : arguments.parameters) {
    CheckGiven(in, given, called, user, context);
  }
  for (const Artifact& given : arguments.artifacts) {
    if (definition.inputs.FindArtifact(given.name) != nullptr) continue;
    Suspicious(
        in, called, given.position, "arguments.artifacts",
        absl::StrCat(user, " gives '", definition.name, "' an artifact '",
                     given.name, "' that it does not have"),
        context);
  }
}

void CheckHooks(const Template* in, const std::vector<LifecycleHook>& hooks,
                const CheckContext& context) {
  for (const LifecycleHook& hook : hooks) {
    if (hook.name != "exit" && hook.expression.empty()) {
      context.Error(
          in, hook.position, "hooks",
          absl::StrCat("the hook '", hook.name,
                       "' needs an expression; only 'exit' has none"));
    }
    CheckExpression(in, hook.expression, hook.position, "hooks", context);
    if (HasTag(hook.template_name) ||
        (hook.template_name.empty() && !hook.template_ref.has_value())) {
      continue;
    }
    const auto found = context.library.Resolve(hook, context.workflow);
    if (!found.ok()) {
      context.Error(in, hook.position, "hooks",
                    absl::StrCat("the hook '", hook.name,
                                 "': ", found.status().message()));
    }
  }
}

void CheckTags(const Template* in, const YamlNode& node, const TagScope& scope,
               const std::string& skip, const CheckContext& context) {
  for (const std::string& tag : FindTags(node.text)) {
    if (absl::StartsWith(tag, "=")) {
      CheckExpression(in, tag.substr(1), node.position, "", context);
    } else if (!scope.Resolves(tag)) {
      context.Error(in, node.position, "",
                    absl::StrCat("{{", tag, "}} stands for nothing here",
                                 DidYouMean(tag, scope.Names())));
    }
  }
  for (const YamlNode& item : node.items) {
    CheckTags(in, item, scope, skip, context);
  }
  for (const YamlField& field : node.fields) {
    if (field.name == skip) continue;
    CheckTags(in, field.value, scope, skip, context);
  }
}

void CheckExpression(const Template* in, const std::string& text,
                     const SourcePosition& position, const std::string& field,
                     const CheckContext& context) {
  // An expression that is made of tags is known only when they have values.
  if (text.empty() || HasTag(text) || absl::StrContains(text, "{{")) return;
  const absl::StatusOr<Expression> parsed = Expression::Parse(text);
  if (parsed.ok()) return;
  const std::string message =
      absl::StrCat("the expression '", text, "': ", parsed.status().message());
  if (absl::IsUnimplemented(parsed.status())) {
    context.Warning(in, position, field, message);
  } else {
    context.Error(in, position, field, message);
  }
}

}  // namespace rekindle::argo
