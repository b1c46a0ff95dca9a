#include "operator/local/reach_check.h"

#include <set>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "operator/pods/pod_limits.h"
#include "operator/workflow/templating.h"

namespace rekindle::argo {
namespace {

// The inputs of a template that have a value as they are written.
Scope InputsOf(const Template& definition, const Arguments& arguments) {
  Scope scope;
  for (const Parameter& input : definition.inputs.parameters) {
    const Parameter* given = arguments.FindParameter(input.name);
    const auto& value = given != nullptr && given->value.has_value()
                            ? given->value
                            : input.value;
    if (!value.has_value() || absl::StrContains(*value, "{{")) continue;
    scope[absl::StrCat("inputs.parameters.", input.name)] = *value;
  }
  return scope;
}

// Follows steps into the templates that they call.
class Walk {
 public:
  Walk(const Workflow& workflow, const TemplateLibrary& library)
      : workflow_(workflow), library_(library) {}

  // `place` is where the user's own file leads to `step`.
  absl::Status Check(const Step& step, const Workflow& owner,
                     const SourcePosition& place) {
    const auto found = library_.Resolve(step, owner);
    if (!found.ok()) return absl::OkStatus();  // Validate() tells of it.
    const absl::Status runs = CheckRunsHere(
        *found->definition, InputsOf(*found->definition, step.arguments));
    if (!runs.ok()) {
      return absl::Status(runs.code(),
                          absl::StrCat(place.ToString(), ": ", runs.message()));
    }
    if (!inside_.insert(found->definition).second) return absl::OkStatus();
    for (const Step* inner : found->definition->AllSteps()) {
      const bool own = found->owner == &workflow_;
      RK_RETURN_IF_ERROR(
          Check(*inner, *found->owner, own ? inner->position : place));
    }
    inside_.erase(found->definition);
    return absl::OkStatus();
  }

 private:
  const Workflow& workflow_;
  const TemplateLibrary& library_;
  std::set<const Template*> inside_;  // against recursion
};

}  // namespace

absl::Status CheckReach(const Workflow& workflow,
                        const TemplateLibrary& library) {
  Walk walk(workflow, library);
  for (const std::string& name :
       {workflow.spec.entrypoint, workflow.spec.on_exit}) {
    if (name.empty()) continue;
    Step step;
    step.template_name = name;
    RK_RETURN_IF_ERROR(walk.Check(step, workflow, step.position));
  }
  return absl::OkStatus();
}

}  // namespace rekindle::argo
