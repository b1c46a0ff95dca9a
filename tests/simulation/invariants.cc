#include "tests/simulation/invariants.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/digest.h"
#include "base/file_util.h"
#include "component/cache/cache.h"
#include "component/cache/cache_fields.h"
#include "component/resolve/digest_check.h"
#include "metadata/api/values.h"
#include "ml_metadata/proto/metadata_store.pb.h"
#include "ml_metadata/proto/metadata_store_service.pb.h"
#include "tests/simulation/memory_store.h"
#include "tests/simulation/world.h"

namespace rekindle::simulation {
namespace {

using ml_metadata::Artifact;
using ml_metadata::Context;
using ml_metadata::Event;
using ml_metadata::Execution;

// Judges one store.
class Judge {
 public:
  Judge(World& world, int number)
      : world_(world), number_(number), store_(world.store(number)) {}

  void Run() {
    if (!Load()) return;
    for (const auto& [id, artifact] : artifacts_) CheckFiles(artifact);
    for (const auto& [id, execution] : executions_) CheckExecution(execution);
    for (const Acknowledged& acknowledged : world_.acknowledged()) {
      if (acknowledged.arguments.store == number_) {
        CheckAcknowledged(acknowledged);
      }
    }
  }

 private:
  // False if nothing is stored.
  bool Load() {
    MetadataStore& metadata = store_.metadata();
    const auto artifacts = metadata.GetArtifacts({});
    const auto executions = metadata.GetExecutions({});
    if (!artifacts.ok() || !executions.ok()) return false;
    for (const Artifact& artifact : artifacts->artifacts()) {
      artifacts_[artifact.id()] = artifact;
    }
    ml_metadata::GetEventsByExecutionIDsRequest request;
    for (const Execution& execution : executions->executions()) {
      executions_[execution.id()] = execution;
      request.add_execution_ids(execution.id());
    }
    if (executions_.empty()) return !artifacts_.empty();
    const auto events = metadata.GetEventsByExecutionIDs(request);
    if (!events.ok()) return false;
    for (const Event& event : events->events()) {
      auto& side = event.type() == Event::INPUT ? inputs_ : outputs_;
      side[event.execution_id()].insert(event.artifact_id());
    }
    return true;
  }

  // What is recorded and LIVE is there, as it was published.
  void CheckFiles(const Artifact& artifact) {
    if (artifact.state() != Artifact::LIVE) return;
    const std::string text =
        absl::StrCat("store ", number_, ": artifact ", artifact.id(), " at ",
                     artifact.uri());
    const absl::StatusOr<TreeDigest> now = DigestTree(artifact.uri());
    if (!now.ok()) {
      world_.Fail(kOthersAreUntouched, absl::StrCat(text, " is gone"));
    } else if (now->digest != CustomString(artifact, kDigestProperty)) {
      world_.Fail(kVisibleIsWhole,
                  absl::StrCat(text, " does not hold what was published"));
    }
  }

  static bool IsFinished(const Execution& execution) {
    return execution.last_known_state() == Execution::COMPLETE ||
           execution.last_known_state() == Execution::CACHED;
  }

  std::vector<Context> ContextsOf(const Execution& execution) {
    ml_metadata::GetContextsByExecutionRequest request;
    request.set_execution_id(execution.id());
    const auto contexts = store_.metadata().GetContextsByExecution(request);
    if (!contexts.ok()) return {};
    return {contexts->contexts().begin(), contexts->contexts().end()};
  }

  void CheckExecution(const Execution& execution) {
    const std::optional<CacheFields> fields =
        FieldsFromJson(CustomString(execution, kCacheFieldsProperty));
    if (!fields.has_value()) return;  // it has no work, or is not a step
    const std::string key = CacheKeyOf(*fields);
    std::set<std::string> pipelines;
    for (const Context& context : ContextsOf(execution)) {
      if (context.type() == "pipeline") pipelines.insert(context.name());
      if (context.type() == kCacheContextType && context.name() != key) {
        world_.Fail(kEqualKeysEqualWork,
                    absl::StrCat("execution ", execution.id(),
                                 " is found under a key of other work"));
      }
    }
    if (pipelines.size() != 1) {
      world_.Fail(kRunHasOnePipeline,
                  absl::StrCat("execution ", execution.id(), " is in ",
                               pipelines.size(), " pipelines"));
      return;
    }
    if (IsFinished(execution)) {
      CheckOutputs(execution, *pipelines.begin(), fields->at("script"));
    }
  }

  // What the record says that the outputs come from.
  void CheckOutputs(const Execution& execution, const std::string& pipeline,
                    const std::string& script_digest) {
    const std::set<int64_t>& inputs = inputs_[execution.id()];
    const std::set<int64_t>& outputs = outputs_[execution.id()];
    if (inputs.size() != 1 || outputs.size() != 1) {
      if (world_.anything_deleted()) return;
      world_.Fail(
          kVisibleIsWhole,
          absl::StrCat("execution ", execution.id(), " has ", inputs.size(),
                       " inputs and ", outputs.size(), " outputs"));
      return;
    }
    const auto input = artifacts_.find(*inputs.begin());
    const auto output = artifacts_.find(*outputs.begin());
    if (input == artifacts_.end() || output == artifacts_.end()) return;
    const std::string expected =
        ResultOf(pipeline, CustomString(execution, "v"),
                 CustomString(input->second, "content"),
                 Script(execution, script_digest));
    CheckContent(execution, output->second, expected);
  }

  // Empty if it changed meanwhile, and nobody knows which one was read.
  std::string Script(const Execution& execution, const std::string& digest) {
    if (!CustomString(execution, "changed_while_running").empty()) return "";
    return world_.WatchedContent(digest);
  }

  void CheckContent(const Execution& execution, const Artifact& output,
                    const std::string& expected) {
    std::vector<std::string> found = {CustomString(output, "said")};
    if (output.state() == Artifact::LIVE) {
      found.push_back(ReadFile(JoinPath(output.uri(), "data")).value_or(""));
    }
    const bool hit = execution.last_known_state() == Execution::CACHED;
    const bool any_script = absl::EndsWith(expected, "=");
    for (const std::string& content : found) {
      if (content == expected) continue;
      if (any_script && absl::StartsWith(content, expected)) continue;
      world_.Fail(
          hit ? kEqualKeysEqualWork : kRecordIsWhatWasRead,
          absl::StrCat("execution ", execution.id(), ", ",
                       Execution::State_Name(execution.last_known_state()),
                       ", should have put out '", expected, "', and put out '",
                       content, "'"));
    }
  }

  void CheckAcknowledged(const Acknowledged& acknowledged) {
    const int64_t id = acknowledged.execution_id;
    if (world_.WasDeleted({number_, id}) || world_.WasDeleted({number_, 0})) {
      return;
    }
    const auto execution = executions_.find(id);
    if (execution == executions_.end() || !IsFinished(execution->second) ||
        outputs_[id] != acknowledged.artifact_ids) {
      world_.Fail(kAcknowledgedIsThere,
                  absl::StrCat("execution ", id,
                               " ended well, and its record does not say so"));
      return;
    }
    const std::string start =
        absl::StrCat("pipeline=", acknowledged.arguments.pipeline, ";");
    for (const int64_t artifact : outputs_[id]) {
      const std::string said = CustomString(artifacts_[artifact], "said");
      if (absl::StartsWith(said, start)) continue;
      world_.Fail(
          kRunHasOnePipeline,
          absl::StrCat("a step of pipeline ", acknowledged.arguments.pipeline,
                       " got the artifact '", said, "'"));
    }
  }

  World& world_;
  const int number_;
  MemoryStore& store_;
  std::map<int64_t, Artifact> artifacts_;
  std::map<int64_t, Execution> executions_;
  std::map<int64_t, std::set<int64_t>> inputs_;   // by execution
  std::map<int64_t, std::set<int64_t>> outputs_;  // by execution
};

}  // namespace

void CheckPromises(World& world) {
  for (int store = 0; store < world.stores_used(); ++store) {
    Judge(world, store).Run();
  }
}

}  // namespace rekindle::simulation
