#include "operator/lint/validate.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "operator/lint/name_rules.h"
#include "operator/lint/tag_scope.h"
#include "operator/lint/template_check.h"
#include "operator/lint/volume_check.h"
#include "operator/workflow/object_name.h"

namespace rekindle::argo {
namespace {

// Kubernetes' limit of a label, and what is left of it before a time is added.
constexpr size_t kLongestName = 63;
constexpr size_t kLongestCronName = 52;

bool IsTemplateKind(const Workflow& workflow) {
  return workflow.kind == WorkflowKind::kWorkflowTemplate ||
         workflow.kind == WorkflowKind::kClusterWorkflowTemplate;
}

class WorkflowCheck {
 public:
  WorkflowCheck(const Workflow& workflow, const TemplateLibrary& library,
                Findings* findings)
      : workflow_(workflow),
        spec_(workflow.spec),
        library_(library),
        findings_(findings) {}

  void Run() {
    const Workflow merged = WithReferenced();
    globals_.AddGlobals(merged, IsTemplateKind(workflow_));
    AddGlobalOutputs(merged.spec);
    CheckName();
    CheckSchedules();
    CheckTemplateNames();
    CheckArguments(nullptr, spec_.arguments, "spec.arguments", false,
                   Context());
    CheckEntrypoint();
    CheckExit();
    CheckHooks(nullptr, spec_.hooks, Context());
    CheckPodGc();
    CheckVolumes();
    for (const Template& one : spec_.templates) {
      CheckTemplate(one, globals_, Context());
    }
  }

 private:
  CheckContext Context() const {
    return {workflow_, library_, globals_, findings_};
  }
  void Error(const std::string& field, const std::string& message) const {
    Context().Error(
        nullptr, spec_.position.line == 0 ? workflow_.position : spec_.position,
        field, message);
  }

  const Workflow* Referenced() const {
    return spec_.workflow_template_ref.has_value()
               ? library_.Find(spec_.workflow_template_ref->name,
                               spec_.workflow_template_ref->cluster_scope)
               : nullptr;
  }

  // The workflow with the parameters of the WorkflowTemplate it refers to.
  Workflow WithReferenced() const {
    Workflow merged = workflow_;
    if (const Workflow* referenced = Referenced()) {
      for (const Parameter& parameter : referenced->spec.arguments.parameters) {
        merged.spec.arguments.parameters.push_back(parameter);
      }
    }
    return merged;
  }

  // Outputs with a globalName are everyone's; which of them exist at some place
  // is for the run to say.
  void AddGlobalOutputs(const WorkflowSpec& spec) {
    for (const Template& one : spec.templates) {
      for (const Parameter& parameter : one.outputs.parameters) {
        AddGlobalOutput("workflow.outputs.parameters.", parameter.global_name);
      }
      for (const Artifact& artifact : one.outputs.artifacts) {
        AddGlobalOutput("workflow.outputs.artifacts.", artifact.global_name);
      }
    }
    // Templates of others may have them too.
    if (UsesOthers(spec)) globals_.AddPrefix("workflow.outputs.");
  }

  void AddGlobalOutput(const std::string& start, const std::string& name) {
    if (HasTag(name)) {
      globals_.AddPrefix(start);
    } else if (!name.empty()) {
      globals_.Add(absl::StrCat(start, name));
    }
  }

  static bool UsesOthers(const WorkflowSpec& spec) {
    bool uses = spec.workflow_template_ref.has_value();
    for (const Template& one : spec.templates) {
      for (const StepGroup& group : one.steps) {
        for (const Step& step : group.steps) {
          uses |= step.template_ref.has_value();
        }
      }
      if (!one.dag.has_value()) continue;
      for (const Step& task : one.dag->tasks) {
        uses |= task.template_ref.has_value();
      }
    }
    return uses;
  }

  void CheckName() const {
    const bool cron = workflow_.kind == WorkflowKind::kCronWorkflow;
    const size_t longest = cron ? kLongestCronName : kLongestName;
    if (workflow_.name.size() > longest) {
      Error("metadata.name",
            absl::StrCat("the name '", workflow_.name, "' is longer than ",
                         longest, " characters"));
    }
    CheckObjectName("name", workflow_.name, workflow_.name);
    CheckObjectName("generateName", workflow_.generate_name,
                    absl::StrCat(workflow_.generate_name, "x"));
  }

  // `completed` is what a cluster would make of it.
  void CheckObjectName(const std::string& field, const std::string& name,
                       const std::string& completed) const {
    if (name.empty() || HasTag(name)) return;
    const std::string problem = ObjectNameProblem(completed);
    if (problem.empty()) return;
    Context().Error(nullptr, workflow_.position,
                    absl::StrCat("metadata.", field),
                    absl::StrCat("the ", field, " '", name, "' ", problem));
  }

  void CheckVolumes() const {
    const YamlNode* spec = SpecNode();
    if (spec == nullptr) return;
    CheckVolumeNames(nullptr, spec->Find("volumes"), Context());
    const YamlNode* claims = spec->Find("volumeClaimTemplates");
    if (claims == nullptr) return;
    for (const YamlNode& claim : claims->items) {
      const YamlNode* metadata = claim.Find("metadata");
      if (metadata == nullptr) continue;
      CheckClaimName(nullptr, metadata->Find("name"), Context());
    }
  }

  // As it is written; a CronWorkflow's is inside another.
  const YamlNode* SpecNode() const {
    const YamlNode* spec =
        workflow_.source == nullptr ? nullptr : workflow_.source->Find("spec");
    const YamlNode* inner =
        spec == nullptr ? nullptr : spec->Find("workflowSpec");
    return inner == nullptr ? spec : inner;
  }

  void CheckSchedules() const {
    if (workflow_.kind != WorkflowKind::kCronWorkflow) return;
    if (workflow_.schedules.empty()) {
      Error("spec.schedules", "a CronWorkflow needs at least one schedule");
    }
    for (const std::string& schedule : workflow_.schedules) {
      if (const std::string problem = ScheduleProblem(schedule);
          !problem.empty()) {
        Error("spec.schedules",
              absl::StrCat("the schedule '", schedule, "' ", problem));
      }
    }
  }

  void CheckTemplateNames() const {
    std::map<std::string, int> seen;
    for (const Template& one : spec_.templates) {
      const std::string problem = NodeNameProblem(one.name);
      if (one.name.empty()) {
        Context().Error(nullptr, one.position, "spec.templates",
                        "a template has no name");
      } else if (!problem.empty()) {
        Context().Error(&one, one.position, "spec.templates",
                        absl::StrCat("its name ", problem));
      } else if (++seen[one.name] == 2) {
        Context().Error(&one, one.position, "spec.templates",
                        "there is another template of this name");
      }
    }
  }

  // The template of a name: here, or in the WorkflowTemplate referred to.
  std::optional<TemplateLibrary::Found> Find(const std::string& name,
                                             const std::string& field) const {
    const Workflow* referenced = Referenced();
    const Workflow& owner = referenced == nullptr ? workflow_ : *referenced;
    Step step;
    step.name = field;
    step.template_name = name;
    const auto found = library_.Resolve(step, owner);
    if (found.ok()) return *found;
    Error(absl::StrCat("spec.", field),
          absl::StrCat(field, ": ", found.status().message()));
    return std::nullopt;
  }

  void CheckEntrypoint() const {
    std::string entrypoint = spec_.entrypoint;
    if (spec_.workflow_template_ref.has_value()) {
      const Workflow* referenced = Referenced();
      if (!spec_.templates.empty()) {
        Error("spec.templates",
              "a workflow with a workflowTemplateRef may not "
              "have templates of its own");
      }
      if (referenced == nullptr) {
        TemplateRef ref = *spec_.workflow_template_ref;
        Context().Error(nullptr, ref.position, "spec.workflowTemplateRef",
                        std::string(library_.Resolve(ref).status().message()));
        return;
      }
      if (entrypoint.empty()) entrypoint = referenced->spec.entrypoint;
    }
    if (entrypoint.empty()) {
      if (!IsTemplateKind(workflow_)) {
        Error("spec.entrypoint", "the workflow needs an entrypoint");
      }
      return;
    }
    const auto called = Find(entrypoint, "entrypoint");
    if (called.has_value() && !IsTemplateKind(workflow_)) {
      CheckEntrypointInputs(*called);
    }
  }

  // Arguments of the workflow are for all of its templates, so more of them
  // than the entrypoint takes are fine.
  void CheckEntrypointInputs(const TemplateLibrary::Found& called) const {
    Arguments given = WithReferenced().spec.arguments;
    const Inputs& inputs = called.definition->inputs;
    std::erase_if(given.parameters, [&](const Parameter& parameter) {
      return inputs.FindParameter(parameter.name) == nullptr;
    });
    given.artifacts.clear();
    for (const Artifact& artifact : spec_.arguments.artifacts) {
      if (inputs.FindArtifact(artifact.name) != nullptr) {
        given.artifacts.push_back(artifact);
      }
    }
    CheckCall(nullptr, given, called, spec_.position, "the workflow",
              Context());
  }

  void CheckExit() const {
    if (spec_.on_exit.empty() || HasTag(spec_.on_exit)) return;
    if (spec_.workflow_template_ref.has_value() && Referenced() == nullptr) {
      return;
    }
    Find(spec_.on_exit, "onExit");
  }

  void CheckPodGc() const {
    const YamlNode* spec = SpecNode();
    const YamlNode* gc = spec == nullptr ? nullptr : spec->Find("podGC");
    const YamlNode* strategy = gc == nullptr ? nullptr : gc->Find("strategy");
    if (strategy == nullptr) return;
    static constexpr auto kStrategies = std::to_array<absl::string_view>(
        {"", "OnPodCompletion", "OnPodSuccess", "OnWorkflowCompletion",
         "OnWorkflowSuccess"});
    if (std::find(kStrategies.begin(), kStrategies.end(), strategy->text) ==
        kStrategies.end()) {
      Context().Error(
          nullptr, strategy->position, "spec.podGC.strategy",
          absl::StrCat("there is no podGC strategy '", strategy->text, "'"));
    }
  }

  const Workflow& workflow_;
  const WorkflowSpec& spec_;
  const TemplateLibrary& library_;
  Findings* const findings_;
  TagScope globals_;
};

bool ComesBefore(const Finding& a, const Finding& b) {
  return std::tie(a.position.line, a.position.column) <
         std::tie(b.position.line, b.position.column);
}

}  // namespace

Findings Validate(const Workflow& workflow, const TemplateLibrary& library) {
  Findings findings;
  WorkflowCheck(workflow, library, &findings).Run();
  std::stable_sort(findings.begin(), findings.end(), ComesBefore);
  return findings;
}

}  // namespace rekindle::argo
