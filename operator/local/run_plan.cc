#include "operator/local/run_plan.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "operator/lint/validate.h"
#include "operator/local/reach_check.h"
#include "operator/workflow/depends.h"
#include "operator/workflow/finding.h"
#include "operator/workflow/workflow_loader.h"

namespace rekindle::argo {
namespace {

absl::StatusOr<std::vector<Workflow>> Load(const std::string& path) {
  RK_ASSIGN_OR_RETURN(LoadedWorkflows loaded, LoadWorkflowFile(path));
  RK_RETURN_IF_ERROR(ToStatus(loaded.findings));
  return std::move(loaded.workflows);
}

// Which of them is run.
absl::StatusOr<const Workflow*> Choose(const std::vector<Workflow>& workflows,
                                       const std::string& file) {
  for (const WorkflowKind kind :
       {WorkflowKind::kWorkflow, WorkflowKind::kCronWorkflow,
        WorkflowKind::kWorkflowTemplate,
        WorkflowKind::kClusterWorkflowTemplate}) {
    const auto found =
        std::find_if(workflows.begin(), workflows.end(),
                     [kind](const Workflow& w) { return w.kind == kind; });
    if (found != workflows.end()) return &*found;
  }
  return absl::InvalidArgumentError(absl::StrCat(
      file, " holds no Workflow, CronWorkflow or WorkflowTemplate"));
}

// Those of `base`, with the values that `over` gives.
void Override(Arguments& base, const Arguments& over) {
  for (const Parameter& parameter : over.parameters) {
    const auto had = std::find_if(
        base.parameters.begin(), base.parameters.end(),
        [&](const Parameter& p) { return p.name == parameter.name; });
    if (had == base.parameters.end()) {
      base.parameters.push_back(parameter);
    } else if (parameter.value.has_value()) {
      had->value = parameter.value;
    }
  }
  for (const Artifact& artifact : over.artifacts) {
    std::erase_if(base.artifacts,
                  [&](const Artifact& a) { return a.name == artifact.name; });
    base.artifacts.push_back(artifact);
  }
}

// A workflow that only names a WorkflowTemplate becomes that one.
absl::Status FollowTemplateRef(Workflow& workflow,
                               const TemplateLibrary& library) {
  if (!workflow.spec.workflow_template_ref.has_value()) return absl::OkStatus();
  const TemplateRef ref = *workflow.spec.workflow_template_ref;
  const Workflow* named = library.Find(ref.name, ref.cluster_scope);
  if (named == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat(ref.position.ToString(), ": workflowTemplateRef names '",
                     ref.name, "', which no --template file holds"));
  }
  WorkflowSpec spec = named->spec;
  if (!workflow.spec.entrypoint.empty()) {
    spec.entrypoint = workflow.spec.entrypoint;
  }
  Override(spec.arguments, workflow.spec.arguments);
  if (!workflow.spec.on_exit.empty()) spec.on_exit = workflow.spec.on_exit;
  if (!workflow.spec.hooks.empty()) spec.hooks = workflow.spec.hooks;
  if (workflow.spec.parallelism.has_value()) {
    spec.parallelism = workflow.spec.parallelism;
  }
  if (workflow.spec.active_deadline_seconds.has_value()) {
    spec.active_deadline_seconds = workflow.spec.active_deadline_seconds;
  }
  workflow.spec = std::move(spec);
  workflow.source = named->source;
  return absl::OkStatus();
}

absl::Status SetParameters(const RunRequest& request, Workflow& workflow) {
  for (const auto& [name, value] : request.parameters) {
    Parameter parameter;
    parameter.name = name;
    parameter.value = value;
    Override(workflow.spec.arguments, {{parameter}, {}});
  }
  for (const Parameter& parameter : workflow.spec.arguments.parameters) {
    if (parameter.value.has_value()) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        parameter.position.ToString(), ": parameter '", parameter.name,
        "' of the workflow has no value; give it one with -p ", parameter.name,
        "=VALUE"));
  }
  return absl::OkStatus();
}

bool IsLibrary(const Workflow& workflow) {
  return workflow.kind == WorkflowKind::kWorkflowTemplate ||
         workflow.kind == WorkflowKind::kClusterWorkflowTemplate;
}

absl::Status CheckSuspends(const Workflow& workflow) {
  for (const Template& definition : workflow.spec.templates) {
    if (!definition.suspend.has_value() ||
        !definition.suspend->duration.empty()) {
      continue;
    }
    return absl::InvalidArgumentError(absl::StrCat(
        definition.suspend->position.ToString(), ": template '",
        definition.name,
        "' suspends until somebody resumes it, and here is nobody; give it a "
        "duration, or go on at once with --resume-suspended"));
  }
  return absl::OkStatus();
}

absl::Status Check(const Workflow& workflow, const TemplateLibrary& library,
                   const std::vector<Workflow>& users) {
  Findings findings = Validate(workflow, library);
  if (!HasErrors(findings)) {
    for (const Finding& finding : CheckRunnable(workflow)) {
      findings.push_back(finding);
    }
    for (const Workflow& user : users) {
      for (const Finding& finding : CheckRunnable(user)) {
        findings.push_back(finding);
      }
    }
  }
  return ToStatus(findings);
}

std::string NameOf(const Step& step) {
  if (step.template_ref.has_value()) {
    return absl::StrCat(step.template_ref->name, "/",
                        step.template_ref->template_name);
  }
  return step.inline_template != nullptr ? "inline" : step.template_name;
}

// Writes down what a template would run.
class Description {
 public:
  explicit Description(const RunPlan& plan) : plan_(plan) {}

  std::string Write() {
    absl::StrAppend(&text_, plan_.workflow.Describe(), "\n");
    for (const Parameter& parameter : plan_.arguments.parameters) {
      absl::StrAppend(&text_, "  ", parameter.name, " = ",
                      parameter.value.value_or(""), "\n");
    }
    Step entry;
    entry.template_name = plan_.workflow.spec.entrypoint;
    entry.name = "entrypoint";
    Add(entry, plan_.workflow, "");
    if (!plan_.workflow.spec.on_exit.empty()) {
      entry.name = "onExit";
      entry.template_name = plan_.workflow.spec.on_exit;
      Add(entry, plan_.workflow, "");
    }
    return std::move(text_);
  }

 private:
  void Add(const Step& step, const Workflow& owner, const std::string& indent) {
    absl::StrAppend(&text_, indent, step.name, ": ", NameOf(step));
    const auto found = plan_.library.Resolve(step, owner);
    if (found.ok()) {
      absl::StrAppend(&text_, " (", KindName(found->definition->kind()), ")");
    }
    const std::vector<std::string> waits = DependencyNames(step);
    for (size_t i = 0; i < waits.size(); ++i) {
      absl::StrAppend(&text_, i == 0 ? " after " : ", ", waits[i]);
    }
    if (!step.when.empty()) absl::StrAppend(&text_, " when ", step.when);
    if (step.Expands()) absl::StrAppend(&text_, " for each item");
    text_ += '\n';
    if (!found.ok() || !inside_.insert(found->definition).second) return;
    const std::string deeper = absl::StrCat(indent, "  ");
    for (const Step* inner : found->definition->AllSteps()) {
      Add(*inner, *found->owner, deeper);
    }
    inside_.erase(found->definition);
  }

  const RunPlan& plan_;
  std::string text_;
  std::set<const Template*> inside_;  // against recursion
};

}  // namespace

absl::StatusOr<std::unique_ptr<RunPlan>> MakeRunPlan(
    const RunRequest& request) {
  auto plan = std::make_unique<RunPlan>();
  RK_ASSIGN_OR_RETURN(const std::vector<Workflow> workflows,
                      Load(request.file));
  RK_ASSIGN_OR_RETURN(const Workflow* chosen, Choose(workflows, request.file));
  plan->workflow = *chosen;
  std::vector<Workflow> users;  // the libraries that are not ours
  for (const Workflow& workflow : workflows) {
    plan->library.Add(workflow);
    if (&workflow != chosen && IsLibrary(workflow)) users.push_back(workflow);
  }
  for (const std::string& file : request.template_files) {
    RK_ASSIGN_OR_RETURN(const std::vector<Workflow> templates, Load(file));
    for (const Workflow& workflow : templates) {
      plan->library.Add(workflow);
      users.push_back(workflow);
    }
  }
  if (!request.entrypoint.empty()) {
    plan->workflow.spec.entrypoint = request.entrypoint;
  }
  RK_RETURN_IF_ERROR(FollowTemplateRef(plan->workflow, plan->library));
  RK_RETURN_IF_ERROR(SetParameters(request, plan->workflow));
  if (plan->workflow.spec.entrypoint.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(request.file, ": ", plan->workflow.Describe(),
                     " has no entrypoint; name one with --entrypoint"));
  }
  RK_RETURN_IF_ERROR(Check(plan->workflow, plan->library, users));
  RK_RETURN_IF_ERROR(CheckReach(plan->workflow, plan->library));
  if (!request.resume_suspended) {
    RK_RETURN_IF_ERROR(CheckSuspends(plan->workflow));
    for (const Workflow& user : users) {
      RK_RETURN_IF_ERROR(CheckSuspends(user));
    }
  }
  plan->arguments = plan->workflow.spec.arguments;
  return plan;
}

std::string Describe(const RunPlan& plan) { return Description(plan).Write(); }

}  // namespace rekindle::argo
