#ifndef REKINDLE_OPERATOR_LINT_NAME_RULES_H_
#define REKINDLE_OPERATOR_LINT_NAME_RULES_H_

#include <string>

namespace rekindle::argo {

// Why a name is not allowed, as the end of a sentence; "" when it is.
// Templates, steps and tasks: letters, digits and '-', no '-' first.
std::string NodeNameProblem(const std::string& name);
// Parameters and artifacts: also '_', anywhere.
std::string FieldNameProblem(const std::string& name);

// Why a cron schedule cannot be read; "" when it can.
std::string ScheduleProblem(const std::string& schedule);

// Has it a tag?
bool HasTag(const std::string& text);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_LINT_NAME_RULES_H_
