// What the trainer is given, rule by rule as TFX's FnArgs (TFX 1.21). The
// trainer is a script that answers nothing and fails.
#include "component/steps/train.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "base/file_util.h"
#include "component/contract/executor_input.h"
#include "component/launch/launcher.h"
#include "component/launch/output_paths.h"
#include "component/launch/tfx_names.h"
#include "component/resolve/artifact_ref.h"
#include "component/steps/split_statistics.h"
#include "metadata/api/open_store.h"
#include "metadata/api/values.h"
#include "ml_metadata/proto/metadata_store_service.pb.h"
#include "nlohmann/json.hpp"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

using ml_metadata::Artifact;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class TrainTest : public ::testing::Test {
 protected:
  TrainTest() : store_(*OpenSqliteStore(dir_ / "m.db", SystemClock())) {
    dir_.Write("schema/schema.pbtxt", "");
    std::filesystem::create_directories(dir_ / "examples");
    options_.trainer_binary = "/bin/false";
    options_.examples = Stored(ExamplesType(), "examples", [](Artifact& a) {
      (*a.mutable_properties())["split_names"] =
          StringValue(R"(["train", "eval", "test"])");
    });
    options_.schema = Stored(SchemaType(), "schema");
  }

  // An artifact of our version in the store, by its id.
  ArtifactRef Stored(const ml_metadata::ArtifactType& type,
                     const std::string& folder,
                     const std::function<void(Artifact&)>& change = nullptr) {
    ml_metadata::PutArtifactTypeRequest put_type;
    *put_type.mutable_artifact_type() = type;
    const auto type_id = store_->metadata().PutArtifactType(put_type);
    ml_metadata::PutArtifactsRequest put;
    Artifact& artifact = *put.add_artifacts();
    artifact.set_type_id(type_id->type_id());
    artifact.set_uri(dir_ / folder);
    artifact.set_state(Artifact::LIVE);
    (*artifact.mutable_custom_properties())["tfx_version"] =
        StringValue(kTfxVersion);
    if (change) change(artifact);
    const auto ids = store_->metadata().PutArtifacts(put);
    return *ParseArtifactRef(absl::StrCat("id:", ids->artifact_ids(0)));
  }

  // A script that writes them to the file `argv`, and answers nothing.
  std::string ProgramThatNotesItsArguments() {
    std::string program = dir_.Write(
        "program", absl::StrCat("#!/bin/sh\necho \"$@\" > ", dir_ / "argv"));
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    return program;
  }

  // What the trainer was given.
  ExecutorInput Given() {
    const auto input =
        ReadExecutorInput(JoinPath(GivenIn(), "attempt-1/executor_input.json"));
    EXPECT_THAT(input, IsOk());
    return input.ok() ? *input : ExecutorInput{};
  }

  // Trains, and returns the folder of the execution.
  std::string GivenIn() {
    StepSpec spec;
    spec.pipeline = "p";
    spec.run_id = "r";
    spec.node_id = "Trainer";
    spec.pipeline_root = dir_ / "root";
    spec.artifact_roots = {dir_.path()};
    const auto executor = MakeTrain(options_, spec);
    LaunchOptions launch;
    launch.owner = "test";
    const auto report = Launcher(*store_, launch).Run(spec, *executor);
    EXPECT_THAT(report, IsOk());
    const OutputPaths paths(spec.pipeline_root, spec.node_id,
                            store_->steps().Identify({})->store_id());
    return paths.ExecutionDir(report->execution_id);
  }

  TempDir dir_;
  std::unique_ptr<Store> store_;
  TrainOptions options_;
};

TEST_F(TrainTest, WithoutSplitsItTrainsOnTrainAndEvaluatesOnEval) {
  const ExecutorInput input = Given();
  EXPECT_THAT(input.train_files, ElementsAre(dir_ / "examples/Split-train/*"));
  EXPECT_THAT(input.eval_files, ElementsAre(dir_ / "examples/Split-eval/*"));
}

TEST_F(TrainTest, TheTrainerAnswersInTheFolderOfItsAttempt) {
  const ExecutorInput input = Given();
  for (const std::string& path : {input.output_path, input.progress_path}) {
    EXPECT_THAT(path, HasSubstr("/attempt-1/"));
  }
}

TEST_F(TrainTest, SplitsAreTakenInTheirOrder) {
  options_.train_args.add_splits("test");
  options_.train_args.add_splits("train");
  EXPECT_THAT(Given().train_files,
              ElementsAre(dir_ / "examples/Split-test/*",
                          dir_ / "examples/Split-train/*"));
}

TEST_F(TrainTest, NoStepsAreTheTrainersOwnChoice) {
  options_.eval_args.set_num_steps(5);
  const ExecutorInput input = Given();
  EXPECT_EQ(input.train_steps, std::nullopt);
  EXPECT_EQ(input.eval_steps, 5);
}

TEST_F(TrainTest, TheSchemaIsItsOnlyFile) {
  EXPECT_EQ(Given().schema_path, dir_ / "schema/schema.pbtxt");
}

TEST_F(TrainTest, AModuleIsHandedOnAndItsContentsCount) {
  const std::string module = dir_.Write("libmine.so", "one");
  options_.trainer_binary = ProgramThatNotesItsArguments();
  options_.module_file = module;
  Given();
  EXPECT_THAT(*ReadFile(dir_ / "argv"),
              ::testing::HasSubstr(absl::StrCat("--module_file=", module)));

  const auto key_of = [this] {
    StepSpec spec;
    MakeTrain(options_, spec);
    return spec.key_fields.at("code.module");
  };
  const std::string before = key_of();
  EXPECT_EQ(before, key_of());
  dir_.Write("libmine.so", "two");
  EXPECT_NE(before, key_of());
}

TEST_F(TrainTest, AModelThatNobodyTriedStandsForNoneThatIsTried) {
  StepSpec tried;
  MakeTrain(options_, tried);
  options_.skip_validation = true;
  StepSpec untried;
  MakeTrain(options_, untried);
  EXPECT_NE(tried.key_fields, untried.key_fields);
}

TEST_F(TrainTest, AModuleInPythonIsRunByItsInterpreter) {
  options_.module_file = dir_.Write("mine.py", "one");
  options_.python = ProgramThatNotesItsArguments();
  options_.python_library = "/library";
  options_.skip_validation = true;
  const std::string input =
      JoinPath(GivenIn(), "attempt-1/executor_input.json");
  EXPECT_EQ(*ReadFile(dir_ / "argv"),
            absl::StrCat("/library/run_module.py --executor=auto "
                         "--skip_validation --executor_input=",
                         input, " --module_file=", options_.module_file, "\n"));
}

TEST_F(TrainTest, AModuleInPythonNeedsNoSchema) {
  options_.module_file = dir_.Write("mine.py", "");
  options_.python = ProgramThatNotesItsArguments();
  options_.schema = *ParseArtifactRef("none");
  EXPECT_THAT(Given().schema_path, IsEmpty());
}

TEST_F(TrainTest, StatisticsSayHowManyExamplesEachSplitHas) {
  SplitStatistics counted;
  counted.split = "train";
  counted.statistics.set_num_examples(228);
  ASSERT_THAT(WriteStatistics(counted, dir_ / "statistics"), IsOk());
  counted.split = "eval";
  counted.statistics.set_num_examples(116);
  ASSERT_THAT(WriteStatistics(counted, dir_ / "statistics"), IsOk());
  options_.statistics =
      Stored(ExampleStatisticsType(), "statistics", [](Artifact& a) {
        (*a.mutable_properties())["split_names"] =
            StringValue(R"(["train", "eval"])");
      });
  EXPECT_EQ(Given().num_examples,
            (nlohmann::json{{"train", 228}, {"eval", 116}}));
}

TEST_F(TrainTest, WithoutABaseModelItStartsCold) {
  EXPECT_THAT(Given().base_model, IsEmpty());
}

TEST_F(TrainTest, TheBaseModelIsTheServingModel) {
  dir_.Write("model/Format-Serving/saved_model.pb", "");
  options_.base_model = Stored(ModelType(), "model");
  EXPECT_EQ(Given().base_model, dir_ / "model/Format-Serving");
}

TEST_F(TrainTest, ABaseModelOfOldIsFoundWhereItIs) {
  dir_.Write("model/serving_model_dir/export/x/1/saved_model.pb", "");
  options_.base_model = Stored(
      ModelType(), "model", [](Artifact& a) { a.clear_custom_properties(); });
  EXPECT_EQ(Given().base_model, dir_ / "model/serving_model_dir/export/x/1");
}

}  // namespace
}  // namespace rekindle
