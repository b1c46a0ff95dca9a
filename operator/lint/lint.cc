#include "operator/lint/lint.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/bounded_read.h"
#include "base/file_util.h"
#include "base/status_macros.h"
#include "base/yaml_limits.h"
#include "operator/lint/validate.h"
#include "operator/workflow/template_library.h"
#include "operator/workflow/workflow_loader.h"

namespace rekindle::argo {
namespace {

namespace fs = std::filesystem;

struct LintFile {
  std::string path;
  bool named = false;  // by the user, not found in a folder
};

bool IsManifest(const fs::path& path) {
  return path.extension() == ".yaml" || path.extension() == ".yml" ||
         path.extension() == ".json";
}

absl::StatusOr<std::vector<LintFile>> ListFiles(
    const std::vector<std::string>& paths) {
  std::vector<LintFile> files;
  for (const std::string& path : paths) {
    if (!PathExists(path)) {
      return absl::NotFoundError(
          absl::StrCat("there is no file or folder '", path, "'"));
    }
    if (!fs::is_directory(path)) {
      files.push_back({path, true});
      continue;
    }
    std::vector<std::string> found;
    std::error_code error;
    for (fs::recursive_directory_iterator at(path, error), end;
         !error && at != end; at.increment(error)) {
      if (IsManifest(at->path()) && at->is_regular_file(error)) {
        found.push_back(at->path().string());
      }
    }
    if (error) {
      return absl::FailedPreconditionError(
          absl::StrCat("cannot list '", path, "': ", error.message()));
    }
    std::sort(found.begin(), found.end());
    for (std::string& file : found) files.push_back({std::move(file), false});
  }
  return files;
}

// A folder has YAML of all sorts (values with other templates' braces); only a
// file that mentions Argo is ours to complain about.
bool IsWorthReporting(const LintFile& file, const std::string& text) {
  return file.named || absl::StrContains(text, "argoproj.io/");
}

Finding HoldsNothing(const std::string& path) {
  Finding finding;
  finding.severity = Finding::Severity::kWarning;
  finding.position.file = std::make_shared<const std::string>(path);
  finding.message = "there is no workflow in this file";
  return finding;
}

absl::Status AddTemplates(const std::vector<std::string>& paths,
                          TemplateLibrary* library) {
  RK_ASSIGN_OR_RETURN(const std::vector<LintFile> files, ListFiles(paths));
  for (const LintFile& file : files) {
    RK_ASSIGN_OR_RETURN(LoadedWorkflows loaded, LoadWorkflowFile(file.path));
    if (loaded.workflows.empty()) RK_RETURN_IF_ERROR(ToStatus(loaded.findings));
    for (Workflow& workflow : loaded.workflows) {
      library->Add(std::move(workflow));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<LintReport> Lint(
    const std::vector<std::string>& paths,
    const std::vector<std::string>& template_paths) {
  TemplateLibrary library;
  RK_RETURN_IF_ERROR(AddTemplates(template_paths, &library));
  RK_ASSIGN_OR_RETURN(const std::vector<LintFile> files, ListFiles(paths));
  std::vector<LoadedWorkflows> loaded;
  for (const LintFile& file : files) {
    RK_ASSIGN_OR_RETURN(const std::string text,
                        ReadRegularFile(file.path, kMostYamlBytes));
    loaded.push_back(LoadWorkflows(text, file.path));
    if (!IsWorthReporting(file, text)) loaded.back().findings.clear();
    for (const Workflow& workflow : loaded.back().workflows) {
      library.Add(workflow);
    }
  }
  LintReport report;
  for (size_t i = 0; i < files.size(); ++i) {
    ++report.files;
    Findings& findings = loaded[i].findings;
    for (const Workflow& workflow : loaded[i].workflows) {
      ++report.workflows;
      for (Finding& finding : Validate(workflow, library)) {
        findings.push_back(std::move(finding));
      }
    }
    if (files[i].named && findings.empty() && loaded[i].workflows.empty()) {
      findings.push_back(HoldsNothing(files[i].path));
    }
    std::stable_sort(findings.begin(), findings.end(),
                     [](const Finding& a, const Finding& b) {
                       return a.position.line < b.position.line;
                     });
    for (Finding& finding : findings) {
      report.findings.push_back(std::move(finding));
    }
  }
  return report;
}

}  // namespace rekindle::argo
