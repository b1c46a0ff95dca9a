#ifndef REKINDLE_CLI_ARGO_RUN_FLAGS_H_
#define REKINDLE_CLI_ARGO_RUN_FLAGS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "cli/argo/parameter_flags.h"
#include "cli/flag_set.h"
#include "operator/local/kept_run.h"
#include "operator/local/local_runner.h"
#include "operator/pods/pod_runner_options.h"

namespace rekindle {

// The flags of `run`, before they are understood. A plain value.
struct RunFlags {
  ParameterFlags parameters;
  std::string entrypoint;
  std::vector<std::string> templates;
  std::string work_dir = ".rekindle";
  std::string name;
  std::string resume;
  std::string isolation = "auto";
  std::vector<std::string> shares;
  std::vector<std::string> claims;
  std::vector<std::string> image_commands;
  std::optional<int64_t> max_processes;
  std::optional<int64_t> max_log_bytes;
  absl::Duration grace = absl::Seconds(120);
  std::string db, metadata, pipeline_root;
  bool dry_run = false;
  bool resume_suspended = false;
  std::string format;

  // Declares them; this must outlive `flags`.
  void Bind(FlagSet& flags);

  // A new run of `file`, or the earlier one that --resume names; `file` may
  // then be empty. Nothing is written.
  //
  //   INVALID_ARGUMENT  a flag that a resumed run does not take, or a workflow
  //                     that cannot run here
  //   NOT_FOUND         there is no such file or run
  absl::StatusOr<argo::KeptRun> Plan(const std::string& file) const;

  //   INVALID_ARGUMENT  a malformed value
  absl::StatusOr<argo::LocalRunnerOptions> RunnerOptions() const;
  absl::StatusOr<argo::PodRunnerOptions> PodOptions(
      const argo::KeptRun& run) const;

  // Tells the steps, by their environment, where the store and the artifacts
  // are.
  absl::Status SetEnvironment() const;
};

}  // namespace rekindle

#endif  // REKINDLE_CLI_ARGO_RUN_FLAGS_H_
