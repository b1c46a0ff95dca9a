#ifndef REKINDLE_OPERATOR_WORKFLOW_FINDING_H_
#define REKINDLE_OPERATOR_WORKFLOW_FINDING_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "operator/workflow/source_position.h"

namespace rekindle::argo {

// One thing that is wrong with a workflow. A warning does not keep it from
// running.
struct Finding {
  enum class Severity { kError, kWarning };

  Severity severity = Severity::kError;
  SourcePosition position;
  std::string template_name;  // empty: not inside a template
  std::string
      field;  // "spec.templates[0].dag.tasks[1].arguments"; may be empty
  std::string message;

  // "pipeline.yaml:14:9: template 'main': task 'a' ..."
  std::string ToString() const;
};
using Findings = std::vector<Finding>;

bool HasErrors(const Findings& findings);

// Ok when there is no error, else all errors, one a line, as INVALID_ARGUMENT.
absl::Status ToStatus(const Findings& findings);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_WORKFLOW_FINDING_H_
