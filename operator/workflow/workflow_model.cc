#include "operator/workflow/workflow_model.h"

#include "absl/strings/str_cat.h"

namespace rekindle::argo {
namespace {

template <typename T>
const T* FindByName(const std::vector<T>& all, const std::string& name) {
  for (const T& one : all) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

}  // namespace

const Parameter* Arguments::FindParameter(const std::string& name) const {
  return FindByName(parameters, name);
}

const Artifact* Arguments::FindArtifact(const std::string& name) const {
  return FindByName(artifacts, name);
}

const Template* WorkflowSpec::FindTemplate(const std::string& name) const {
  return FindByName(templates, name);
}

const char* KindName(TemplateKind kind) {
  switch (kind) {
    case TemplateKind::kContainer:
      return "container";
    case TemplateKind::kScript:
      return "script";
    case TemplateKind::kSteps:
      return "steps";
    case TemplateKind::kDag:
      return "dag";
    case TemplateKind::kSuspend:
      return "suspend";
    case TemplateKind::kContainerSet:
      return "containerSet";
    case TemplateKind::kResource:
      return "resource";
    case TemplateKind::kData:
      return "data";
    case TemplateKind::kHttp:
      return "http";
    case TemplateKind::kPlugin:
      return "plugin";
    default:
      return "none";
  }
}

const char* KindName(WorkflowKind kind) {
  switch (kind) {
    case WorkflowKind::kWorkflow:
      return "Workflow";
    case WorkflowKind::kWorkflowTemplate:
      return "WorkflowTemplate";
    case WorkflowKind::kClusterWorkflowTemplate:
      return "ClusterWorkflowTemplate";
    default:
      return "CronWorkflow";
  }
}

bool Template::IsLeaf() const {
  return kind() != TemplateKind::kSteps && kind() != TemplateKind::kDag &&
         kind() != TemplateKind::kNone;
}

std::vector<const Step*> Template::AllSteps() const {
  std::vector<const Step*> all;
  for (const StepGroup& group : steps) {
    for (const Step& step : group.steps) all.push_back(&step);
  }
  if (dag.has_value()) {
    for (const Step& task : dag->tasks) all.push_back(&task);
  }
  return all;
}

std::string Workflow::Describe() const {
  return absl::StrCat(KindName(kind), " '", name.empty() ? generate_name : name,
                      "'");
}

}  // namespace rekindle::argo
