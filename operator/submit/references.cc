#include "operator/submit/references.h"

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/nearest_name.h"
#include "base/status_macros.h"
#include "nlohmann/json.hpp"
#include "operator/kube/json_text.h"
#include "operator/kube/kube_client.h"
#include "operator/kube/resource.h"

namespace rekindle::argo {
namespace {

using nlohmann::json;

void Collect(const json& holder, const std::string& where,
             std::vector<TemplateReference>& references) {
  if (!holder.is_object() || !holder.contains("templateRef")) return;
  const json& ref = holder["templateRef"];
  if (!ref.is_object()) return;
  const TemplateReference reference{TextAt(ref, "/name"),
                                    TextAt(ref, "/template"),
                                    ref.value("clusterScope", false), where};
  if (absl::StrContains(absl::StrCat(reference.name, reference.template_name),
                        "{{")) {
    return;
  }
  references.push_back(reference);
}

void CollectTemplate(const json& source,
                     std::vector<TemplateReference>& references) {
  const std::string in =
      absl::StrCat("template '", TextAt(source, "/name"), "'");
  if (source.contains("steps")) {
    for (const json& group : source["steps"]) {
      for (const json& step : group) {
        Collect(step, absl::StrCat(in, ", step '", TextAt(step, "/name"), "'"),
                references);
      }
    }
  }
  const json::json_pointer tasks("/dag/tasks");
  if (source.contains(tasks)) {
    for (const json& task : source[tasks]) {
      Collect(task, absl::StrCat(in, ", task '", TextAt(task, "/name"), "'"),
              references);
    }
  }
}

std::vector<std::string> TemplatesIn(const json& installed) {
  std::vector<std::string> names;
  const json::json_pointer at("/spec/templates");
  if (!installed.contains(at)) return names;
  for (const json& part : installed[at]) {
    names.push_back(TextAt(part, "/name"));
  }
  return names;
}

absl::Status NotInstalled(const TemplateReference& reference,
                          const Resource& resource,
                          const std::string& in_namespace) {
  return absl::NotFoundError(absl::StrCat(
      resource.kind, " '", reference.name, "' is not installed in ",
      resource.namespaced ? absl::StrCat("namespace '", in_namespace, "'")
                          : "the cluster",
      ", but ", reference.where, " refers to it; install it with 'kubectl ",
      resource.namespaced ? absl::StrCat("-n ", in_namespace, " ") : "",
      "apply -f FILE'"));
}

absl::Status NoSuchTemplate(const TemplateReference& reference,
                            const Resource& resource,
                            const std::vector<std::string>& names) {
  const std::optional<std::string> nearest =
      NearestName(reference.template_name, names);
  return absl::NotFoundError(
      absl::StrCat(reference.where, " refers to template '",
                   reference.template_name, "', which the installed ",
                   resource.kind, " '", reference.name, "' does not have; ",
                   nearest.has_value()
                       ? absl::StrCat("did you mean '", *nearest, "'?")
                       : absl::StrCat("it has ", absl::StrJoin(names, ", "))));
}

absl::Status FindOne(const TemplateReference& reference,
                     const std::string& in_namespace, KubeClient& client,
                     InstalledTemplates& found) {
  const Resource& resource =
      reference.cluster_scope ? kClusterWorkflowTemplates : kWorkflowTemplates;
  const absl::StatusOr<json> installed =
      client.Get(resource, in_namespace, reference.name);
  if (absl::IsPermissionDenied(installed.status())) {
    found.complete = false;
    return absl::OkStatus();
  }
  if (absl::IsNotFound(installed.status())) {
    return NotInstalled(reference, resource, in_namespace);
  }
  RK_RETURN_IF_ERROR(installed.status());
  found.objects.push_back(*installed);
  if (reference.template_name.empty()) return absl::OkStatus();
  const std::vector<std::string> names = TemplatesIn(*installed);
  for (const std::string& name : names) {
    if (name == reference.template_name) return absl::OkStatus();
  }
  return NoSuchTemplate(reference, resource, names);
}

}  // namespace

std::vector<TemplateReference> ReferencesOf(const json& workflow) {
  std::vector<TemplateReference> references;
  if (!workflow.contains("spec") || !workflow["spec"].is_object()) return {};
  const json& spec = workflow["spec"];
  if (spec.contains("workflowTemplateRef")) {
    const json& ref = spec["workflowTemplateRef"];
    references.push_back({TextAt(ref, "/name"), "",
                          ref.value("clusterScope", false),
                          "spec.workflowTemplateRef"});
  }
  if (spec.contains("templates")) {
    for (const json& part : spec["templates"]) {
      CollectTemplate(part, references);
    }
  }
  return references;
}

absl::StatusOr<InstalledTemplates> FindReferences(
    const json& workflow, const std::string& in_namespace, KubeClient& client) {
  InstalledTemplates found;
  for (const TemplateReference& reference : ReferencesOf(workflow)) {
    RK_RETURN_IF_ERROR(FindOne(reference, in_namespace, client, found));
  }
  return found;
}

}  // namespace rekindle::argo
