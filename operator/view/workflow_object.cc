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

// The object of that name in `object`; an empty one if it has none.
const json& ObjectAt(const json& object, const char* key) {
  static const auto& none = *new json(json::object());
  if (!object.is_object()) return none;
  const auto found = object.find(key);
  return found != object.end() && found->is_object() ? *found : none;
}

absl::Time TimeOf(const json& object, const char* key) {
  absl::Time time;
  std::string error;
  const bool known =
      absl::ParseTime(absl::RFC3339_full, TextOf(object, key), &time, &error);
  return known ? time : absl::InfiniteFuture();
}

std::string TemplateOf(const json& node) {
  const json& ref = ObjectAt(node, "templateRef");
  const std::string name = TextOf(ref, "name");
  return name.empty() ? TextOf(node, "templateName")
                      : absl::StrCat(name, "/", TextOf(ref, "template"));
}

ShownNode ShowNode(const std::string& id, const json& node) {
  ShownNode shown;
  shown.id = id;
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
  const json& status = ObjectAt(workflow, "status");
  ShownWorkflow shown;
  shown.name = TextOf(ObjectAt(workflow, "metadata"), "name");
  shown.phase = TextOf(status, "phase");
  if (shown.phase.empty()) shown.phase = "Pending";
  shown.message = TextOf(status, "message");
  shown.progress = TextOf(status, "progress");
  shown.started = TimeOf(status, "startedAt");
  shown.finished = TimeOf(status, "finishedAt");
  const json& nodes = ObjectAt(status, "nodes");
  for (const auto& [id, node] : nodes.items()) {
    if (!node.is_object()) continue;
    ShownNode& added = shown.nodes.emplace_back(ShowNode(id, node));
    // What is part of something unknown is still to be seen.
    if (!nodes.contains(added.boundary_id)) added.boundary_id.clear();
  }
  std::sort(shown.nodes.begin(), shown.nodes.end(), ComesFirst);
  return shown;
}

}  // namespace rekindle::argo
