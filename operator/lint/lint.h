#ifndef REKINDLE_OPERATOR_LINT_LINT_H_
#define REKINDLE_OPERATOR_LINT_LINT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "operator/workflow/finding.h"

namespace rekindle::argo {

struct LintReport {
  Findings findings;  // by file, then by place
  int files = 0;      // that were read
  int workflows = 0;  // of all kinds, in them
};

// Loads and validates every workflow in `paths`, files or folders (of which all
// .yaml, .yml and .json files are read). A templateRef may name what is in
// `paths`, in `template_paths`, or built in; `template_paths` themselves are
// not checked.
//
//   NOT_FOUND         a path that does not exist
//   INVALID_ARGUMENT  a file of `template_paths` that cannot be read as YAML
absl::StatusOr<LintReport> Lint(const std::vector<std::string>& paths,
                                const std::vector<std::string>& template_paths);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_LINT_LINT_H_
