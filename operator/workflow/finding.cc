#include "operator/workflow/finding.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace rekindle::argo {

std::string Finding::ToString() const {
  return absl::StrCat(position.ToString(), ": ",
                      severity == Severity::kWarning ? "warning: " : "",
                      template_name.empty()
                          ? ""
                          : absl::StrCat("template '", template_name, "': "),
                      message);
}

bool HasErrors(const Findings& findings) {
  return std::any_of(findings.begin(), findings.end(), [](const Finding& f) {
    return f.severity == Finding::Severity::kError;
  });
}

absl::Status ToStatus(const Findings& findings) {
  std::string text;
  for (const Finding& finding : findings) {
    if (finding.severity != Finding::Severity::kError) continue;
    absl::StrAppend(&text, text.empty() ? "" : "\n", finding.ToString());
  }
  return text.empty() ? absl::OkStatus() : absl::InvalidArgumentError(text);
}

}  // namespace rekindle::argo
