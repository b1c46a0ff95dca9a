#include "operator/engine/call.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "nlohmann/json.hpp"
#include "operator/engine/local_scope.h"
#include "operator/workflow/templating.h"
#include "operator/workflow/yaml_node.h"

namespace rekindle::argo {

const char kAbsentArgument[] = "__argo-internal.absent-optional-output__";

namespace {

absl::StatusOr<std::string> InputValue(const Parameter& input,
                                       const Arguments& arguments,
                                       const Scope& scope) {
  const Parameter* argument = arguments.FindParameter(input.name);
  const bool absent = argument != nullptr && argument->value.has_value() &&
                      *argument->value == kAbsentArgument;
  if (argument != nullptr && argument->value.has_value() && !absent) {
    return *argument->value;
  }
  const auto& own = input.value.has_value() ? input.value : input.default_value;
  if (own.has_value()) return Substitute(*own, scope, Unresolved::Keep());
  return absl::InvalidArgumentError(absl::StrCat(
      "inputs.parameters.", input.name,
      absent ? ": argument references an absent optional (skipped/omitted node "
               "output with no default)"
             : " was not supplied"));
}

absl::Status CheckEnum(const Parameter& input, const std::string& value) {
  if (!input.has_enum ||
      std::find(input.enum_values.begin(), input.enum_values.end(), value) !=
          input.enum_values.end()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "inputs.parameters.", input.name, " is '", value,
      "', expected one of: ", absl::StrJoin(input.enum_values, ", ")));
}

// Where the artifact is comes from the argument, what to do with it from the
// input.
absl::StatusOr<Artifact> InputArtifact(const Artifact& input,
                                       const Arguments& arguments) {
  const Artifact* argument = arguments.FindArtifact(input.name);
  const auto has_place = [](const Artifact& a) {
    return !a.location.empty() || !a.key.empty() || a.raw_data.has_value();
  };
  if (argument != nullptr && has_place(*argument)) {
    Artifact found = *argument;
    found.name = input.name;
    found.path = input.path;
    found.mode = input.mode;
    found.optional = input.optional || argument->optional;
    return found;
  }
  if (input.optional || has_place(input)) return input;
  return absl::InvalidArgumentError(
      absl::StrCat("inputs.artifacts.", input.name, " was not supplied"));
}

void AddPaths(const Template& definition, Scope& scope) {
  for (const Artifact& artifact : definition.inputs.artifacts) {
    if (artifact.path.empty()) continue;
    scope[absl::StrCat("inputs.artifacts.", artifact.name, ".path")] =
        artifact.path;
  }
  for (const Artifact& artifact : definition.outputs.artifacts) {
    if (artifact.path.empty()) continue;
    scope[absl::StrCat("outputs.artifacts.", artifact.name, ".path")] =
        artifact.path;
  }
  for (const Parameter& parameter : definition.outputs.parameters) {
    if (!parameter.value_from.has_value() || parameter.value_from->path.empty())
      continue;
    scope[absl::StrCat("outputs.parameters.", parameter.name, ".path")] =
        parameter.value_from->path;
  }
}

}  // namespace

absl::StatusOr<Template> RenderTemplate(const Template& definition,
                                        const Arguments& arguments,
                                        const Scope& scope) {
  Scope all = scope;
  Inputs inputs = definition.inputs;
  nlohmann::json list = nlohmann::json::array();
  for (Parameter& input : inputs.parameters) {
    RK_ASSIGN_OR_RETURN(input.value, InputValue(input, arguments, scope));
    RK_RETURN_IF_ERROR(CheckEnum(input, *input.value));
    all[absl::StrCat("inputs.parameters.", input.name)] = *input.value;
    list.push_back({{"name", input.name}, {"value", *input.value}});
  }
  all["inputs.parameters"] =
      list.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  AddPaths(definition, all);
  RK_ASSIGN_OR_RETURN(Template rendered,
                      Render(definition, all, Unresolved::Keep()));
  rendered.inputs.parameters = std::move(inputs.parameters);
  for (Artifact& input : rendered.inputs.artifacts) {
    RK_ASSIGN_OR_RETURN(input, InputArtifact(input, arguments));
  }
  return rendered;
}

Step WithAbsentArguments(const Step& step, const Scope& scope) {
  const auto is_absent = [&scope](const Parameter& parameter) {
    if (!parameter.value.has_value()) return false;
    const auto found = scope.find(SingleTag(*parameter.value));
    return found != scope.end() && found->second.is_nil();
  };
  const auto& parameters = step.arguments.parameters;
  if (std::none_of(parameters.begin(), parameters.end(), is_absent))
    return step;
  auto source = std::make_shared<YamlNode>(*step.source);
  for (YamlField& field : source->fields) {
    if (field.name != "arguments") continue;
    for (YamlField& list : field.value.fields) {
      if (list.name != "parameters") continue;
      for (size_t i = 0; i < list.value.items.size(); ++i) {
        if (i >= parameters.size() || !is_absent(parameters[i])) continue;
        for (YamlField& of : list.value.items[i].fields) {
          if (of.name == "value") of.value.text = kAbsentArgument;
        }
      }
    }
  }
  Step marked = step;
  marked.source = std::move(source);
  return marked;
}

Step WithoutHooks(const Step& step) {
  if (step.hooks.empty()) return step;
  auto source = std::make_shared<YamlNode>(*step.source);
  std::erase_if(source->fields,
                [](const YamlField& field) { return field.name == "hooks"; });
  Step bare = step;
  bare.source = std::move(source);
  return bare;
}

}  // namespace rekindle::argo
