// Steps that find their outputs in the cache, and steps that must not.
#include <atomic>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/digest.h"
#include "base/file_util.h"
#include "base/status_macros.h"
#include "component/cache/cache.h"
#include "component/cache/cache_fields.h"
#include "component/cache/cache_history.h"
#include "component/cache/content_digest.h"
#include "component/launch/cache_forecast.h"
#include "component/launch/failure.h"
#include "component/launch/launcher.h"
#include "component/launch/stage.h"
#include "component/launch/step.h"
#include "component/launch/tfx_names.h"
#include "component/resolve/artifact_ref.h"
#include "component/resolve/digest_check.h"
#include "metadata/api/open_store.h"
#include "metadata/api/values.h"
#include "ml_metadata/proto/metadata_store.pb.h"
#include "ml_metadata/proto/metadata_store_service.pb.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

using ml_metadata::Artifact;
using ml_metadata::Execution;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Writes a model, counts, and does on the way what the test says.
class Trainer : public Executor {
 public:
  absl::StatusOr<StepResult> Execute(const StepContext& context) override {
    ++calls;
    RK_RETURN_IF_ERROR(during(context));
    StepResult result = also;
    if (context.output_dirs.contains("model")) {
      RK_RETURN_IF_ERROR(WriteFileAtomically(
          JoinPath(context.output_dirs.at("model"), "weights"), "1"));
    }
    return result;
  }

  std::atomic<int> calls{0};
  StepResult also;
  std::function<absl::Status(const StepContext&)> during =
      [](const StepContext&) { return absl::OkStatus(); };
};

class CachingTest : public ::testing::Test {
 protected:
  CachingTest() : store_(*OpenSqliteStore(dir_ / "m.db", SystemClock())) {
    spec_.pipeline = "p";
    spec_.node_id = "Trainer";
    spec_.pipeline_root = dir_ / "root";
    spec_.execution_type = TrainerType();
    spec_.outputs = {{"model", ModelType()}};
    spec_.parameters = {{"train_args", StringValue("{\"num_steps\": 3}")}};
    options_.owner = "test";
    options_.claim_timeout = absl::ZeroDuration();
  }

  // One run of the node; `run_id` tells it from others.
  StepReport Run(const std::string& run_id) {
    StepSpec spec = spec_;
    spec.run_id = run_id;
    absl::StatusOr<StepReport> report =
        Launcher(*store_, options_).Run(spec, trainer_);
    EXPECT_THAT(report, IsOk());
    return report.ok() ? *std::move(report) : StepReport{};
  }

  // An Examples artifact of the pipeline, as another step would have left it.
  int64_t PutExamples(const std::string& name, const std::string& content,
                      bool with_digest = true) {
    dir_.Write("root/" + name + "/data", content);
    ml_metadata::PutArtifactTypeRequest put_type;
    *put_type.mutable_artifact_type() = ExamplesType();
    const auto type = store_->metadata().PutArtifactType(put_type);
    ml_metadata::PutArtifactsRequest put;
    Artifact& artifact = *put.add_artifacts();
    artifact.set_type_id(type->type_id());
    artifact.set_uri(dir_ / ("root/" + name));
    artifact.set_state(Artifact::LIVE);
    if (with_digest) RecordDigest(*DigestTree(artifact.uri()), artifact);
    return store_->metadata().PutArtifacts(put)->artifact_ids(0);
  }
  void TakeExamples(int64_t id) {
    spec_.inputs = {
        {"examples", "Examples", *ParseArtifactRef(absl::StrCat("id:", id))}};
  }

  Execution GetExecution(int64_t id) {
    ml_metadata::GetExecutionsByIDRequest request;
    request.add_execution_ids(id);
    return store_->metadata().GetExecutionsByID(request)->executions(0);
  }
  void Put(const Execution& execution) {
    ml_metadata::PutExecutionsRequest put;
    *put.add_executions() = execution;
    ASSERT_THAT(store_->metadata().PutExecutions(put), IsOk());
  }
  void Put(const Artifact& artifact) {
    ml_metadata::PutArtifactsRequest put;
    *put.add_artifacts() = artifact;
    ASSERT_THAT(store_->metadata().PutArtifacts(put), IsOk());
  }

  // What kept the last run from reusing the one before.
  std::string WhyNot(const StepReport& report) {
    const auto decision = CacheDecision::FromJson(CustomString(
        GetExecution(report.execution_id), kCacheDecisionProperty));
    if (!decision.has_value() || decision->rejected.empty()) return "";
    return decision->rejected.front().reason;
  }

  TempDir dir_;
  std::unique_ptr<Store> store_;
  StepSpec spec_;
  LaunchOptions options_;
  Trainer trainer_;
};

TEST_F(CachingTest, TheSameWorkIsDoneOnce) {
  const StepReport first = Run("1");
  const StepReport second = Run("2");
  EXPECT_EQ(trainer_.calls, 1);
  EXPECT_EQ(first.state, Execution::COMPLETE);
  EXPECT_EQ(second.state, Execution::CACHED);
  EXPECT_EQ(second.cached_from, first.execution_id);
  ASSERT_EQ(second.outputs.size(), 1);
  EXPECT_EQ(second.outputs[0].key, "model");
  EXPECT_EQ(second.outputs[0].artifact.id(), first.outputs[0].artifact.id());
  EXPECT_EQ(second.outputs[0].artifact.uri(), first.outputs[0].artifact.uri());
}

TEST_F(CachingTest, AHitIsRecordedAsTfxDoes) {
  const StepReport first = Run("1");
  const StepReport second = Run("2");
  const Execution execution = GetExecution(second.execution_id);
  EXPECT_EQ(execution.last_known_state(), Execution::CACHED);
  EXPECT_EQ(CustomInt(execution, kCachedFromProperty), first.execution_id);
  ml_metadata::GetEventsByExecutionIDsRequest request;
  request.add_execution_ids(second.execution_id);
  RK_ASSERT_OK_AND_ASSIGN(const auto events,
                          store_->metadata().GetEventsByExecutionIDs(request));
  ASSERT_EQ(events.events_size(), 1);
  EXPECT_EQ(events.events(0).type(), ml_metadata::Event::OUTPUT);
  EXPECT_EQ(events.events(0).artifact_id(), first.outputs[0].artifact.id());
  EXPECT_EQ(events.events(0).path().steps(0).key(), "model");
}

TEST_F(CachingTest, AHitOfAHitNamesTheOneThatComputed) {
  const StepReport first = Run("1");
  Run("2");
  EXPECT_EQ(Run("3").cached_from, first.execution_id);
}

TEST_F(CachingTest, AHitIsFoundFinishedByTheSameCommandAgain) {
  const StepReport first = Run("1");
  Run("2");
  const StepReport again = Run("2");
  EXPECT_TRUE(again.finished_before);
  EXPECT_EQ(again.state, Execution::CACHED);
  EXPECT_EQ(again.cached_from, first.execution_id);
}

TEST_F(CachingTest, WhatTheOutputsDependOnMakesAnotherKey) {
  Run("1");
  const StepSpec before = spec_;
  const std::vector<std::function<void(StepSpec&)>> changes = {
      [](StepSpec& s) { s.parameters["train_args"] = StringValue("{}"); },
      [](StepSpec& s) { s.parameters["more"] = IntValue(1); },
      [](StepSpec& s) { s.key_fields["code.trainer"] = "sha256:1"; },
      [](StepSpec& s) { s.component_version = "2"; },
      [](StepSpec& s) { s.node_id = "Trainer2"; },
      [](StepSpec& s) { s.pipeline = "q"; },
      [](StepSpec& s) { s.execution_type.set_name("Tuner"); },
      [](StepSpec& s) {
        s.outputs.push_back({"log", ModelRunType()});
      },
  };
  for (size_t i = 0; i < changes.size(); ++i) {
    spec_ = before;
    changes[i](spec_);
    EXPECT_EQ(Run(absl::StrCat("changed-", i)).state, Execution::COMPLETE) << i;
  }
  spec_ = before;
  EXPECT_EQ(Run("unchanged").state, Execution::CACHED);
}

TEST_F(CachingTest, AParameterThatDoesNotMatterDoesNotCount) {
  spec_.immaterial_parameters = {"where"};
  spec_.parameters["where"] = StringValue("/here");
  Run("1");
  spec_.parameters["where"] = StringValue("/there");
  EXPECT_EQ(Run("2").state, Execution::CACHED);
}

TEST_F(CachingTest, AnInputCountsByItsContentNotByItsId) {
  TakeExamples(PutExamples("a", "data"));
  Run("1");
  TakeExamples(PutExamples("b", "data"));
  EXPECT_EQ(Run("2").state, Execution::CACHED);
  TakeExamples(PutExamples("c", "other data"));
  EXPECT_EQ(Run("3").state, Execution::COMPLETE);
}

TEST_F(CachingTest, AnInputCountsByItsIdWhereTheOutputsNameIt) {
  TakeExamples(PutExamples("a", "1"));
  spec_.inputs[0].names_outputs = true;
  Run("1");
  TakeExamples(PutExamples("b", "1"));
  spec_.inputs[0].names_outputs = true;
  EXPECT_EQ(Run("2").state, Execution::COMPLETE);
}

TEST_F(CachingTest, AnInputWithoutADigestCountsByItsFiles) {
  const int64_t id = PutExamples("a", "data", /*with_digest=*/false);
  TakeExamples(id);
  Run("1");
  EXPECT_EQ(Run("2").state, Execution::CACHED);
  dir_.Write("root/a/data", "overwritten in place");
  EXPECT_EQ(Run("3").state, Execution::COMPLETE);
}

TEST_F(CachingTest, AnIgnoredInputDoesNotCount) {
  options_.cache.ignored_inputs = {"examples"};
  TakeExamples(PutExamples("a", "data"));
  Run("1");
  TakeExamples(PutExamples("b", "other data"));
  EXPECT_EQ(Run("2").state, Execution::CACHED);
}

TEST_F(CachingTest, WithoutLookingUpItComputesAndCanBeFound) {
  Run("1");
  options_.cache.look_up = false;
  const StepReport second = Run("2");
  EXPECT_EQ(second.state, Execution::COMPLETE);
  options_.cache.look_up = true;
  EXPECT_EQ(Run("3").cached_from, second.execution_id) << "the newest one";
}

TEST_F(CachingTest, ARetryWithOtherWorkIsNotFoundUnderTheFirstKey) {
  trainer_.during = [](const StepContext&) {
    return absl::UnavailableError("lost");
  };
  Run("1");
  trainer_.during = [](const StepContext&) { return absl::OkStatus(); };
  const PropertyMap first = spec_.parameters;
  spec_.parameters["train_args"] = StringValue("{}");
  EXPECT_EQ(Run("1").state, Execution::COMPLETE);
  spec_.parameters = first;
  EXPECT_EQ(Run("2").state, Execution::COMPLETE) << "nobody has done it yet";
}

// A database may hold entries under a key that is not theirs, from before
// retries left the contexts of earlier attempts.
TEST_F(CachingTest, AnEntryIsFoundByItsOwnFieldsOnly) {
  const StepReport first = Run("1");
  Execution execution = GetExecution(first.execution_id);
  CacheFields fields =
      *FieldsFromJson(CustomString(execution, kCacheFieldsProperty));
  fields["parameter.train_args"] = "{}";
  (*execution.mutable_custom_properties())[kCacheFieldsProperty] =
      StringValue(FieldsToJson(fields));
  execution.clear_type();
  Put(execution);
  EXPECT_EQ(Run("2").state, Execution::COMPLETE);
}

TEST_F(CachingTest, AFileThatChangesBeforeTheWorkIsNotWorkedWith) {
  const std::string code = dir_.Write("code", "one");
  spec_.key_fields["code"] = ContentDigest({code}, spec_.watched);
  options_.on_stage = [&](Stage stage) {
    if (stage == Stage::kClaimed) dir_.Write("code", "another");
  };
  const StepReport report = Run("1");
  EXPECT_EQ(ReasonOf(report.error), FailureReason::kInputChanged);
  EXPECT_THAT(report.error.message(), HasSubstr(code));
  EXPECT_EQ(trainer_.calls, 0);
}

TEST_F(CachingTest, WorkDuringWhichAFileChangedIsKeptAndNotReused) {
  const std::string code = dir_.Write("code", "one");
  spec_.key_fields["code"] = ContentDigest({code}, spec_.watched);
  trainer_.during = [&](const StepContext&) {
    dir_.Write("code", "another");
    return absl::OkStatus();
  };
  const StepReport report = Run("1");
  EXPECT_EQ(report.state, Execution::COMPLETE);
  EXPECT_EQ(
      CustomString(GetExecution(report.execution_id), "changed_while_running"),
      code);

  dir_.Write("code", "one");
  spec_.watched = {};
  spec_.key_fields["code"] = ContentDigest({code}, spec_.watched);
  trainer_.during = [](const StepContext&) { return absl::OkStatus(); };
  EXPECT_EQ(Run("2").state, Execution::COMPLETE);
}

TEST_F(CachingTest, PropertiesOfAnInputCountWhereTheWorkReadsThem) {
  const auto put = [this](const std::string& name, const std::string& owner) {
    const int64_t id = PutExamples(name, "data");
    ml_metadata::GetArtifactsByIDRequest request;
    request.add_artifact_ids(id);
    Artifact artifact =
        store_->metadata().GetArtifactsByID(request)->artifacts(0);
    artifact.clear_type();
    (*artifact.mutable_custom_properties())["owner"] = StringValue(owner);
    Put(artifact);
    TakeExamples(id);
    spec_.inputs[0].properties_count = true;
  };
  put("a", "anna");
  Run("1");
  put("b", "anna");
  EXPECT_EQ(Run("2").state, Execution::CACHED);
  put("c", "bert");
  EXPECT_EQ(Run("3").state, Execution::COMPLETE);
}

TEST_F(CachingTest, AFailureIsNotReused) {
  trainer_.during = [](const StepContext&) {
    return absl::InvalidArgumentError("no label");
  };
  Run("1");
  trainer_.during = [](const StepContext&) { return absl::OkStatus(); };
  EXPECT_EQ(Run("2").state, Execution::COMPLETE);
}

TEST_F(CachingTest, WhatPutsNothingOutIsRunEveryTime) {
  spec_.outputs.clear();
  Run("1");
  Run("2");
  EXPECT_EQ(trainer_.calls, 2);
}

TEST_F(CachingTest, ADeletedOutputIsNotReused) {
  Artifact model = Run("1").outputs[0].artifact;
  model.clear_type();
  model.set_state(Artifact::DELETED);
  Put(model);
  const StepReport second = Run("2");
  EXPECT_EQ(second.state, Execution::COMPLETE);
  EXPECT_THAT(WhyNot(second), HasSubstr("output 'model', artifact 1, is "
                                        "DELETED"));
}

TEST_F(CachingTest, OutputsThatAreGoneOrChangedAreNotReused) {
  const StepReport first = Run("1");
  std::filesystem::remove_all(first.outputs[0].artifact.uri());
  const StepReport second = Run("2");
  EXPECT_EQ(second.state, Execution::COMPLETE);
  EXPECT_THAT(WhyNot(second), HasSubstr("cannot be used"));

  ASSERT_THAT(WriteFileAtomically(
                  JoinPath(second.outputs[0].artifact.uri(), "weights"), "2"),
              IsOk());
  const StepReport third = Run("3");
  EXPECT_EQ(third.state, Execution::COMPLETE);
  EXPECT_THAT(WhyNot(third), HasSubstr("its files changed"));
}

TEST_F(CachingTest, AnOlderResultIsReusedWhenTheNewestCannotBe) {
  const StepReport first = Run("1");
  options_.cache.look_up = false;
  const StepReport second = Run("2");
  options_.cache.look_up = true;
  std::filesystem::remove_all(second.outputs[0].artifact.uri());
  const StepReport third = Run("3");
  EXPECT_EQ(third.cached_from, first.execution_id);
  EXPECT_THAT(WhyNot(third), HasSubstr("cannot be used"));
}

TEST_F(CachingTest, APartialModelIsNotReused) {
  trainer_.also.outputs["model"].custom_properties["train_complete"] =
      IntValue(0);
  Run("1");
  const StepReport second = Run("2");
  EXPECT_EQ(second.state, Execution::COMPLETE);
  EXPECT_THAT(WhyNot(second), HasSubstr("partial model"));
}

TEST_F(CachingTest, AnOldResultIsNotReused) {
  Run("1");
  options_.cache.max_age = absl::Hours(1);
  EXPECT_EQ(Run("2").state, Execution::CACHED);
  options_.cache.max_age = absl::ZeroDuration();
  const StepReport third = Run("3");
  EXPECT_EQ(third.state, Execution::COMPLETE);
  EXPECT_THAT(WhyNot(third), HasSubstr("more than the maximum age 0"));
}

TEST_F(CachingTest, AnInvalidatedResultIsNotReusedNotEvenThroughAHit) {
  const StepReport first = Run("1");
  Run("2");
  Execution execution = GetExecution(first.execution_id);
  (*execution.mutable_custom_properties())[kCacheInvalidatedProperty] =
      StringValue("2026-01-01T00:00:00Z");
  Put(execution);
  const StepReport third = Run("3");
  EXPECT_EQ(third.state, Execution::COMPLETE);
  EXPECT_EQ(WhyNot(third), "it was invalidated at 2026-01-01T00:00:00Z");
}

TEST_F(CachingTest, TheRecordedFieldsGiveTheKeyOfTheContext) {
  const StepReport report = Run("1");
  const auto fields = FieldsFromJson(
      CustomString(GetExecution(report.execution_id), kCacheFieldsProperty));
  ASSERT_TRUE(fields.has_value());
  ml_metadata::GetContextByTypeAndNameRequest request;
  request.set_type_name(kCacheContextType);
  request.set_context_name(CacheKeyOf(*fields));
  EXPECT_TRUE(
      store_->metadata().GetContextByTypeAndName(request)->has_context());
}

TEST_F(CachingTest, AStepWithoutItsInputsHasNoKey) {
  spec_.inputs = {{"examples", "Examples", *ParseArtifactRef("latest")}};
  const StepReport report = Run("1");
  EXPECT_EQ(report.state, Execution::FAILED);
  EXPECT_THAT(ExplainCache(report.execution_id, store_->metadata()),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("has no cache key")));
}

// --- at the same time -------------------------------------------------------

TEST_F(CachingTest, OfManyAtTheSameTimeOneComputes) {
  constexpr int kRuns = 8;
  std::vector<std::future<StepReport>> runs;
  for (int i = 0; i < kRuns; ++i) {
    runs.push_back(std::async(std::launch::async,
                              [&, i] { return Run(absl::StrCat(i)); }));
  }
  int cached = 0;
  for (auto& run : runs) cached += run.get().state == Execution::CACHED ? 1 : 0;
  EXPECT_EQ(trainer_.calls, 1);
  EXPECT_EQ(cached, kRuns - 1);
}

// Runs another step of the same work while `trainer_` works, from when the
// other waits until the end of both.
class WaitingTest : public CachingTest {
 protected:
  StepReport RunWhileWorking(const absl::Status& worker_ends) {
    std::promise<void> waits;
    LaunchOptions waiting = options_;
    waiting.note = [&](absl::string_view line) {
      note_ = std::string(line);
      waits.set_value();
    };
    std::future<absl::StatusOr<StepReport>> other;
    trainer_.during = [&](const StepContext& context) {
      if (context.run_id == "other") return absl::OkStatus();
      other = std::async(std::launch::async, [&] {
        StepSpec spec = spec_;
        spec.run_id = "other";
        return Launcher(*store_, waiting).Run(spec, trainer_);
      });
      waits.get_future().wait();
      return worker_ends;
    };
    worker_ = Run("worker");
    absl::StatusOr<StepReport> report = other.get();
    EXPECT_THAT(report, IsOk());
    return report.ok() ? *std::move(report) : StepReport{};
  }

  std::string note_;
  StepReport worker_;
};

TEST_F(WaitingTest, TheOneThatWaitedReusesWhatTheWorkerPublished) {
  const StepReport other = RunWhileWorking(absl::OkStatus());
  EXPECT_EQ(other.state, Execution::CACHED);
  EXPECT_EQ(other.cached_from, worker_.execution_id);
  EXPECT_EQ(trainer_.calls, 1);
  EXPECT_EQ(note_,
            absl::StrCat("waiting: execution ", worker_.execution_id,
                         ", run by test, is computing the same outputs"));
}

TEST_F(WaitingTest, TheOneThatWaitedComputesWhenTheWorkerFailed) {
  const StepReport other = RunWhileWorking(absl::InternalError("crashed"));
  EXPECT_EQ(worker_.state, Execution::FAILED);
  EXPECT_EQ(other.state, Execution::COMPLETE);
  EXPECT_EQ(trainer_.calls, 2);
}

TEST_F(CachingTest, ItDoesNotWaitPastItsDeadline) {
  StepReport late;
  trainer_.during = [&](const StepContext&) {
    options_.deadline = absl::Now() + absl::Milliseconds(50);
    late = Run("late");
    return absl::OkStatus();
  };
  EXPECT_EQ(Run("worker").state, Execution::COMPLETE);
  EXPECT_EQ(late.state, Execution::FAILED);
  EXPECT_EQ(ReasonOf(late.error), FailureReason::kDeadline) << late.error;
}

TEST_F(CachingTest, WithoutLookingUpItDoesNotWait) {
  options_.cache.look_up = false;
  StepReport inner;
  trainer_.during = [&](const StepContext& context) {
    if (context.run_id == "outer") inner = Run("inner");
    return absl::OkStatus();
  };
  EXPECT_EQ(Run("outer").state, Execution::COMPLETE);
  EXPECT_EQ(inner.state, Execution::COMPLETE);
}

// --- why --------------------------------------------------------------------

TEST_F(CachingTest, AMissIsExplainedByTheNearestEarlierRun) {
  spec_.parameters["epochs"] = IntValue(1);
  Run("1");
  spec_.parameters["epochs"] = IntValue(2);
  const StepReport near = Run("2");
  const PropertyMap before = spec_.parameters;
  spec_.parameters["train_args"] = StringValue("{}");
  spec_.parameters["epochs"] = IntValue(4);
  Run("3");
  spec_.parameters = before;
  spec_.parameters["epochs"] = IntValue(3);
  const StepReport asked = Run("4");

  RK_ASSERT_OK_AND_ASSIGN(const CacheExplanation why,
                          ExplainCache(asked.execution_id, store_->metadata()));
  ASSERT_TRUE(why.decision.has_value());
  EXPECT_EQ(why.decision->kind, CacheDecision::Kind::kMiss);
  EXPECT_THAT(why.decision->rejected, IsEmpty());
  ASSERT_TRUE(why.nearest.has_value());
  EXPECT_EQ(why.nearest->execution_id, near.execution_id)
      << "one difference, and newer than the other with one";
  EXPECT_THAT(why.nearest->differences,
              ElementsAre(FieldDifference{"parameter.epochs", "2", "3"}));
}

TEST_F(CachingTest, AHitIsExplainedByWhatItReused) {
  const StepReport first = Run("1");
  const StepReport second = Run("2");
  RK_ASSERT_OK_AND_ASSIGN(
      const CacheExplanation why,
      ExplainCache(second.execution_id, store_->metadata()));
  ASSERT_TRUE(why.decision.has_value());
  EXPECT_EQ(why.decision->kind, CacheDecision::Kind::kHit);
  EXPECT_EQ(why.cached_from, first.execution_id);
}

TEST_F(CachingTest, AForecastSaysWhatARunWouldFindAndWritesNothing) {
  const absl::Time now = absl::Now();
  RK_ASSERT_OK_AND_ASSIGN(
      CacheForecast forecast,
      ForecastCache(spec_, {}, options_.cache, now, store_->metadata()));
  EXPECT_EQ(forecast.decision.kind, CacheDecision::Kind::kMiss);
  EXPECT_FALSE(forecast.nearest.has_value());
  EXPECT_THAT(store_->metadata().GetExecutions({})->executions(), IsEmpty());

  const StepReport first = Run("1");
  RK_ASSERT_OK_AND_ASSIGN(forecast, ForecastCache(spec_, {}, options_.cache,
                                                  now, store_->metadata()));
  EXPECT_EQ(forecast.decision.kind, CacheDecision::Kind::kHit);
  ASSERT_TRUE(forecast.hit.has_value());
  EXPECT_EQ(forecast.hit->ComputedBy(), first.execution_id);

  spec_.parameters["epochs"] = IntValue(1);
  RK_ASSERT_OK_AND_ASSIGN(forecast, ForecastCache(spec_, {}, options_.cache,
                                                  now, store_->metadata()));
  ASSERT_TRUE(forecast.nearest.has_value());
  EXPECT_THAT(
      forecast.nearest->differences,
      ElementsAre(FieldDifference{"parameter.epochs", std::nullopt, "1"}));

  options_.cache.look_up = false;
  RK_ASSERT_OK_AND_ASSIGN(forecast, ForecastCache(spec_, {}, options_.cache,
                                                  now, store_->metadata()));
  EXPECT_EQ(forecast.decision.kind, CacheDecision::Kind::kOff);
}

TEST_F(CachingTest, AFirstRunHasNothingBeforeIt) {
  RK_ASSERT_OK_AND_ASSIGN(
      const CacheExplanation why,
      ExplainCache(Run("1").execution_id, store_->metadata()));
  EXPECT_FALSE(why.nearest.has_value());
  EXPECT_THAT(ExplainCache(77, store_->metadata()),
              StatusIs(absl::StatusCode::kNotFound));
}

}  // namespace
}  // namespace rekindle
