#include "operator/engine/local_scope.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/json_depth.h"
#include "base/status_macros.h"
#include "nlohmann/json.hpp"
#include "operator/expression/expression.h"
#include "operator/expression/value.h"

namespace rekindle::argo {
namespace {

using nlohmann::json;

constexpr char kRfc3339[] = "%Y-%m-%dT%H:%M:%SZ";

std::string Rfc3339(absl::Time time) {
  return absl::FormatTime(kRfc3339, time, absl::UTCTimeZone());
}

// An artifact as an expression sees it, and back.
Value ToValue(const Artifact& artifact) {
  Value::Map map = {{"name", artifact.name}, {"path", artifact.path}};
  if (!artifact.key.empty()) map["key"] = artifact.key;
  if (!artifact.location.empty()) map["location"] = artifact.location;
  if (artifact.raw_data.has_value()) map["raw"] = *artifact.raw_data;
  return map;
}

std::string TextAt(const Value::Map& map, const std::string& name) {
  const auto found = map.find(name);
  if (found == map.end() || found->second.as_string() == nullptr) return "";
  return *found->second.as_string();
}

Artifact ToArtifact(const Value::Map& map) {
  Artifact artifact;
  artifact.name = TextAt(map, "name");
  artifact.path = TextAt(map, "path");
  artifact.key = TextAt(map, "key");
  artifact.location = TextAt(map, "location");
  if (map.contains("raw")) artifact.raw_data = TextAt(map, "raw");
  return artifact;
}

// What a step has written, if it is JSON; else discarded.
json ParseJson(const std::string& text) {
  if (JsonIsTooDeep(text)) return json(json::value_t::discarded);
  return json::parse(text, nullptr, false);
}

// A list of values as JSON: of the values themselves if all are lists or maps,
// else of strings.
std::string JsonList(const std::vector<std::string>& values) {
  json parsed = json::array();
  for (const std::string& value : values) {
    json one = ParseJson(value);
    if (one.is_discarded() || !one.is_structured()) {
      return json(values).dump(-1, ' ', false, json::error_handler_t::replace);
    }
    parsed.push_back(std::move(one));
  }
  return parsed.dump(-1, ' ', false, json::error_handler_t::replace);
}

// The outputs of the items, gathered one by one.
struct Gathered {
  json results = json::array();
  json parameters = json::array();
  std::map<std::string, std::vector<std::string>> by_name;

  absl::Status Add(const NodeOutputs& outputs) {
    json one = json::object();
    for (const Parameter& parameter : outputs.parameters) {
      const std::string value = parameter.value.value_or("");
      one[parameter.name] = value;
      by_name[parameter.name].push_back(value);
    }
    if (!one.empty()) parameters.push_back(std::move(one));
    if (!outputs.result.has_value()) return absl::OkStatus();
    json result = ParseJson(*outputs.result);
    if (result.is_discarded()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the result '", *outputs.result,
          "' of an item is no JSON, which a list of results needs"));
    }
    results.push_back(std::move(result));
    return absl::OkStatus();
  }
};

}  // namespace

std::string SingleTag(const std::string& text) {
  if (!absl::StartsWith(text, "{{") || !absl::EndsWith(text, "}}")) return "";
  const std::string name(
      absl::StripAsciiWhitespace(text.substr(2, text.size() - 4)));
  return absl::StrContains(name, "{{") || absl::StrContains(name, "}}") ? ""
                                                                        : name;
}

void LocalScope::AddOutputs(const std::string& prefix, const std::string& name,
                            const NodeOutputs& outputs) {
  const std::string base = absl::StrCat(prefix, ".", name);
  if (outputs.result.has_value()) {
    values[absl::StrCat(base, ".outputs.result")] = *outputs.result;
  }
  if (outputs.exit_code.has_value()) {
    values[absl::StrCat(base, ".exitCode")] = *outputs.exit_code;
  }
  for (const Parameter& parameter : outputs.parameters) {
    if (!parameter.value.has_value()) continue;
    values[absl::StrCat(base, ".outputs.parameters.", parameter.name)] =
        *parameter.value;
  }
  for (const Artifact& artifact : outputs.artifacts) {
    artifacts[absl::StrCat(base, ".outputs.artifacts.", artifact.name)] =
        artifact;
  }
}

void LocalScope::AddNode(const std::string& prefix, const std::string& name,
                         const Node& node, const NodeTree& tree) {
  const Node* attempt = tree.LastAttempt(node);
  const Node& shown = attempt == nullptr ? node : *attempt;
  const std::string base = absl::StrCat(prefix, ".", name);
  values[absl::StrCat(base, ".id")] = shown.id;
  values[absl::StrCat(base, ".status")] = PhaseName(shown.phase);
  values[absl::StrCat(base, ".startedAt")] = Rfc3339(shown.started_at);
  if (shown.finished_at != absl::InfiniteFuture()) {
    values[absl::StrCat(base, ".finishedAt")] = Rfc3339(shown.finished_at);
  }
  if (shown.outputs.has_value()) AddOutputs(prefix, name, *shown.outputs);
}

void LocalScope::AddSkipped(const std::string& prefix, const std::string& name,
                            const Template& definition, bool with_artifacts) {
  const std::string base = absl::StrCat(prefix, ".", name, ".outputs.");
  for (const Parameter& parameter : definition.outputs.parameters) {
    Value& value = values[absl::StrCat(base, "parameters.", parameter.name)];
    value = Value();
    if (parameter.value_from.has_value() &&
        parameter.value_from->default_value.has_value()) {
      value = *parameter.value_from->default_value;
    }
  }
  if (!with_artifacts) return;
  for (const Artifact& artifact : definition.outputs.artifacts) {
    artifacts[absl::StrCat(base, "artifacts.", artifact.name)] = {};
  }
}

absl::Status LocalScope::AddItems(const std::string& prefix,
                                  const std::string& name,
                                  const std::vector<const Node*>& nodes) {
  Gathered gathered;
  for (const Node* node : nodes) {
    if (!node->outputs.has_value() || node->phase != Phase::kSucceeded) {
      continue;
    }
    RK_RETURN_IF_ERROR(gathered.Add(*node->outputs));
  }
  const auto text = [](const json& list) {
    return list.dump(-1, ' ', false, json::error_handler_t::replace);
  };
  const std::string base = absl::StrCat(prefix, ".", name, ".outputs.");
  values[absl::StrCat(base, "result")] = text(gathered.results);
  values[absl::StrCat(base, "parameters")] = text(gathered.parameters);
  for (const auto& [parameter, list] : gathered.by_name) {
    values[absl::StrCat(base, "parameters.", parameter)] = JsonList(list);
  }
  return absl::OkStatus();
}

void LocalScope::AddInputs(const Template& rendered) {
  for (const Parameter& parameter : rendered.inputs.parameters) {
    values[absl::StrCat("inputs.parameters.", parameter.name)] =
        parameter.value.value_or("");
  }
  for (const Artifact& artifact : rendered.inputs.artifacts) {
    artifacts[absl::StrCat("inputs.artifacts.", artifact.name)] = artifact;
  }
}

Scope LocalScope::Over(const Scope& globals) const {
  Scope merged = values;
  merged.insert(globals.begin(), globals.end());
  return merged;
}

Value::Map LocalScope::Variables(const Scope& globals) const {
  Scope all = Over(globals);
  for (const auto& [name, artifact] : artifacts) all[name] = ToValue(artifact);
  return ToVariables(all);
}

absl::StatusOr<Artifact> LocalScope::FindArtifact(const Artifact& reference,
                                                  const Scope& globals) const {
  if (!reference.from_expression.empty()) {
    RK_ASSIGN_OR_RETURN(const Expression expression,
                        Expression::Parse(reference.from_expression));
    RK_ASSIGN_OR_RETURN(const Value value,
                        expression.Evaluate(Variables(globals)));
    if (value.as_map() != nullptr) return ToArtifact(*value.as_map());
    return absl::InvalidArgumentError(
        absl::StrCat("artifact '", reference.name, "': fromExpression '",
                     reference.from_expression, "' gives ", value.kind(),
                     ", expected an artifact"));
  }
  const auto found = artifacts.find(SingleTag(reference.from));
  if (found != artifacts.end()) return found->second;
  return absl::NotFoundError(
      absl::StrCat("Unable to resolve: ", reference.from));
}

}  // namespace rekindle::argo
