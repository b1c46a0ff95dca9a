#ifndef REKINDLE_OPERATOR_LINT_VALIDATE_H_
#define REKINDLE_OPERATOR_LINT_VALIDATE_H_

#include "operator/workflow/finding.h"
#include "operator/workflow/template_library.h"
#include "operator/workflow/workflow_model.h"

namespace rekindle::argo {

// Everything in `workflow` that Argo's own linter would refuse, and what only
// Rekindle knows (a parameter that no template of `rekindle` takes, a value
// outside its enum). Templates of `library` are read to check what they are
// given; they are not checked themselves. Sorted by place.
Findings Validate(const Workflow& workflow, const TemplateLibrary& library);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_LINT_VALIDATE_H_
