#include "cli/step_flags.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <unistd.h>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/backoff.h"
#include "base/cancellation.h"
#include "base/clock.h"
#include "base/status_macros.h"
#include "base/status_util.h"
#include "cli/exit_code.h"
#include "cli/flag_set.h"
#include "cli/output.h"
#include "cli/report_files.h"
#include "cli/step_inputs.h"
#include "cli/step_plan.h"
#include "cli/step_report.h"
#include "cli/terminal_text.h"
#include "component/launch/cache_forecast.h"
#include "component/launch/failure.h"
#include "component/launch/launcher.h"
#include "component/launch/plan.h"
#include "component/launch/stage.h"
#include "component/launch/step.h"
#include "component/launch/step_deadline.h"
#include "component/launch/termination_log.h"
#include "component/resolve/artifact_ref.h"
#include "component/resolve/digest_check.h"
#include "component/workers/follower.h"
#include "metadata/api/open_store.h"
#include "metadata/api/values.h"

namespace rekindle {
namespace {

// A pipeline or node names a folder, so it must be able to.
absl::Status CheckName(absl::string_view flag, const std::string& name) {
  if (name.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--", flag, " is missing; --help shows an example"));
  }
  if (name == "." || name == ".." || name.find('/') != std::string::npos) {
    return absl::InvalidArgumentError(
        absl::StrCat("--", flag, ": '", name,
                     "' names a folder below the pipeline root; it must not "
                     "hold a slash"));
  }
  return absl::OkStatus();
}

absl::StatusOr<FileCheck> FileCheckNamed(const std::string& name) {
  if (name == "touched") return FileCheck::kTouched;
  if (name == "full") return FileCheck::kAll;
  return absl::InvalidArgumentError(
      absl::StrCat("--verify: '", name, "' is neither 'touched' nor 'full'"));
}

std::string HostName() {
  std::array<char, 256> host = {};
  gethostname(host.data(), host.size() - 1);
  return host.data();
}

std::string ProcessName() { return absl::StrCat(HostName(), "/", getpid()); }

// As TFX names runs: the time they began.
std::string RunIdOfNow() {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%E6S", absl::Now(),
                          absl::UTCTimeZone());
}

// REKINDLE_STOP_AT=claimed stops the process (SIGSTOP) at that boundary of a
// step's life, so that a test can kill it there, or continue it.
void StopIfAsked(Stage stage) {
  const char* stop_at = std::getenv("REKINDLE_STOP_AT");
  if (stop_at != nullptr && StageName(stage) == stop_at) raise(SIGSTOP);
}

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// The earlier of the flag's and Argo's.
absl::StatusOr<absl::Time> EarlierDeadline(const std::string& flag) {
  const absl::Time now = absl::Now();
  const absl::StatusOr<absl::Time> ours = ParseDeadline(flag, now);
  if (!ours.ok()) return WithContext(ours.status(), "--deadline");
  const absl::StatusOr<absl::Time> argos =
      ParseDeadline(Environment("ARGO_DEADLINE"), now);
  if (!argos.ok()) return WithContext(argos.status(), "ARGO_DEADLINE");
  return std::min(*ours, *argos);
}

// Opens the store; while another process keeps the file locked, waits.
absl::StatusOr<std::unique_ptr<Store>> OpenPatiently(const StepFlags& flags) {
  Backoff::Options options;
  options.total = flags.store_timeout;
  options.sleep = [](absl::Duration pause) {
    return SleepUnlessReadable(Cancellation::Get().fd(), pause);
  };
  return RetryWhileTransient(
      Backoff(std::move(options)),
      [&]() -> absl::StatusOr<std::unique_ptr<Store>> {
        auto store = flags.store.Open(OpenOptions::Mode::kCreate);
        if (!absl::IsAborted(store.status())) return store;
        return absl::UnavailableError(store.status().message());
      });
}

void PrintNote(absl::string_view line) { std::cerr << line << '\n'; }

absl::StatusOr<StepReport> Launch(const StepFlags& flags, const StepSpec& spec,
                                  Executor& executor) {
  LaunchOptions options;
  RK_ASSIGN_OR_RETURN(options.cache, flags.cache.ToOptions(spec));
  RK_ASSIGN_OR_RETURN(options.deadline, EarlierDeadline(flags.deadline));
  RK_ASSIGN_OR_RETURN(const std::unique_ptr<Store> store, OpenPatiently(flags));
  options.owner = ProcessName();
  options.lease = flags.lease;
  options.store_timeout = flags.store_timeout;
  options.progress_file = flags.progress_file.empty()
                              ? Environment("ARGO_PROGRESS_FILE")
                              : flags.progress_file;
  options.previous_failure = flags.previous_failure;
  options.note = PrintNote;
  options.on_stage = StopIfAsked;
  return Launcher(*store, std::move(options)).Run(spec, executor);
}

absl::StatusOr<StepReport> Follow(const StepFlags& flags, const StepPart& part,
                                  const StepSpec& spec, Executor& executor) {
  FollowOptions options;
  RK_ASSIGN_OR_RETURN(options.deadline, EarlierDeadline(flags.deadline));
  RK_ASSIGN_OR_RETURN(const std::unique_ptr<Store> store, OpenPatiently(flags));
  options.role = part.role;
  options.chief_timeout = part.chief_timeout;
  options.store_timeout = flags.store_timeout;
  options.note = PrintNote;
  return Follower(*store, std::move(options)).Run(spec, executor);
}

// The store as it is. One that is not there yet is an empty one, and is not
// made.
absl::StatusOr<std::unique_ptr<Store>> OpenToLook(const StoreFlags& flags) {
  absl::StatusOr<std::unique_ptr<Store>> store =
      flags.Open(OpenOptions::Mode::kReadOnly);
  if (!absl::IsNotFound(store.status())) return store;
  return OpenSqliteStore(":memory:", SystemClock());
}

// What the cache would answer; nullopt if the step would not come to ask it.
absl::StatusOr<std::optional<CacheForecast>> Forecast(
    const StepFlags& flags, const StepSpec& spec, const StepPlan& plan,
    const MetadataStore& store) {
  if (!plan.ready.ok() || plan.IsFinished()) return std::nullopt;
  RK_ASSIGN_OR_RETURN(const CacheOptions options, flags.cache.ToOptions(spec));
  return ForecastCache(spec, plan.inputs, options, absl::Now(), store);
}

int DryRun(const StepFlags& flags, const StepSpec& spec) {
  const absl::StatusOr<std::unique_ptr<Store>> store = OpenToLook(flags.store);
  if (!store.ok()) return Fail(store.status());
  const absl::StatusOr<StepPlan> plan = PlanStep(spec, (*store)->metadata());
  if (!plan.ok()) return Fail(plan.status());
  const auto cache = Forecast(flags, spec, *plan, (*store)->metadata());
  if (!cache.ok()) return Fail(cache.status());
  if (flags.output == "json") {
    std::cout << ToJsonText(PlanToJson(spec, *plan, *cache));
  } else {
    std::cout << PlanToText(spec, *plan, *cache);
  }
  if (plan->ready.ok()) return kOk;
  std::cerr << "rekindle: " << TerminalText(plan->ready.message()) << '\n';
  StepReport would_end;
  would_end.error = plan->ready;
  return ExitCodeOf(would_end);
}

}  // namespace

std::string OutputsDirByDefault() {
  const bool in_a_pod = std::getenv("ARGO_NODE_ID") != nullptr ||
                        std::getenv("ARGO_CONTAINER_NAME") != nullptr;
  return in_a_pod ? "/tmp/outputs" : "";
}

void StepFlags::Bind(FlagSet& flags, const std::string& format_flag) {
  flags.String("pipeline", "NAME", &pipeline, "the pipeline; required");
  flags.String("run-id", "ID", &run_id,
               "this run of the pipeline; the same id in two commands makes "
               "them one run (default: the time)");
  flags.String("node-id", "NAME", &node_id, "this step's name in the pipeline");
  flags.String("node", "NAME", &node_id, "short for --node-id");
  roots.Bind(flags, "where artifacts are kept (default: pipelines/PIPELINE)");
  store.Bind(flags);
  cache.Bind(flags);
  flags.Duration("lease", &lease,
                 "how long another process waits for this one's sign of life");
  flags.Duration("store-timeout", &store_timeout,
                 "how long to wait for a metadata store that is away");
  flags.String("deadline", "DURATION|TIME", &deadline,
               "when the step must have ended, as 90m or "
               "2026-11-16T13:00:00Z; ARGO_DEADLINE counts too if it is "
               "earlier");
  flags.String("progress-file", "PATH", &progress_file,
               "where to write how far it is, N/M (default: "
               "ARGO_PROGRESS_FILE)");
  flags.String("termination-log", "PATH", &termination_log,
               "where to write why it failed (default: /dev/termination-log "
               "if it is there)");
  flags.String("previous-failure", "TEXT", &previous_failure,
               "what became of the attempt before, if it vanished; in Argo "
               "'{{lastRetry.message}}'");
  flags.String("outputs-dir", "DIR", &outputs_dir,
               "write the report here, a file for each value and report.json; "
               "/tmp/outputs in a pod of Argo's");
  flags.String("source-revision", "TEXT", &source_revision,
               "recorded: what this step was built from");
  flags.String("image-digest", "DIGEST", &image_digest,
               "recorded: the container image this step runs in");
  flags.Bool("allow-partial", &allow_partial,
             "also choose models whose training was cut short");
  flags.String("verify", "touched|full", &verify,
               "whether the files of inputs are read again only if they look "
               "touched, or always");
  flags.Bool("dry-run", &dry_run,
             "say which inputs it would take, and why, and whether the cache "
             "has its outputs; write nothing");
  flags.Format({"text", "json"}, &output, format_flag);
}

void StepFlags::BindInputs(FlagSet& flags) {
  flags.Strings("input", "KEY=TYPE:REF", &extra_inputs,
                "another artifact to read, recorded as an input of this step");
}

absl::StatusOr<StepSpec> StepFlags::MakeSpec() const {
  RK_RETURN_IF_ERROR(CheckName("pipeline", pipeline));
  RK_RETURN_IF_ERROR(CheckName("node-id", node_id));
  // Whoever dies keeps others waiting for that long; no store takes more.
  if (lease < absl::Seconds(1) || lease > absl::Hours(24 * 30)) {
    return absl::InvalidArgumentError(
        "--lease must be from one second to 720h, which is thirty days");
  }
  StepSpec spec;
  spec.pipeline = pipeline;
  spec.run_id = run_id.empty() ? RunIdOfNow() : run_id;
  spec.node_id = node_id;
  spec.pipeline_root = roots.PipelineRoot(pipeline);
  spec.artifact_roots = roots.ArtifactRootFolders();
  RK_ASSIGN_OR_RETURN(spec.file_check, FileCheckNamed(verify));
  spec.facts = {{"rekindle_version", StringValue(REKINDLE_VERSION)},
                {"hostname", StringValue(HostName())}};
  for (const auto& [name, value] :
       {std::pair("source_revision", source_revision),
        std::pair("image_digest", image_digest),
        // Whose pod this is; the host's name is the pod's.
        std::pair("argo_workflow", Environment("ARGO_WORKFLOW_NAME")),
        std::pair("argo_node_id", Environment("ARGO_NODE_ID"))}) {
    if (!value.empty()) spec.facts[name] = StringValue(value);
  }
  spec.allow_partial = allow_partial;
  return spec;
}

absl::StatusOr<ArtifactRef> RefFromFlag(const std::string& name,
                                        const std::string& value) {
  absl::StatusOr<ArtifactRef> ref = ParseArtifactRef(value);
  if (!ref.ok()) {
    return WithContext(ref.status(), absl::StrCat("--", name));
  }
  return ref;
}

int RunStep(const StepFlags& flags, const MakeExecutor& make_executor,
            const ExitRule& exit_rule, const std::optional<StepPart>& part) {
  const absl::Time start = absl::Now();
  absl::StatusOr<StepSpec> spec = flags.MakeSpec();
  if (!spec.ok()) return Fail(spec.status());
  const absl::StatusOr<std::unique_ptr<Executor>> executor =
      make_executor(*spec);
  if (!executor.ok()) return Fail(executor.status());
  const absl::Status added = AddExtraInputs(flags.extra_inputs, *spec);
  if (!added.ok()) return Fail(added);
  if (flags.dry_run) return DryRun(flags, *spec);
  // Before the work: it would be a pity to have nowhere to report it to.
  if (absl::Status ready = PrepareReportFiles(flags.outputs_dir); !ready.ok()) {
    return Fail(WithContext(ready, "--outputs-dir"));
  }
  const absl::StatusOr<StepReport> report =
      part.has_value() ? Follow(flags, *part, *spec, **executor)
                       : Launch(flags, *spec, **executor);
  if (!report.ok()) {
    WriteTerminationLog(flags.termination_log, report.status());
    return Fail(report.status());
  }

  if (flags.output == "json") {
    std::cout << ToJsonText(ReportToJson(*spec, *report));
  } else {
    std::cout << ReportToText(*spec, *report, absl::Now() - start);
  }
  const absl::Status written =
      WriteReportFiles(flags.outputs_dir, *spec, *report);
  if (!report->error.ok()) {
    WriteTerminationLog(flags.termination_log, report->error);
    std::cerr << "rekindle: " << TerminalText(report->error.message()) << " ["
              << FailureReasonName(ReasonOf(report->error)) << "]\n";
    return ExitCodeOf(*report);
  }
  if (!written.ok()) return Fail(WithContext(written, "--outputs-dir"));
  return exit_rule ? exit_rule(*report) : ExitCodeOf(*report);
}

}  // namespace rekindle
