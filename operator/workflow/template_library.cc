#include "operator/workflow/template_library.h"

#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/nearest_name.h"
#include "base/status_macros.h"
#include "operator/workflow/workflow_loader.h"

namespace rekindle::argo {
namespace {

std::string DidYouMean(const std::string& name,
                       const std::vector<std::string>& names) {
  const std::optional<std::string> nearest = NearestName(name, names);
  return nearest.has_value() ? absl::StrCat("; did you mean '", *nearest, "'?")
                             : "";
}

std::vector<std::string> TemplateNames(const WorkflowSpec& spec) {
  std::vector<std::string> names;
  for (const Template& one : spec.templates) names.push_back(one.name);
  return names;
}

absl::StatusOr<TemplateLibrary::Found> FindIn(const Workflow& owner,
                                              const std::string& name) {
  if (const Template* found = owner.spec.FindTemplate(name)) {
    return TemplateLibrary::Found{&owner, found};
  }
  return absl::NotFoundError(
      absl::StrCat("there is no template '", name, "' in ", owner.Describe(),
                   DidYouMean(name, TemplateNames(owner.spec))));
}

}  // namespace

TemplateLibrary::TemplateLibrary() {
  for (const Workflow& builtin : BuiltinTemplates()) Add(builtin);
}

void TemplateLibrary::Add(Workflow workflow) {
  const bool cluster = workflow.kind == WorkflowKind::kClusterWorkflowTemplate;
  if (!cluster && workflow.kind != WorkflowKind::kWorkflowTemplate) return;
  const std::pair<bool, std::string> key = {cluster, workflow.name};
  workflows_.insert_or_assign(key, std::move(workflow));
}

const Workflow* TemplateLibrary::Find(const std::string& name,
                                      bool cluster_scope) const {
  const auto found = workflows_.find({cluster_scope, name});
  return found == workflows_.end() ? nullptr : &found->second;
}

std::vector<std::string> TemplateLibrary::Names(bool cluster_scope) const {
  std::vector<std::string> names;
  for (const auto& [key, workflow] : workflows_) {
    if (key.first == cluster_scope) names.push_back(key.second);
  }
  return names;
}

absl::StatusOr<TemplateLibrary::Found> TemplateLibrary::Resolve(
    const TemplateRef& ref) const {
  const Workflow* workflow = Find(ref.name, ref.cluster_scope);
  if (workflow == nullptr) {
    return absl::NotFoundError(absl::StrCat(
        "there is no ",
        ref.cluster_scope ? "ClusterWorkflowTemplate" : "WorkflowTemplate",
        " '", ref.name, "'", DidYouMean(ref.name, Names(ref.cluster_scope)),
        "; give its file with --template"));
  }
  return FindIn(*workflow, ref.template_name);
}

absl::StatusOr<TemplateLibrary::Found> TemplateLibrary::Resolve(
    const Step& step, const Workflow& owner) const {
  const int given = (step.template_name.empty() ? 0 : 1) +
                    (step.template_ref.has_value() ? 1 : 0) +
                    (step.inline_template != nullptr ? 1 : 0);
  if (given != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", step.name,
                     "' must have one of template, templateRef and inline, "
                     "and has ",
                     given == 0 ? "none" : "more"));
  }
  if (step.inline_template != nullptr) {
    return Found{&owner, step.inline_template.get()};
  }
  if (step.template_ref.has_value()) return Resolve(*step.template_ref);
  return FindIn(owner, step.template_name);
}

absl::StatusOr<TemplateLibrary::Found> TemplateLibrary::Resolve(
    const LifecycleHook& hook, const Workflow& owner) const {
  if (hook.template_ref.has_value()) return Resolve(*hook.template_ref);
  return FindIn(owner, hook.template_name);
}

const std::vector<Workflow>& BuiltinTemplates() {
  static const auto* const kTemplates = new std::vector<Workflow>(
      LoadWorkflows(BuiltinTemplateText(), "rekindle.yaml (built in)")
          .workflows);
  return *kTemplates;
}

}  // namespace rekindle::argo
