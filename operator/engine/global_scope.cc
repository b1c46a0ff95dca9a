#include "operator/engine/global_scope.h"

#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "nlohmann/json.hpp"

namespace rekindle::argo {
namespace {

using nlohmann::json;

std::string Text(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string Format(absl::string_view format, absl::Time time) {
  return absl::FormatTime(std::string(format), time, absl::UTCTimeZone());
}

void AddTimes(absl::Time created, Scope& scope) {
  const std::string base = "workflow.creationTimestamp";
  scope[base] = Format("%Y-%m-%dT%H:%M:%SZ", created);
  scope[base + ".RFC3339"] = Format("%Y-%m-%dT%H:%M:%SZ", created);
  scope[base + ".s"] = absl::StrCat(absl::ToUnixSeconds(created));
  for (const char c : absl::string_view("BbmAadHIMSYyp")) {
    scope[absl::StrCat(base, ".", absl::string_view(&c, 1))] =
        Format(absl::StrCat("%", absl::string_view(&c, 1)), created);
  }
  scope[base + ".Z"] = "UTC";
  scope[base + ".z"] = "+0000";
  scope[base + ".L"] = ".000";
}

void AddMap(const std::string& base,
            const std::map<std::string, std::string>& map, Scope& scope) {
  for (const auto& [name, value] : map) {
    scope[absl::StrCat(base, ".", name)] = value;
  }
  scope[base] = Text(json(map));
  scope[base + ".json"] = Text(json(map));
}

}  // namespace

Scope GlobalScope(const Workflow& workflow, const RunInfo& info) {
  Scope scope = {
      {"workflow.name", info.name},
      {"workflow.namespace", info.namespace_name},
      {"workflow.uid", info.uid},
      {"workflow.mainEntrypoint", workflow.spec.entrypoint},
      {"workflow.serviceAccountName", "default"},
      {"workflow.status", "Running"},
      {"workflow.duration", "0.000000"},
  };
  if (workflow.spec.priority.has_value()) {
    scope["workflow.priority"] = absl::StrCat(*workflow.spec.priority);
  }
  AddTimes(info.created_at, scope);
  json parameters = json::array();
  for (const Parameter& parameter : info.arguments.parameters) {
    const std::string value = parameter.value.value_or("");
    scope[absl::StrCat("workflow.parameters.", parameter.name)] = value;
    parameters.push_back({{"name", parameter.name}, {"value", value}});
  }
  scope["workflow.parameters"] = Text(parameters);
  scope["workflow.parameters.json"] = Text(parameters);
  std::map<std::string, std::string> labels = workflow.labels;
  labels.insert(workflow.spec.metadata_labels.begin(),
                workflow.spec.metadata_labels.end());
  AddMap("workflow.labels", labels, scope);
  std::map<std::string, std::string> annotations = workflow.annotations;
  annotations.insert(workflow.spec.metadata_annotations.begin(),
                     workflow.spec.metadata_annotations.end());
  AddMap("workflow.annotations", annotations, scope);
  return scope;
}

std::string Failures(const NodeTree& tree) {
  json failures = json::array();
  for (const Node& node : tree.nodes()) {
    if (!IsFailure(node.phase)) continue;
    failures.push_back(
        {{"displayName", node.display_name},
         {"message", node.message},
         {"templateName", node.template_name},
         {"phase", PhaseName(node.phase)},
         {"podName", PodName(tree.workflow_name(), node.name,
                             node.template_name, node.id)},
         {"finishedAt", Format("%Y-%m-%dT%H:%M:%SZ", node.finished_at)}});
  }
  return Text(json(failures.empty() ? "null" : Text(failures)));
}

}  // namespace rekindle::argo
