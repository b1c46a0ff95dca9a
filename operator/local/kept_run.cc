#include "operator/local/kept_run.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/bounded_read.h"
#include "base/file_util.h"
#include "base/name_suffix.h"
#include "base/status_macros.h"
#include "base/uuid.h"
#include "base/yaml_limits.h"
#include "nlohmann/json.hpp"
#include "operator/workflow/object_name.h"

namespace rekindle::argo {
namespace {

using nlohmann::json;

json ToJson(const KeptRun& run) {
  return {{"name", run.info.name},
          {"uid", run.info.uid},
          {"created", absl::ToUnixMicros(run.info.created_at)},
          {"file", run.request.file},
          {"templates", run.request.template_files},
          {"parameters", run.request.parameters},
          {"entrypoint", run.request.entrypoint},
          {"resume_suspended", run.request.resume_suspended}};
}

absl::Status FromJson(const json& was, KeptRun& run) {
  try {
    run.info.name = was.value("name", "");
    run.info.uid = was.value("uid", "");
    run.info.created_at =
        absl::FromUnixMicros(was.value("created", int64_t{0}));
    run.request.file = was.value("file", "");
    run.request.template_files =
        was.value("templates", std::vector<std::string>());
    run.request.parameters =
        was.value("parameters", std::map<std::string, std::string>());
    run.request.entrypoint = was.value("entrypoint", "");
    run.request.resume_suspended = was.value("resume_suspended", false);
  } catch (const json::exception& error) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the journal in ", run.folder, " does not say what ran: ", error.what(),
        "; start a new run instead"));
  }
  return absl::OkStatus();
}

absl::Status MakePlan(KeptRun& run) {
  RK_ASSIGN_OR_RETURN(run.plan, MakeRunPlan(run.request));
  const std::string& name = run.plan->workflow.namespace_name;
  if (!name.empty()) run.info.namespace_name = name;
  run.info.arguments = run.plan->arguments;
  run.info.resume_suspended = run.request.resume_suspended;
  return absl::OkStatus();
}

// The workflow's name, and that of its folder, which no other run has.
struct RunNames {
  std::string workflow;
  std::string folder;
};

RunNames NamesFor(const Workflow& workflow, const std::string& wanted) {
  const std::string suffix = RandomNameSuffix();
  if (!wanted.empty()) return {wanted, absl::StrCat(wanted, "-", suffix)};
  const std::string completed =
      workflow.generate_name.empty()
          ? absl::StrCat(workflow.name, "-", suffix)
          : absl::StrCat(workflow.generate_name, suffix);
  const bool has_own =
      workflow.kind == WorkflowKind::kWorkflow && !workflow.name.empty();
  return {has_own ? workflow.name : completed, completed};
}

// It becomes a part of paths.
absl::Status CheckName(const std::string& name) {
  const std::string problem = ObjectNameProblem(name);
  if (problem.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the workflow's name '", name, "' ", problem,
                   "; change metadata.name or generateName, or give --name"));
}

absl::Status KeepFile(const std::string& folder, const std::string& name,
                      std::string& file) {
  RK_ASSIGN_OR_RETURN(const std::string text,
                      ReadRegularFile(file, kMostYamlBytes));
  file = JoinPath(folder, name);
  return WriteFileAtomically(file, text);
}

}  // namespace

absl::StatusOr<KeptRun> PlanNewRun(const RunRequest& request,
                                   const std::string& name,
                                   const std::string& runs_folder) {
  KeptRun run;
  run.request = request;
  run.info.uid = RandomUuid();
  run.info.created_at = absl::Now();
  RK_RETURN_IF_ERROR(MakePlan(run));
  const Workflow& workflow = run.plan->workflow;
  if (name.empty() && workflow.name.empty() && workflow.generate_name.empty()) {
    return absl::InvalidArgumentError(
        "the workflow has no name; write metadata.name or generateName, or "
        "give --name");
  }
  const RunNames names = NamesFor(workflow, name);
  RK_RETURN_IF_ERROR(CheckName(names.workflow));
  run.info.name = names.workflow;
  run.folder = JoinPath(runs_folder, names.folder);
  return run;
}

absl::StatusOr<KeptRun> OpenKeptRun(const std::string& folder,
                                    const ResumeOptions& options) {
  KeptRun run;
  run.folder = folder;
  RK_RETURN_IF_ERROR(Journal::CheckExists(folder));
  RK_ASSIGN_OR_RETURN(run.lock, RunLock::Take(folder));
  RK_ASSIGN_OR_RETURN(run.journal, Journal::Open(folder));
  RK_RETURN_IF_ERROR(FromJson(run.journal->run(), run));
  if (!options.file.empty()) run.request.file = options.file;
  if (options.resume_suspended) run.request.resume_suspended = true;
  RK_RETURN_IF_ERROR(MakePlan(run));
  return run;
}

absl::Status Keep(KeptRun& run) {
  RK_RETURN_IF_ERROR(MakeWritableDir(run.folder));
  if (run.journal != nullptr) return absl::OkStatus();
  RK_ASSIGN_OR_RETURN(run.lock, RunLock::Take(run.folder));
  RK_RETURN_IF_ERROR(KeepFile(run.folder, "workflow.yaml", run.request.file));
  int count = 0;
  for (std::string& file : run.request.template_files) {
    RK_RETURN_IF_ERROR(KeepFile(
        run.folder, absl::StrCat("template-", count++, ".yaml"), file));
  }
  RK_ASSIGN_OR_RETURN(run.journal, Journal::Create(run.folder, ToJson(run)));
  return absl::OkStatus();
}

}  // namespace rekindle::argo
