#ifndef REKINDLE_CLI_STEP_FLAGS_H_
#define REKINDLE_CLI_STEP_FLAGS_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "cli/cache/cache_flags.h"
#include "cli/flag_set.h"
#include "cli/root_flags.h"
#include "cli/step_part.h"
#include "cli/store_flags.h"
#include "component/launch/step.h"
#include "component/resolve/artifact_ref.h"

namespace rekindle {

std::string OutputsDirByDefault();

// The flags that every step has: which node of which run of which pipeline.
struct StepFlags {
  // `node_id` is the component's default.
  explicit StepFlags(std::string node_id_by_default)
      : node_id(std::move(node_id_by_default)) {}

  std::string pipeline;
  std::string run_id;
  std::string node_id;
  RootFlags roots;
  std::string verify = "touched";
  std::string output;
  // Where the values of the report are written, a file for each; none if empty.
  // In a pod of Argo's, which takes output parameters from files, a folder.
  std::string outputs_dir = OutputsDirByDefault();
  std::string source_revision;
  std::string image_digest;
  absl::Duration lease = absl::Seconds(30);
  absl::Duration store_timeout = absl::Minutes(5);
  std::string deadline;
  std::string progress_file;
  std::string termination_log;
  std::string previous_failure;
  CacheFlags cache;
  bool allow_partial = false;
  bool dry_run = false;
  std::vector<std::string> extra_inputs;  // as AddExtraInputs
  StoreFlags store;

  // `format_flag` as in FlagSet::Format.
  void Bind(FlagSet& flags, const std::string& format_flag = "output");
  // --input, for a step whose own flags leave that name free.
  void BindInputs(FlagSet& flags);

  // The part of a spec that these flags give.
  //
  //   INVALID_ARGUMENT  a name is missing or cannot be a folder's name
  absl::StatusOr<StepSpec> MakeSpec() const;
};

// An artifact reference given by flag `name`.
absl::StatusOr<ArtifactRef> RefFromFlag(const std::string& name,
                                        const std::string& value);

// Builds the executor of a step, completing its spec.
using MakeExecutor =
    std::function<absl::StatusOr<std::unique_ptr<Executor>>(StepSpec& spec)>;

// The exit code of a step that has done its work.
using ExitRule = std::function<int(const StepReport& report)>;

// Runs a step, or takes the part in it that it is given, and prints how it
// ended; returns the exit code: what `exit_rule` says, if there is one, where
// nothing failed.
int RunStep(const StepFlags& flags, const MakeExecutor& make_executor,
            const ExitRule& exit_rule = nullptr,
            const std::optional<StepPart>& part = std::nullopt);

}  // namespace rekindle

#endif  // REKINDLE_CLI_STEP_FLAGS_H_
