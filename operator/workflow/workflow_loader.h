#ifndef REKINDLE_OPERATOR_WORKFLOW_WORKFLOW_LOADER_H_
#define REKINDLE_OPERATOR_WORKFLOW_WORKFLOW_LOADER_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "operator/workflow/finding.h"
#include "operator/workflow/workflow_model.h"

namespace rekindle::argo {

// What a text holds, and everything that is wrong with it. A document of
// another kind (a ConfigMap beside the workflow) is left out.
struct LoadedWorkflows {
  std::vector<Workflow> workflows;
  Findings findings;
};

// Reads every workflow of a YAML or JSON text. `file` is what messages call it.
// Never fails as a whole: what cannot be read is among the findings (a syntax
// error, a key written twice, a field Argo does not know with the nearest it
// knows, a value of a wrong type).
LoadedWorkflows LoadWorkflows(const std::string& text, const std::string& file);

// The same of a file.
//
//   NOT_FOUND            there is no such file
//   FAILED_PRECONDITION  it is a pipe, a device, a folder
//   RESOURCE_EXHAUSTED   it is larger than any workflow
absl::StatusOr<LoadedWorkflows> LoadWorkflowFile(const std::string& path);

// The fields that `workflow` sets and the local runner has no meaning for are
// refused here, by name and place, before anything starts; those that only a
// cluster gives a meaning to (resources, tolerations) are accepted.
Findings CheckRunnable(const Workflow& workflow);

// The typed form of a template, a step or a task that was read or rendered.
//
//   INVALID_ARGUMENT  file:line:column: a value of a wrong type
absl::StatusOr<Template> DecodeTemplate(YamlNode node);
absl::StatusOr<Step> DecodeStep(YamlNode node);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_WORKFLOW_WORKFLOW_LOADER_H_
