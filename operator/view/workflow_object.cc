#include "operator/view/workflow_object.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "nlohmann/json.hpp"
#include "operator/view/shown_workflow.h"

namespace rekindle::argo {
namespace {

using nlohmann::json;

std::string TextOf(const json& object, const char* key) {
  if (!object.is_object()) return "";
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>()
                                                     : "";
}

absl::Time TimeOf(const json& object, const char* key) {
  absl::Time time;
  std::string error;
  const bool known =
      absl::ParseTime(absl::RFC3339_full, TextOf(object, key), &time, &error);
  return known ? time : absl::InfiniteFuture();
}

std::string TemplateOf(const json& node) {
  const json ref = node.value("templateRef", json::object());
  const std::string name = TextOf(ref, "name");
  return name.empty() ? TextOf(node, "templateName")
                      : absl::StrCat(name, "/", TextOf(ref, "template"));
}

ShownNode ShowNode(const json& node) {
  ShownNode shown;
  shown.id = TextOf(node, "id");
  shown.name = TextOf(node, "name");
  shown.display_name = TextOf(node, "displayName");
  shown.boundary_id = TextOf(node, "boundaryID");
  shown.type = TextOf(node, "type");
  shown.phase = TextOf(node, "phase");
  shown.template_name = TemplateOf(node);
  shown.message = TextOf(node, "message");
  shown.progress = TextOf(node, "progress");
  shown.started = TimeOf(node, "startedAt");
  shown.finished = TimeOf(node, "finishedAt");
  return shown;
}

// An object lists its nodes by their ids, which are hashes.
bool ComesFirst(const ShownNode& a, const ShownNode& b) {
  if (a.started != b.started) return a.started < b.started;
  return a.name < b.name;
}

}  // namespace

ShownWorkflow ShowObject(const json& workflow) {
  const json status = workflow.value("status", json::object());
  ShownWorkflow shown;
  shown.name = TextOf(workflow.value("metadata", json::object()), "name");
  shown.phase = TextOf(status, "phase");
  if (shown.phase.empty()) shown.phase = "Pending";
  shown.message = TextOf(status, "message");
  shown.progress = TextOf(status, "progress");
  shown.started = TimeOf(status, "startedAt");
  shown.finished = TimeOf(status, "finishedAt");
  const json nodes = status.value("nodes", json::object());
  for (const json& node : nodes) {
    ShownNode& added = shown.nodes.emplace_back(ShowNode(node));
    // What is part of something unknown is still to be seen.
    if (!nodes.contains(added.boundary_id)) added.boundary_id.clear();
  }
  std::sort(shown.nodes.begin(), shown.nodes.end(), ComesFirst);
  return shown;
}

}  // namespace rekindle::argo
