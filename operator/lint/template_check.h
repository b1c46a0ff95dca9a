#ifndef REKINDLE_OPERATOR_LINT_TEMPLATE_CHECK_H_
#define REKINDLE_OPERATOR_LINT_TEMPLATE_CHECK_H_

#include <string>

#include "operator/lint/tag_scope.h"
#include "operator/workflow/finding.h"
#include "operator/workflow/template_library.h"
#include "operator/workflow/workflow_model.h"

namespace rekindle::argo {

// What the checks of one workflow share. Everything is borrowed.
struct CheckContext {
  const Workflow& workflow;
  const TemplateLibrary& library;
  const TagScope& globals;
  Findings* findings;

  void Error(const Template* in, const SourcePosition& position,
             std::string field, std::string message) const;
  void Warning(const Template* in, const SourcePosition& position,
               std::string field, std::string message) const;
};

// Checks one template with all of its steps. `outer` has the names that an
// inline template finds around it.
void CheckTemplate(const Template& checked, const TagScope& outer,
                   const CheckContext& context);

// Checks the steps of a steps template, the tasks of a dag. `scope` gains what
// they make.
void CheckSteps(const Template& checked, TagScope* scope,
                const CheckContext& context);
void CheckDag(const Template& checked, TagScope* scope,
              const CheckContext& context);

// Checks arguments as they are written: names, values, enums. `values_needed`
// is false where someone else may still give them.
void CheckArguments(const Template* in, const Arguments& arguments,
                    const std::string& field, bool values_needed,
                    const CheckContext& context);

// Checks that what `user` runs gets the arguments it needs and knows.
void CheckCall(const Template* in, const Arguments& arguments,
               const TemplateLibrary::Found& called,
               const SourcePosition& position, const std::string& user,
               const CheckContext& context);

// Checks that hooks have expressions that parse and run templates that exist.
void CheckHooks(const Template* in, const std::vector<LifecycleHook>& hooks,
                const CheckContext& context);

// Checks the tags of every string below `node`; `skip` names a field that is
// left out.
void CheckTags(const Template* in, const YamlNode& node, const TagScope& scope,
               const std::string& skip, const CheckContext& context);

// Checks that an expression parses; "" is fine.
void CheckExpression(const Template* in, const std::string& text,
                     const SourcePosition& position, const std::string& field,
                     const CheckContext& context);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_LINT_TEMPLATE_CHECK_H_
