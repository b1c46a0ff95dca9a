#ifndef REKINDLE_OPERATOR_LOCAL_KEPT_RUN_H_
#define REKINDLE_OPERATOR_LOCAL_KEPT_RUN_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "operator/engine/engine.h"
#include "operator/local/journal.h"
#include "operator/local/run_lock.h"
#include "operator/local/run_plan.h"

namespace rekindle::argo {

// A run of a workflow, and the folder that keeps what is needed to go on with
// it: the files it was started with, its settings, and what has succeeded.
struct KeptRun {
  RunRequest request;
  RunInfo info;
  std::string folder;  // absolute
  std::unique_ptr<RunPlan> plan;
  std::unique_ptr<RunLock> lock;     // null until Keep()
  std::unique_ptr<Journal> journal;  // null until Keep()
};

// Plans a run that does not exist yet. `name` is its workflow's, empty: the
// one that the file gives it. Nothing is written.
//
//   INVALID_ARGUMENT  its name is none for Kubernetes; or as MakeRunPlan()
absl::StatusOr<KeptRun> PlanNewRun(const RunRequest& request,
                                   const std::string& name,
                                   const std::string& runs_folder);

// What a person may change of a run that goes on.
struct ResumeOptions {
  std::string file;               // a mended workflow; empty: as it was
  bool resume_suspended = false;  // beside what it was started with
};

// The run that `folder` keeps, with its lock.
//
//   NOT_FOUND         there is none
//   ABORTED           another process runs it
//   INVALID_ARGUMENT  its journal cannot be read; or as MakeRunPlan()
absl::StatusOr<KeptRun> OpenKeptRun(const std::string& folder,
                                    const ResumeOptions& options);

// Makes the folder of a new run, with the files as they are now: who resumes
// the run means these. Does nothing more to one that is kept already.
absl::Status Keep(KeptRun& run);

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_LOCAL_KEPT_RUN_H_
