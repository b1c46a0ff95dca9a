#include "operator/local/status_json.h"

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "nlohmann/json.hpp"

namespace rekindle::argo {
namespace {

using nlohmann::json;

std::string Time(absl::Time time) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", time, absl::UTCTimeZone());
}

json ToJson(const std::vector<Parameter>& parameters) {
  json list = json::array();
  for (const Parameter& parameter : parameters) {
    json one = {{"name", parameter.name}};
    if (parameter.value.has_value()) one["value"] = *parameter.value;
    if (!parameter.global_name.empty()) {
      one["globalName"] = parameter.global_name;
    }
    list.push_back(std::move(one));
  }
  return list;
}

json ToJson(const std::vector<Artifact>& artifacts) {
  json list = json::array();
  for (const Artifact& artifact : artifacts) {
    json one = {{"name", artifact.name}};
    if (!artifact.path.empty()) one["path"] = artifact.path;
    if (!artifact.global_name.empty()) one["globalName"] = artifact.global_name;
    if (artifact.raw_data.has_value()) {
      one["raw"] = {{"data", *artifact.raw_data}};
    } else if (!artifact.key.empty()) {
      one["local"] = {{"key", artifact.key}};
    }
    list.push_back(std::move(one));
  }
  return list;
}

json ToJson(const Inputs& inputs) {
  json object = json::object();
  if (!inputs.parameters.empty()) {
    object["parameters"] = ToJson(inputs.parameters);
  }
  if (!inputs.artifacts.empty()) object["artifacts"] = ToJson(inputs.artifacts);
  return object;
}

void AddIf(json& object, const char* name, const std::string& value) {
  if (!value.empty()) object[name] = value;
}

void AddTimes(json& object, absl::Time started, absl::Time finished) {
  object["startedAt"] = Time(started);
  object["finishedAt"] =
      finished == absl::InfiniteFuture() ? json() : json(Time(finished));
}

json ToJson(const Node& node) {
  json object = {{"id", node.id},
                 {"name", node.name},
                 {"displayName", node.display_name},
                 {"type", NodeTypeName(node.type)},
                 {"phase", PhaseName(node.phase)}};
  if (node.template_ref.has_value()) {
    object["templateRef"] = {{"name", node.template_ref->name},
                             {"template", node.template_ref->template_name}};
    if (node.template_ref->cluster_scope) {
      object["templateRef"]["clusterScope"] = true;
    }
  }
  AddIf(object, "templateName", node.template_name);
  AddIf(object, "templateScope", node.template_scope);
  AddIf(object, "boundaryID", node.boundary_id);
  AddIf(object, "message", node.message);
  AddIf(object, "progress", node.progress);
  AddTimes(object, node.started_at, node.finished_at);
  if (node.inputs.has_value()) object["inputs"] = ToJson(*node.inputs);
  if (node.outputs.has_value() && !node.outputs->empty()) {
    object["outputs"] = ToJson(*node.outputs);
  }
  if (!node.children.empty()) object["children"] = node.children;
  if (!node.outbound_nodes.empty()) {
    object["outboundNodes"] = node.outbound_nodes;
  }
  if (node.hooked) object["nodeFlag"]["hooked"] = true;
  if (node.retried) object["nodeFlag"]["retried"] = true;
  return object;
}

}  // namespace

json ToJson(const NodeOutputs& outputs) {
  json object = json::object();
  if (!outputs.parameters.empty()) {
    object["parameters"] = ToJson(outputs.parameters);
  }
  if (!outputs.artifacts.empty()) {
    object["artifacts"] = ToJson(outputs.artifacts);
  }
  if (outputs.result.has_value()) object["result"] = *outputs.result;
  if (outputs.exit_code.has_value()) object["exitCode"] = *outputs.exit_code;
  return object;
}

NodeOutputs OutputsFromJson(const json& object) {
  NodeOutputs outputs;
  for (const json& one : object.value("parameters", json::array())) {
    Parameter parameter;
    parameter.name = one.value("name", "");
    if (one.contains("value")) parameter.value = one["value"];
    parameter.global_name = one.value("globalName", "");
    outputs.parameters.push_back(std::move(parameter));
  }
  for (const json& one : object.value("artifacts", json::array())) {
    Artifact artifact;
    artifact.name = one.value("name", "");
    artifact.path = one.value("path", "");
    artifact.global_name = one.value("globalName", "");
    if (one.contains("local")) {
      artifact.key = one["local"].value("key", "");
      artifact.location = "local";
    }
    outputs.artifacts.push_back(std::move(artifact));
  }
  if (object.contains("result")) outputs.result = object["result"];
  if (object.contains("exitCode")) outputs.exit_code = object["exitCode"];
  return outputs;
}

json ToWorkflowJson(const Workflow& workflow, const Engine& engine) {
  json object =
      workflow.source == nullptr ? json::object() : ToJson(*workflow.source);
  object["kind"] = "Workflow";
  json& metadata = object["metadata"];
  metadata["name"] = engine.info().name;
  metadata["namespace"] = engine.info().namespace_name;
  metadata["uid"] = engine.info().uid;
  metadata["creationTimestamp"] = Time(engine.info().created_at);
  json& status = object["status"];
  status = {{"phase", PhaseName(engine.phase())},
            {"progress", engine.tree().Progress()}};
  AddIf(status, "message", engine.message());
  AddTimes(status, engine.started_at(), engine.finished_at());
  status["nodes"] = json::object();
  for (const Node& node : engine.tree().nodes()) {
    status["nodes"][node.id] = ToJson(node);
  }
  if (!engine.outputs().empty()) status["outputs"] = ToJson(engine.outputs());
  return object;
}

}  // namespace rekindle::argo
