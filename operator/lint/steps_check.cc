#include <optional>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "operator/expression/condition.h"
#include "operator/lint/name_rules.h"
#include "operator/lint/template_check.h"
#include "operator/workflow/depends.h"

// Steps and tasks.
namespace rekindle::argo {
namespace {

// Checks of one step or task, in the order Argo makes them.
class StepCheck {
 public:
  StepCheck(const Template& in, const Step& step, const char* node,
            const CheckContext& context)
      : in_(in), step_(step), node_(node), context_(context) {}

  std::string Title() const {
    return absl::StrCat(absl::string_view(node_) == "tasks" ? "task" : "step",
                        " '", step_.name, "'");
  }

  void Error(const std::string& field, const std::string& message) const {
    context_.Error(&in_, step_.position, field,
                   absl::StrCat(Title(), " ", message));
  }

  void CheckName(std::set<std::string>* seen) const {
    const std::string problem = NodeNameProblem(step_.name);
    if (step_.name.empty()) {
      context_.Error(&in_, step_.position, node_,
                     absl::StrCat("an entry of '", node_, "' has no name"));
    } else if (!problem.empty() && !HasTag(step_.name)) {
      Error(node_, absl::StrCat("has a bad name: it ", problem));
    } else if (!seen->insert(step_.name).second) {
      Error(node_, "is there twice");
    }
  }

  // What the step runs; nullopt when it is wrong or known only later.
  std::optional<TemplateLibrary::Found> Called() const {
    const bool later = HasTag(step_.template_name) ||
                       (step_.template_ref.has_value() &&
                        (HasTag(step_.template_ref->name) ||
                         HasTag(step_.template_ref->template_name)));
    if (later) return std::nullopt;
    auto found = context_.library.Resolve(step_, context_.workflow);
    if (found.ok()) return *found;
    const bool by_ref = step_.template_ref.has_value();
    context_.Error(&in_, by_ref ? step_.template_ref->position : step_.position,
                   by_ref ? "templateRef" : "template",
                   absl::StrCat(Title(), ": ", found.status().message()));
    return std::nullopt;
  }

  void CheckItems() const {
    const int kinds = (step_.with_items.empty() ? 0 : 1) +
                      (step_.with_param.empty() ? 0 : 1) +
                      (step_.with_sequence.has_value() ? 1 : 0);
    if (kinds > 1) {
      Error("withItems",
            "may have only one of withItems, withParam and withSequence");
    }
    if (step_.with_sequence.has_value() &&
        step_.with_sequence->count.has_value() &&
        step_.with_sequence->end.has_value()) {
      Error("withSequence", "may have only one of count and end");
    }
  }

  void CheckConditions() const {
    if (step_.when.empty() || HasTag(step_.when)) return;
    const auto result = EvaluateWhen(step_.when);
    if (!result.ok()) Error("when", std::string(result.status().message()));
  }

  void CheckRest(const TagScope& scope,
                 const std::optional<TemplateLibrary::Found>& called) const {
    CheckArguments(&in_, step_.arguments, "arguments", true, context_);
    CheckHooks(&in_, step_.hooks, context_);
    CheckConditions();
    CheckTags(&in_, *step_.source, scope, "inline", context_);
    if (called.has_value()) {
      CheckCall(&in_, step_.arguments, *called, step_.position, Title(),
                context_);
    }
    if (step_.inline_template != nullptr) {
      Template named = *step_.inline_template;
      if (named.name.empty()) named.name = in_.name;
      CheckTemplate(named, scope, context_);
    }
  }

 private:
  const Template& in_;
  const Step& step_;
  const char* const node_;
  const CheckContext& context_;
};

const Template* DefinitionOf(
    const std::optional<TemplateLibrary::Found>& called) {
  return called.has_value() ? called->definition : nullptr;
}

const Step* FindTask(const Dag& dag, const std::string& name) {
  for (const Step& task : dag.tasks) {
    if (task.name == name) return &task;
  }
  return nullptr;
}

void CheckDependencies(const Template& checked, const Step& task,
                       bool uses_depends, const StepCheck& check) {
  const Dag& dag = *checked.dag;
  if (uses_depends && !task.dependencies.empty()) {
    check.Error("dependencies",
                "has dependencies in a DAG whose tasks have depends; use one");
  }
  if (uses_depends && task.continue_on.has_value()) {
    check.Error("continueOn",
                "has continueOn in a DAG whose tasks have "
                "depends; name the result there instead");
  }
  const bool related = uses_depends || !task.dependencies.empty();
  if (related && !task.name.empty() && absl::ascii_isdigit(task.name[0])) {
    check.Error("name",
                "may not begin with a digit where tasks depend on "
                "each other");
  }
  for (const std::string& name : DependencyNames(task)) {
    if (FindTask(dag, name) == nullptr) {
      check.Error("depends", absl::StrCat("waits for '", name,
                                          "', which is no task of "
                                          "this DAG"));
    }
  }
  const absl::StatusOr<Depends> depends = Depends::Parse(task, dag);
  if (!depends.ok()) {
    check.Error("depends",
                absl::StrCat("depends: ", depends.status().message()));
    return;
  }
  for (const std::string& name : depends->item_tasks()) {
    const Step* other = FindTask(dag, name);
    if (other != nullptr && !other->Expands()) {
      check.Error("depends",
                  absl::StrCat("asks for all or any of the items of '", name,
                               "', which has none"));
    }
  }
}

// `{{tasks.a.outputs...}}` in an argument needs a to be an ancestor.
void CheckOrder(const Step& task, const std::set<std::string>& ancestors,
                const StepCheck& check) {
  const auto check_value = [&](const std::string& value, const char* what,
                               const std::string& name) {
    if (!absl::StartsWith(value, "{{tasks.")) return;
    const std::vector<std::string> parts = absl::StrSplit(value, '.');
    if (parts.size() < 2 || ancestors.contains(parts[1])) return;
    check.Error("arguments", absl::StrCat("takes ", what, " '", name,
                                          "' from task '", parts[1],
                                          "' without waiting for it; add it to "
                                          "depends or dependencies"));
  };
  for (const Parameter& parameter : task.arguments.parameters) {
    check_value(parameter.value.value_or(""), "parameter", parameter.name);
  }
  for (const Artifact& artifact : task.arguments.artifacts) {
    check_value(artifact.from, "artifact", artifact.name);
  }
}

void CheckTargets(const Template& checked, const TagScope& scope,
                  const CheckContext& context) {
  YamlNode target;
  target.text = checked.dag->target;
  target.position = checked.dag->position;
  CheckTags(&checked, target, scope, "", context);
  for (const absl::string_view name :
       absl::StrSplit(checked.dag->target, ' ', absl::SkipEmpty())) {
    if (absl::StrContains(name, "{{") ||
        FindTask(*checked.dag, std::string(name)) != nullptr) {
      continue;
    }
    context.Error(&checked, checked.dag->position, "dag.target",
                  absl::StrCat("the target '", name, "' is no task"));
  }
}

}  // namespace

void CheckSteps(const Template& checked, TagScope* scope,
                const CheckContext& context) {
  std::set<std::string> seen;
  for (const StepGroup& group : checked.steps) {
    for (const Step& step : group.steps) {
      const StepCheck check(checked, step, "steps", context);
      check.CheckName(&seen);
      check.CheckItems();
      scope->Add(absl::StrCat("steps.", step.name, ".status"));
      scope->AddItems(step);
      const auto called = check.Called();
      // A hook of the step may use what the step made.
      TagScope own = *scope;
      if (!step.hooks.empty() || !step.on_exit.empty()) {
        own.AddNode("steps", step, DefinitionOf(called));
      }
      check.CheckRest(own, called);
      scope->AddNode("steps", step, DefinitionOf(called));
    }
  }
}

void CheckDag(const Template& checked, TagScope* scope,
              const CheckContext& context) {
  const Dag& dag = *checked.dag;
  if (dag.tasks.empty()) {
    context.Error(&checked, dag.position, "dag.tasks", "the DAG has no tasks");
  }
  bool uses_depends = false;
  for (const Step& task : dag.tasks) uses_depends |= !task.depends.empty();
  if (const std::string cycle = FindCycle(dag); !cycle.empty()) {
    context.Error(&checked, dag.position, "dag.tasks",
                  absl::StrCat("tasks wait for each other: ", cycle));
    return;
  }
  std::set<std::string> seen;
  std::vector<std::optional<TemplateLibrary::Found>> called;
  for (const Step& task : dag.tasks) {
    const StepCheck check(checked, task, "tasks", context);
    check.CheckName(&seen);
    check.CheckItems();
    CheckDependencies(checked, task, uses_depends, check);
    called.push_back(check.Called());
    scope->AddNode("tasks", task, DefinitionOf(called.back()));
  }
  for (size_t i = 0; i < dag.tasks.size(); ++i) {
    const Step& task = dag.tasks[i];
    const StepCheck check(checked, task, "tasks", context);
    TagScope own = *scope;
    if (!task.hooks.empty()) {
      scope->Add(absl::StrCat("tasks.", task.name, ".status"));
      own.Add(absl::StrCat("tasks.", task.name, ".status"));
    }
    const std::vector<std::string> ancestors = Ancestors(dag, task.name);
    for (const std::string& name : ancestors) {
      own.Add(absl::StrCat("tasks.", name, ".status"));
    }
    own.AddItems(task);
    CheckOrder(task, {ancestors.begin(), ancestors.end()}, check);
    check.CheckRest(own, called[i]);
  }
  CheckTargets(checked, *scope, context);
}

}  // namespace rekindle::argo
