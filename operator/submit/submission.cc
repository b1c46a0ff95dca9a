#include "operator/submit/submission.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "base/status_util.h"
#include "nlohmann/json.hpp"
#include "operator/kube/json_text.h"
#include "operator/kube/kube_client.h"
#include "operator/kube/resource.h"
#include "operator/workflow/workflow_model.h"
#include "operator/workflow/yaml_node.h"

namespace rekindle::argo {
namespace {

using nlohmann::json;
using NameAndValue = std::pair<std::string, std::string>;

bool Names(const std::vector<NameAndValue>& parameters,
           const std::string& name) {
  return std::any_of(
      parameters.begin(), parameters.end(),
      [&name](const NameAndValue& given) { return given.first == name; });
}

void OverrideParameters(const std::vector<NameAndValue>& given, json& spec) {
  if (given.empty()) return;
  json all = json::array();
  for (const auto& [name, value] : given) {
    all.push_back({{"name", name}, {"value", value}});
  }
  json arguments = ObjectAt(spec, "/arguments");
  for (const json& parameter : arguments["parameters"]) {
    if (!Names(given, TextAt(parameter, "/name"))) all.push_back(parameter);
  }
  arguments["parameters"] = std::move(all);
  spec["arguments"] = std::move(arguments);
}

// Argo would accept the workflow and fail it at once.
absl::Status CheckArgumentsHaveValues(const json& spec) {
  const json::json_pointer at("/arguments/parameters");
  if (!spec.contains(at)) return absl::OkStatus();
  for (const json& parameter : spec[at]) {
    if (parameter.contains("value") || parameter.contains("valueFrom") ||
        parameter.contains("default") || spec.contains("workflowTemplateRef")) {
      continue;
    }
    const std::string name = TextAt(parameter, "/name");
    return absl::InvalidArgumentError(
        absl::StrCat("the workflow's argument '", name,
                     "' has no value; give it one with -p ", name, "=VALUE"));
  }
  return absl::OkStatus();
}

json OwnedBy(const json& owner, const Resource& resource) {
  return {{"apiVersion", resource.ApiVersion()},
          {"kind", resource.kind},
          {"name", TextAt(owner, "/metadata/name")},
          {"uid", TextAt(owner, "/metadata/uid")},
          {"controller", true},
          {"blockOwnerDeletion", true}};
}

json EmptyWorkflow(const std::string& base) {
  return {
      {"apiVersion", kWorkflows.ApiVersion()},
      {"kind", kWorkflows.kind},
      {"metadata",
       {{"generateName", absl::StrCat(base, "-")}, {"labels", json::object()}}},
      {"spec", json::object()}};
}

json FromTemplate(const FromReference& from) {
  json workflow = EmptyWorkflow(from.name);
  json& ref = workflow["spec"]["workflowTemplateRef"];
  ref["name"] = from.name;
  if (!from.resource->namespaced) ref["clusterScope"] = true;
  const char* label = from.resource->namespaced
                          ? "workflows.argoproj.io/workflow-template"
                          : "workflows.argoproj.io/cluster-workflow-template";
  workflow["metadata"]["labels"][label] = from.name;
  return workflow;
}

json FromCron(const FromReference& from, const json& cron, absl::Time now) {
  json workflow = EmptyWorkflow(from.name);
  json& metadata = workflow["metadata"];
  workflow["spec"] = ObjectAt(cron, "/spec/workflowSpec");
  metadata["annotations"]["workflows.argoproj.io/scheduled-time"] =
      absl::FormatTime(absl::RFC3339_sec, now, absl::UTCTimeZone());
  const char* instance = "workflows.argoproj.io/controller-instanceid";
  const json labels = ObjectAt(cron, "/metadata/labels");
  if (labels.contains(instance))
    metadata["labels"][instance] = labels[instance];
  metadata["labels"]["workflows.argoproj.io/cron-workflow"] = from.name;
  metadata["labels"].update(ObjectAt(cron, "/spec/workflowMetadata/labels"));
  metadata["annotations"].update(
      ObjectAt(cron, "/spec/workflowMetadata/annotations"));
  metadata["ownerReferences"] = {OwnedBy(cron, kCronWorkflows)};
  return workflow;
}

}  // namespace

absl::StatusOr<NameAndValue> ParseParameter(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("parameter '", text, "' is not of the form NAME=VALUE"));
  }
  return NameAndValue{text.substr(0, equals), text.substr(equals + 1)};
}

absl::StatusOr<std::map<std::string, std::string>> ParseLabels(
    const std::string& text) {
  std::map<std::string, std::string> labels;
  for (const absl::string_view part :
       absl::StrSplit(text, ',', absl::SkipEmpty())) {
    const std::vector<std::string> sides = absl::StrSplit(part, '=');
    if (sides.size() != 2 || sides[0].empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("label '", part, "' is not of the form NAME=VALUE"));
    }
    labels[sides[0]] = sides[1];
  }
  return labels;
}

absl::Status AddParametersOf(const std::string& text, const std::string& file,
                             std::vector<NameAndValue>& parameters) {
  RK_ASSIGN_OR_RETURN(const std::vector<YamlNode> documents,
                      ParseYaml(text, file));
  if (documents.size() != 1 || !documents[0].is_map()) {
    return absl::InvalidArgumentError(absl::StrCat(
        file, " is not a map of parameters, as 'name: value' on each line"));
  }
  for (const YamlField& field : documents[0].fields) {
    if (Names(parameters, field.name)) continue;
    parameters.emplace_back(field.name, field.value.is_scalar()
                                            ? field.value.text
                                            : ToJson(field.value).dump());
  }
  return absl::OkStatus();
}

absl::Status Apply(const SubmitOptions& options, json& workflow) {
  json& metadata = workflow["metadata"];
  json& spec = workflow["spec"];
  if (!options.entrypoint.empty()) spec["entrypoint"] = options.entrypoint;
  if (!options.service_account.empty()) {
    spec["serviceAccountName"] = options.service_account;
  }
  for (const auto& [name, value] : options.labels) {
    metadata["labels"][name] = value;
  }
  OverrideParameters(options.parameters, spec);
  if (!options.generate_name.empty()) {
    metadata["generateName"] = options.generate_name;
  }
  if (!options.name.empty()) metadata["name"] = options.name;
  if (TextAt(metadata, "/name").empty() &&
      TextAt(metadata, "/generateName").empty()) {
    return absl::InvalidArgumentError(
        "the workflow has neither metadata.name nor metadata.generateName; "
        "give one with --name or --generate-name");
  }
  return CheckArgumentsHaveValues(spec);
}

void Apply(const SubmitOptions& options, Workflow& workflow) {
  if (!options.entrypoint.empty()) {
    workflow.spec.entrypoint = options.entrypoint;
  }
  for (const auto& [name, value] : options.parameters) {
    std::vector<Parameter>& all = workflow.spec.arguments.parameters;
    std::erase_if(all, [&name = name](const Parameter& parameter) {
      return parameter.name == name;
    });
    Parameter given;
    given.name = name;
    given.value = value;
    all.push_back(std::move(given));
  }
}

absl::StatusOr<FromReference> ParseFrom(const std::string& text) {
  static const auto& kinds = *new std::map<std::string, const Resource*>{
      {"workflowtemplate", &kWorkflowTemplates},
      {"workflowtemplates", &kWorkflowTemplates},
      {"wftmpl", &kWorkflowTemplates},
      {"clusterworkflowtemplate", &kClusterWorkflowTemplates},
      {"clusterworkflowtemplates", &kClusterWorkflowTemplates},
      {"cwftmpl", &kClusterWorkflowTemplates},
      {"cronworkflow", &kCronWorkflows},
      {"cronworkflows", &kCronWorkflows},
      {"cronwf", &kCronWorkflows}};
  const size_t slash = text.find('/');
  const auto kind = kinds.find(absl::AsciiStrToLower(text.substr(0, slash)));
  if (slash == std::string::npos || kind == kinds.end() ||
      slash + 1 == text.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--from: '", text,
        "' is not workflowtemplate/NAME, clusterworkflowtemplate/NAME or "
        "cronworkflow/NAME"));
  }
  return FromReference{kind->second, text.substr(slash + 1)};
}

absl::StatusOr<json> WorkflowFrom(const FromReference& from,
                                  const std::string& in_namespace,
                                  absl::Time now, KubeClient& client) {
  const absl::StatusOr<json> source =
      client.Get(*from.resource, in_namespace, from.name);
  // Who may submit need not be allowed to read templates.
  const bool unknown = absl::IsPermissionDenied(source.status());
  if (from.resource != &kCronWorkflows && unknown) return FromTemplate(from);
  if (!source.ok()) return WithContext(source.status(), "--from");
  return from.resource == &kCronWorkflows ? FromCron(from, *source, now)
                                          : FromTemplate(from);
}

}  // namespace rekindle::argo
