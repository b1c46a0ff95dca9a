#ifndef REKINDLE_COMPONENT_LAUNCH_STEP_H_
#define REKINDLE_COMPONENT_LAUNCH_STEP_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "component/cache/content_digest.h"
#include "component/resolve/artifact_ref.h"
#include "component/resolve/candidate.h"
#include "component/resolve/digest_check.h"
#include "metadata/api/metadata_store.h"
#include "ml_metadata/proto/metadata_store.pb.h"

namespace rekindle {

using PropertyMap = std::map<std::string, ml_metadata::Value>;
using ResolvedInputs = std::map<std::string, Resolution>;  // by key

// An artifact that a step reads.
struct InputSpec {
  std::string key;        // "base_model"
  std::string type_name;  // "Model"
  ArtifactRef ref;
  bool required = true;
  bool single = false;         // more than one artifact cannot be worked with
  bool typed_by_user = false;  // the type may be a mistake
  // The outputs name this artifact: another one with the same content has other
  // outputs.
  bool names_outputs = false;
  // The work may read its properties: they count beside its content.
  bool properties_count = false;
};

// An artifact that a step writes.
struct OutputSpec {
  std::string key;  // "model"
  ml_metadata::ArtifactType type;
  // Written in the node's state folder instead of a staging folder: it survives
  // a failed attempt, and the next one continues it.
  bool survives_failure = false;
  // Lies where it is already, and stays there: the executor describes it.
  bool external = false;
};

// One node of one run: everything that is known before it starts.
struct StepSpec {
  std::string pipeline;
  std::string run_id;
  std::string node_id;
  std::string pipeline_root;  // an absolute path
  // Folders beside it from below which artifacts are taken.
  std::vector<std::string> artifact_roots;
  // How far the files of what it takes are looked at.
  FileCheck file_check = FileCheck::kTouched;
  ml_metadata::ExecutionType execution_type;
  std::vector<InputSpec> inputs;
  std::vector<OutputSpec> outputs;
  // Execution properties, as TFX stores them. A secret's value is its hash.
  PropertyMap parameters;
  // Run for what it does, too: outputs of an earlier execution cannot stand for
  // it.
  bool always_runs = false;
  // TFX's Resolver: what the inputs come to is put out as it is, by key, and
  // there is nothing to execute.
  bool puts_out_inputs = false;
  // What the outputs depend on beside parameters and inputs: part of the cache
  // key, by name.
  std::map<std::string, std::string> key_fields;
  // The files whose contents `key_fields` were computed from. Outputs of work
  // during which one of them changed are not found by later steps.
  WatchedFiles watched;
  // Raised when the component does with the same inputs something else.
  std::string component_version = "1";
  // Parameters on which the outputs do not depend: not part of the cache key.
  std::set<std::string> immaterial_parameters;
  // Processes that are not its child take part in its work, and write into the
  // folders that survive a failure.
  bool has_workers = false;
  // Models whose training was cut short may be chosen as inputs.
  bool allow_partial = false;
  // Where and from what it runs: recorded, and no part of the cache key.
  PropertyMap facts;

  // Without an attempt number: a retry finds the execution that it continues.
  std::string ExternalId() const { return run_id + "/" + node_id; }

  // Whose files it takes.
  FileRules Files() const {
    return {ArtifactRoots(pipeline_root, artifact_roots), file_check};
  }
};

// What is worth recording of an attempt, however it ends.
struct AttemptFacts {
  PropertyMap properties;  // "peak_rss_bytes", "exit_code", ...
  std::string log_tail;    // the last lines of its child; kept if it failed
};

// What an executor gets: resolved inputs, and folders to write into. The
// folders exist and are empty, but for those of an earlier attempt.
struct StepContext {
  std::string pipeline;
  std::string run_id;
  std::string node_id;
  int64_t execution_id = 0;
  int64_t attempt = 1;
  // By key, in the order of their index. A key without artifacts is absent.
  std::map<std::string, std::vector<ml_metadata::Artifact>> inputs;
  std::map<std::string, std::string> output_dirs;
  std::string execution_dir;  // for the execution's log
  // For what the executor and its child tell each other. No other attempt has
  // it: a child that outlives its attempt answers nobody.
  std::string attempt_dir;
  std::string state_dir;  // for what a retry continues; gone on success
  // For what the inputs do not answer. Not owned; outlives the call.
  const MetadataStore* metadata = nullptr;

  // When the step must have ended, published and all.
  absl::Time deadline = absl::InfiniteFuture();
  // Where the orchestrator reads how far the step is; empty if it does not.
  std::string progress_file;

  // File descriptors that become readable when the step must stop; for poll().
  std::vector<int> stop_fds;
  // The same, when it must not even finish what it is at.
  std::vector<int> kill_fds;
  // OK, or why the step must stop: CANCELLED (asked to), ABORTED (its claim was
  // lost) or DEADLINE_EXCEEDED. Long work in the process asks now and then.
  std::function<absl::Status()> check_stop;

  // Filled in by the executor. Not owned.
  AttemptFacts* facts = nullptr;

  // The first artifact under `key`, or nullptr.
  const ml_metadata::Artifact* FindInput(const std::string& key) const {
    const auto found = inputs.find(key);
    return found == inputs.end() ? nullptr : &found->second.front();
  }
};

// What an executor answers when it succeeded.
struct StepResult {
  struct Output {
    PropertyMap properties;
    PropertyMap custom_properties;
    // Of an external output: its uri, its name if it has one, and its id if it
    // is stored already.
    ml_metadata::Artifact external;
  };
  std::map<std::string, Output> outputs;  // by key; absent: no properties
  PropertyMap execution_properties;
};

// Does the work of a component, in this process or in a child.
class Executor {
 public:
  virtual ~Executor() = default;

  // Writes the outputs into their folders. On failure what it wrote is
  // discarded; the reason may be attached to the status (WithReason).
  //
  //   CANCELLED, ABORTED  as StepContext::check_stop
  //   any other           why it failed; UNAVAILABLE and RESOURCE_EXHAUSTED if
  //                       a retry may help
  virtual absl::StatusOr<StepResult> Execute(const StepContext& context) = 0;

  // Does the same work beside the process that executes the step, as one of
  // several that share it; what it leaves in the folders is discarded. As
  // Execute, and
  //
  //   UNIMPLEMENTED  this work is not shared
  virtual absl::Status TakePart(const StepContext& /*context*/) {
    return absl::UnimplementedError("this step is one process's work");
  }
};

// How a step ended.
struct StepReport {
  struct Output {
    std::string key;
    ml_metadata::Artifact artifact;
  };

  ml_metadata::Execution::State state = ml_metadata::Execution::UNKNOWN;
  absl::Status error;  // why it is FAILED or CANCELED
  int64_t execution_id = 0;
  int64_t attempt = 1;
  bool finished_before = false;  // by an earlier command of the same run
  // Of one that only took part in an execution of another process, and has no
  // outputs: "worker 1".
  std::string role;
  // Of a CACHED one: the execution that computed the outputs.
  std::optional<int64_t> cached_from;
  ResolvedInputs inputs;
  std::vector<Output> outputs;
  PropertyMap execution_properties;
};

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_LAUNCH_STEP_H_
