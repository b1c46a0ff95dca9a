// What a step records, rule by rule as TFX 1.21 does; the whole of it is
// compared with TFX's own records in tests/e2e/tfx_records_test.py.
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/file_util.h"
#include "base/status_macros.h"
#include "component/launch/launcher.h"
#include "component/launch/step.h"
#include "component/launch/tfx_names.h"
#include "component/resolve/artifact_ref.h"
#include "metadata/api/open_store.h"
#include "metadata/api/values.h"
#include "ml_metadata/proto/metadata_store.pb.h"
#include "ml_metadata/proto/metadata_store_service.pb.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

using ml_metadata::Artifact;
using ml_metadata::Event;
using ml_metadata::Execution;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class FunctionExecutor : public Executor {
 public:
  using Function =
      std::function<absl::StatusOr<StepResult>(const StepContext& context)>;
  explicit FunctionExecutor(Function function)
      : function_(std::move(function)) {}

  absl::StatusOr<StepResult> Execute(const StepContext& context) override {
    return function_(context);
  }

 private:
  Function function_;
};

// Writes a file into every output.
absl::StatusOr<StepResult> WriteAllOutputs(const StepContext& context) {
  for (const auto& [key, folder] : context.output_dirs) {
    RK_RETURN_IF_ERROR(WriteFileAtomically(JoinPath(folder, "value"), key));
  }
  return StepResult{};
}

class TfxRecordsTest : public ::testing::Test {
 protected:
  TfxRecordsTest() : store_(*OpenSqliteStore(dir_ / "m.db", clock_)) {}

  // A node of the run with these outputs and inputs.
  StepSpec Spec(const std::string& node, std::vector<OutputSpec> outputs,
                std::vector<InputSpec> inputs = {}) {
    StepSpec spec;
    spec.pipeline = "p";
    spec.run_id = "run-1";
    spec.node_id = node;
    spec.pipeline_root = dir_ / "root";
    spec.execution_type = TrainerType();
    spec.outputs = std::move(outputs);
    spec.inputs = std::move(inputs);
    return spec;
  }

  StepReport Run(const StepSpec& spec,
                 const FunctionExecutor::Function& function = WriteAllOutputs) {
    FunctionExecutor executor(function);
    LaunchOptions options;
    options.owner = "test";
    const auto report = Launcher(*store_, options).Run(spec, executor);
    EXPECT_THAT(report, IsOk());
    return report.ok() ? *report : StepReport{};
  }

  Execution GetExecution(int64_t id) {
    ml_metadata::GetExecutionsByIDRequest request;
    request.add_execution_ids(id);
    return store_->metadata().GetExecutionsByID(request)->executions(0);
  }
  Artifact GetArtifact(int64_t id) {
    ml_metadata::GetArtifactsByIDRequest request;
    request.add_artifact_ids(id);
    return store_->metadata().GetArtifactsByID(request)->artifacts(0);
  }
  std::vector<Event> EventsOf(int64_t execution_id, Event::Type type) {
    ml_metadata::GetEventsByExecutionIDsRequest request;
    request.add_execution_ids(execution_id);
    std::vector<Event> events;
    const auto response = store_->metadata().GetEventsByExecutionIDs(request);
    for (const Event& event : response->events()) {
      if (event.type() == type) events.push_back(event);
    }
    return events;
  }
  // "examples,0,baseline,0".
  static std::string PathOf(const Event& event) {
    std::string path;
    for (const Event::Path::Step& step : event.path().steps()) {
      absl::StrAppend(
          &path, path.empty() ? "" : ",",
          step.has_index() ? absl::StrCat(step.index()) : step.key());
    }
    return path;
  }
  // "node=p.Trainer", ...; the name of a cache is left out.
  std::vector<std::string> ContextsOf(int64_t artifact_id) {
    ml_metadata::GetContextsByArtifactRequest request;
    request.set_artifact_id(artifact_id);
    std::vector<std::string> names;
    const auto response = store_->metadata().GetContextsByArtifact(request);
    for (const ml_metadata::Context& context : response->contexts()) {
      names.push_back(context.type() == "execution_cache"
                          ? context.type()
                          : context.type() + "=" + context.name());
    }
    return names;
  }

  TempDir dir_;
  FakeClock clock_{absl::FromUnixSeconds(1'800'000'000)};
  std::unique_ptr<Store> store_;
};

TEST_F(TfxRecordsTest, AnOutputIsAtRootNodeKeyExecution) {
  const StepReport report = Run(Spec("Trainer", {{"model", ModelType()}}));
  EXPECT_EQ(report.outputs[0].artifact.uri(),
            dir_ / absl::StrCat("root/Trainer/model/", report.execution_id));
}

TEST_F(TfxRecordsTest, AValueIsOneFolderDeeper) {
  const StepReport report =
      Run(Spec("N", {{"text", *StandardArtifactType("String")}}));
  const std::string& uri = report.outputs[0].artifact.uri();
  EXPECT_EQ(uri,
            dir_ / absl::StrCat("root/N/text/", report.execution_id, "/value"));
  EXPECT_EQ(*ReadFile(uri), "text");
}

TEST_F(TfxRecordsTest, TheStatefulWorkingDirIsKeptForARetryAndGoneOnSuccess) {
  std::string state_dir;
  const StepSpec spec = Spec("Trainer", {{"model", ModelType()}});
  Run(spec, [&](const StepContext& context) -> absl::StatusOr<StepResult> {
    state_dir = context.state_dir;
    RK_RETURN_IF_ERROR(
        WriteFileAtomically(JoinPath(context.state_dir, "ckpt"), "1"));
    return absl::UnavailableError("preempted");
  });
  EXPECT_THAT(state_dir,
              HasSubstr(dir_ / "root/Trainer/.system/stateful_working_dir/"));
  Run(spec, [&](const StepContext& context) {
    EXPECT_TRUE(PathExists(JoinPath(context.state_dir, "ckpt")));
    return WriteAllOutputs(context);
  });
  EXPECT_FALSE(PathExists(state_dir));
}

TEST_F(TfxRecordsTest, AnOutputThatTheStepDoesNotHaveIsRefused) {
  const StepReport report =
      Run(Spec("Trainer", {{"model", ModelType()}}), [](const auto& context) {
        absl::StatusOr<StepResult> result = WriteAllOutputs(context);
        result->outputs["modle"].custom_properties["a"] = IntValue(1);
        return result;
      });
  EXPECT_THAT(report.error, StatusIs(absl::StatusCode::kInvalidArgument,
                                     HasSubstr("'modle'")));
  EXPECT_THAT(report.outputs, IsEmpty());
}

TEST_F(TfxRecordsTest, APublishedOutputIsLiveAndHasTheStepsTypeAndVersion) {
  const StepReport report = Run(
      Spec("Trainer", {{"model", ModelType()}, {"model_run", ModelRunType()}}));
  for (const StepReport::Output& output : report.outputs) {
    const Artifact stored = GetArtifact(output.artifact.id());
    EXPECT_EQ(stored.state(), Artifact::LIVE);
    EXPECT_EQ(CustomString(stored, "tfx_version"), "1.21.0");
    EXPECT_EQ(CustomInt(stored, "is_external"), 0);
    EXPECT_FALSE(stored.has_name());
  }
  EXPECT_EQ(GetArtifact(report.outputs[0].artifact.id()).type(), "Model");
}

TEST_F(TfxRecordsTest, LegacyPropertiesAreNotWritten) {
  const StepReport report = Run(Spec("Trainer", {{"model", ModelType()}}));
  const Artifact stored = GetArtifact(report.outputs[0].artifact.id());
  for (const char* legacy : {"state", "pipeline_name", "producer_component"}) {
    EXPECT_EQ(FindCustomProperty(stored, legacy), nullptr) << legacy;
  }
}

TEST_F(TfxRecordsTest, ParametersAndAnswersAreCustomPropertiesOfTheExecution) {
  StepSpec spec = Spec("Trainer", {{"model", ModelType()}});
  spec.parameters = {{"train_args", StringValue("{}")}};
  const StepReport report = Run(spec, [](const auto& context) {
    absl::StatusOr<StepResult> result = WriteAllOutputs(context);
    result->execution_properties["devices"] = StringValue("CPU:0");
    return result;
  });
  const Execution execution = GetExecution(report.execution_id);
  EXPECT_EQ(execution.last_known_state(), Execution::COMPLETE);
  EXPECT_TRUE(execution.properties().empty());
  EXPECT_EQ(CustomString(execution, "train_args"), "{}");
  EXPECT_EQ(CustomString(execution, "devices"), "CPU:0");
}

TEST_F(TfxRecordsTest, FactsAreRecordedOfAFailureToo) {
  StepSpec spec = Spec("Trainer", {{"model", ModelType()}});
  spec.facts = {{"hostname", StringValue("pod-7")}};
  const StepReport report =
      Run(spec, [](const StepContext&) -> absl::StatusOr<StepResult> {
        return absl::InternalError("broken");
      });
  const Execution execution = GetExecution(report.execution_id);
  EXPECT_EQ(execution.last_known_state(), Execution::FAILED);
  EXPECT_EQ(CustomString(execution, "hostname"), "pod-7");
  EXPECT_THAT(CustomString(execution, "__execution_result__"),
              HasSubstr("broken"));
}

TEST_F(TfxRecordsTest, OneArtifactUnderTwoKeysIsOneEventWithTwoPairs) {
  Run(Spec("Gen", {{"examples", ExamplesType()}}));
  const auto latest = *ParseArtifactRef("latest");
  const StepReport report = Run(Spec(
      "Trainer", {{"model", ModelType()}},
      {{"baseline", "Examples", latest}, {"examples", "Examples", latest}}));
  const auto inputs = EventsOf(report.execution_id, Event::INPUT);
  ASSERT_EQ(inputs.size(), 1);
  EXPECT_EQ(PathOf(inputs[0]), "baseline,0,examples,0");
}

TEST_F(TfxRecordsTest, EachOutputIsAnEventWithItsKeyAndIndexZero) {
  const StepReport report = Run(
      Spec("Trainer", {{"model", ModelType()}, {"model_run", ModelRunType()}}));
  std::vector<std::string> paths;
  for (const Event& event : EventsOf(report.execution_id, Event::OUTPUT)) {
    paths.push_back(PathOf(event));
  }
  EXPECT_THAT(paths, UnorderedElementsAre("model,0", "model_run,0"));
}

TEST_F(TfxRecordsTest, TheRunsContextHasThePipelinesForItsParent) {
  Run(Spec("Trainer", {{"model", ModelType()}}));
  ml_metadata::GetContextByTypeAndNameRequest by_name;
  by_name.set_type_name("pipeline_run");
  by_name.set_context_name("run-1");
  const auto run = store_->metadata().GetContextByTypeAndName(by_name);
  ml_metadata::GetParentContextsByContextRequest parents_of;
  parents_of.set_context_id(run->context().id());
  const auto parents =
      store_->metadata().GetParentContextsByContext(parents_of);
  ASSERT_EQ(parents->contexts_size(), 1);
  EXPECT_EQ(parents->contexts(0).type(), "pipeline");
  EXPECT_EQ(parents->contexts(0).name(), "p");
}

TEST_F(TfxRecordsTest, AnInputBelongsToItsUsersNodeButNotToItsCache) {
  const StepReport gen = Run(Spec("Gen", {{"examples", ExamplesType()}}));
  const int64_t examples = gen.outputs[0].artifact.id();
  EXPECT_THAT(ContextsOf(examples),
              UnorderedElementsAre("pipeline=p", "pipeline_run=run-1",
                                   "node=p.Gen", "execution_cache"));
  Run(Spec("Trainer", {{"model", ModelType()}},
           {{"examples", "Examples", *ParseArtifactRef("latest")}}));
  EXPECT_THAT(
      ContextsOf(examples),
      UnorderedElementsAre("pipeline=p", "pipeline_run=run-1", "node=p.Gen",
                           "node=p.Trainer", "execution_cache"));
}

TEST_F(TfxRecordsTest, AnExternalOutputStaysWhereItIs) {
  const std::string file = dir_.Write("data/a.csv", "1");
  const StepReport report =
      Run(Spec("Importer",
               {{.key = "result", .type = ExamplesType(), .external = true}}),
          [&](const StepContext& context) -> absl::StatusOr<StepResult> {
            EXPECT_FALSE(context.output_dirs.contains("result"));
            StepResult result;
            result.outputs["result"].external.set_uri(dir_ / "data");
            return result;
          });
  EXPECT_EQ(report.state, Execution::COMPLETE);
  const Artifact stored = GetArtifact(report.outputs[0].artifact.id());
  EXPECT_EQ(stored.uri(), dir_ / "data");
  EXPECT_EQ(CustomInt(stored, "is_external"), 1);
  EXPECT_THAT(CustomString(stored, "digest"), HasSubstr("sha256:"));
  EXPECT_TRUE(PathExists(file));
  // TFX's Importer has no cache either.
  EXPECT_THAT(ContextsOf(stored.id()),
              UnorderedElementsAre("pipeline=p", "pipeline_run=run-1",
                                   "node=p.Importer"));
}

TEST_F(TfxRecordsTest, AnExternalOutputThatIsStoredMakesTheExecutionCached) {
  const StepReport gen = Run(Spec("Gen", {{"examples", ExamplesType()}}));
  const StepReport report =
      Run(Spec("Importer",
               {{.key = "result", .type = ExamplesType(), .external = true}}),
          [&](const StepContext&) -> absl::StatusOr<StepResult> {
            StepResult result;
            result.outputs["result"].external = gen.outputs[0].artifact;
            return result;
          });
  EXPECT_EQ(report.state, Execution::CACHED);
  EXPECT_EQ(GetExecution(report.execution_id).last_known_state(),
            Execution::CACHED);
  EXPECT_EQ(report.outputs[0].artifact.id(), gen.outputs[0].artifact.id());
}

}  // namespace
}  // namespace rekindle
