#include <iostream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/flag_set.h"
#include "cli/output.h"
#include "nlohmann/json.hpp"
#include "operator/lint/lint.h"

namespace rekindle {
namespace {

nlohmann::json ToJson(const argo::Finding& finding) {
  return {{"severity", finding.severity == argo::Finding::Severity::kError
                           ? "error"
                           : "warning"},
          {"file", finding.position.file_name()},
          {"line", finding.position.line},
          {"column", finding.position.column},
          {"template", finding.template_name},
          {"field", finding.field},
          {"message", finding.message}};
}

void Print(const argo::LintReport& report, const std::string& format) {
  if (format != "table") {
    nlohmann::json findings = nlohmann::json::array();
    for (const argo::Finding& finding : report.findings) {
      findings.push_back(ToJson(finding));
    }
    std::cout << Render({{"files", report.files},
                         {"workflows", report.workflows},
                         {"findings", findings}},
                        format);
    return;
  }
  int errors = 0;
  for (const argo::Finding& finding : report.findings) {
    std::cout << finding.ToString() << '\n';
    errors += finding.severity == argo::Finding::Severity::kError ? 1 : 0;
  }
  std::cout << report.workflows
            << (report.workflows == 1 ? " workflow in " : " workflows in ")
            << report.files << (report.files == 1 ? " file, " : " files, ")
            << (errors == 0 ? "no" : std::to_string(errors))
            << (errors == 1 ? " error\n" : " errors\n");
}

}  // namespace

int LintCommand(const Arguments& arguments) {
  std::vector<std::string> templates;
  std::string format;
  FlagSet flags(
      "lint FILE|DIR... [--template=FILE] [-o table|json|yaml]",
      "Checks workflows before they are submitted: what Argo would refuse, and "
      "steps of\nRekindle that are given what they do not take. All findings "
      "are printed, as\nFILE:LINE:COLUMN: what.\nExit status: 0 no errors, 1 "
      "errors, 2 wrong usage, 3 there is no such file.",
      "rekindle lint pipeline.yaml");
  flags.Strings("template", "FILE", &templates,
                "WorkflowTemplates that the workflows refer to, beside those "
                "in FILE|DIR and Rekindle's own");
  flags.Format(kOutputFormats, &format);
  std::vector<std::string> paths;
  if (absl::Status parsed = flags.Parse(arguments, &paths); !parsed.ok()) {
    return Fail(parsed);
  }
  if (flags.help_requested()) {
    std::cout << flags.Help();
    return kOk;
  }
  if (paths.empty()) {
    return Fail(absl::InvalidArgumentError(
        "lint needs a file or folder, as in: rekindle lint pipeline.yaml"));
  }
  const absl::StatusOr<argo::LintReport> report = argo::Lint(paths, templates);
  if (!report.ok()) return Fail(report.status());
  Print(*report, format);
  return HasErrors(report->findings) ? kFailed : kOk;
}

}  // namespace rekindle
