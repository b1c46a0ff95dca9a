#include "operator/submit/references.h"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "base/nearest_name.h"
#include "base/status_macros.h"
#include "nlohmann/json.hpp"
#include "operator/kube/json_text.h"
#include "operator/kube/kube_client.h"
#include "operator/kube/resource.h"

namespace rekindle::argo {
namespace {

using nlohmann::json;

// An empty field is as good as none.
bool IsClusterScope(const json& ref) {
  const auto scope = ref.find("clusterScope");
  return scope != ref.end() && *scope == true;
}

// What refers to templates in a Workflow, and where it stands.
class Collector {
 public:
  void TakeWorkflow(const json& spec);
  std::vector<TemplateReference> found() && { return std::move(found_); }

 private:
  // `holder` is a step, a task or a hook, and may have hooks itself.
  void Take(const json& holder, const std::string& where);
  void TakeHooks(const json& holder, const std::string& where);
  void TakeTemplate(const json& source);

  std::vector<TemplateReference> found_;
};

void Collector::Take(const json& holder, const std::string& where) {
  if (!holder.is_object()) return;
  TakeHooks(holder, where);
  const auto ref = holder.find("templateRef");
  if (ref == holder.end() || !ref->is_object()) return;
  TemplateReference reference{TextAt(*ref, "/name"), TextAt(*ref, "/template"),
                              IsClusterScope(*ref), where};
  // Known only when it runs.
  if (absl::StrContains(reference.name, "{{")) return;
  if (absl::StrContains(reference.template_name, "{{")) return;
  found_.push_back(std::move(reference));
}

void Collector::TakeHooks(const json& holder, const std::string& where) {
  const auto hooks = holder.find("hooks");
  if (hooks == holder.end() || !hooks->is_object()) return;
  for (const auto& [name, hook] : hooks->items()) {
    Take(hook,
         absl::StrCat(where, where.empty() ? "" : ", ", "hook '", name, "'"));
  }
}

void Collector::TakeTemplate(const json& source) {
  const std::string in =
      absl::StrCat("template '", TextAt(source, "/name"), "', ");
  const auto take = [&](const json& part, absl::string_view what) {
    Take(part, absl::StrCat(in, what, " '", TextAt(part, "/name"), "'"));
  };
  if (source.contains("steps")) {
    for (const json& group : source["steps"]) {
      for (const json& step : group) take(step, "step");
    }
  }
  const json::json_pointer tasks("/dag/tasks");
  if (source.contains(tasks)) {
    for (const json& task : source[tasks]) take(task, "task");
  }
}

void Collector::TakeWorkflow(const json& spec) {
  const auto ref = spec.find("workflowTemplateRef");
  if (ref != spec.end() && ref->is_object()) {
    found_.push_back({TextAt(*ref, "/name"), "", IsClusterScope(*ref),
                      "spec.workflowTemplateRef"});
  }
  if (spec.contains("templates")) {
    for (const json& part : spec["templates"]) TakeTemplate(part);
  }
  TakeHooks(spec, "");
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

// The cluster's objects that references name, each asked for once.
class Installed {
 public:
  Installed(const std::string& in_namespace, KubeClient& client)
      : namespace_(in_namespace), client_(client) {}

  absl::Status Find(const TemplateReference& reference);
  InstalledTemplates found() &&;

 private:
  // Nothing if the account may not look.
  absl::StatusOr<std::optional<json>> Ask(const TemplateReference& reference,
                                          const Resource& resource);

  const std::string& namespace_;
  KubeClient& client_;
  std::map<std::pair<bool, std::string>, std::optional<json>> asked_;
};

absl::StatusOr<std::optional<json>> Installed::Ask(
    const TemplateReference& reference, const Resource& resource) {
  const auto key = std::make_pair(reference.cluster_scope, reference.name);
  const auto known = asked_.find(key);
  if (known != asked_.end()) return known->second;
  absl::StatusOr<json> object =
      client_.Get(resource, namespace_, reference.name);
  if (absl::IsPermissionDenied(object.status())) return asked_[key];
  if (absl::IsNotFound(object.status())) {
    return NotInstalled(reference, resource, namespace_);
  }
  RK_RETURN_IF_ERROR(object.status());
  return asked_[key] = *std::move(object);
}

absl::Status Installed::Find(const TemplateReference& reference) {
  const Resource& resource =
      reference.cluster_scope ? kClusterWorkflowTemplates : kWorkflowTemplates;
  RK_ASSIGN_OR_RETURN(const std::optional<json> object,
                      Ask(reference, resource));
  if (!object.has_value() || reference.template_name.empty()) {
    return absl::OkStatus();
  }
  const std::vector<std::string> names = TemplatesIn(*object);
  if (absl::c_linear_search(names, reference.template_name)) {
    return absl::OkStatus();
  }
  return NoSuchTemplate(reference, resource, names);
}

InstalledTemplates Installed::found() && {
  InstalledTemplates all;
  for (auto& [key, object] : asked_) {
    if (!object.has_value()) all.complete = false;
    if (object.has_value()) all.objects.push_back(*std::move(object));
  }
  return all;
}

}  // namespace

std::vector<TemplateReference> ReferencesOf(const json& workflow) {
  Collector collector;
  if (workflow.contains("spec") && workflow["spec"].is_object()) {
    collector.TakeWorkflow(workflow["spec"]);
  }
  return std::move(collector).found();
}

absl::StatusOr<InstalledTemplates> FindReferences(
    const json& workflow, const std::string& in_namespace, KubeClient& client) {
  Installed installed(in_namespace, client);
  for (const TemplateReference& reference : ReferencesOf(workflow)) {
    RK_RETURN_IF_ERROR(installed.Find(reference));
  }
  return std::move(installed).found();
}

}  // namespace rekindle::argo
