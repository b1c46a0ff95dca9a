#include "component/resolve/resolver.h"

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "component/resolve/artifact_ref.h"
#include "component/resolve/artifact_roots.h"
#include "component/resolve/candidate.h"
#include "component/resolve/digest_check.h"
#include "metadata/api/values.h"
#include "ml_metadata/proto/metadata_store.pb.h"
#include "tests/component/resolve/resolve_graph.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

using ml_metadata::Artifact;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Artifact InState(Artifact::State state) {
  Artifact artifact;
  artifact.set_state(state);
  return artifact;
}

Artifact With(const std::string& property, const ml_metadata::Value& value) {
  Artifact artifact;
  (*artifact.mutable_custom_properties())[property] = value;
  return artifact;
}

std::vector<int64_t> Ids(const Resolution& resolution) {
  std::vector<int64_t> ids;
  for (const Artifact& artifact : resolution.chosen) {
    ids.push_back(artifact.id());
  }
  return ids;
}

// Why the artifact was passed over or taken; empty if it was not looked at.
std::string ReasonFor(int64_t id, const Resolution& resolution) {
  for (const Candidate& candidate : resolution.candidates) {
    if (candidate.artifact.id() == id) return candidate.reason;
  }
  return "";
}

class ResolverTest : public ::testing::Test {
 protected:
  // An output of the pipeline with a file of its own; returns its id.
  int64_t Put(Artifact artifact = {}, const std::string& type = "Model",
              const Place& place = {}) {
    return graph_.PutOutput(type, WithFile(std::move(artifact)), place);
  }

  Artifact WithFile(Artifact artifact) {
    const std::string name = absl::StrCat("root/artifact-", ++files_);
    dir_.Write(name + "/file", name);
    artifact.set_uri(dir_ / name);
    return artifact;
  }

  void RemoveFiles() {
    std::filesystem::remove_all(dir_ / absl::StrCat("root/artifact-", files_));
  }

  Resolution ResolveAs(const std::string& type, const std::string& ref,
                       bool allow_partial = false) {
    const auto resolution =
        Resolve({type, *ParseArtifactRef(ref), "p", "run-1", allow_partial,
                 FileRules{ArtifactRoots(dir_ / "root", {})}},
                graph_.metadata());
    EXPECT_THAT(resolution, IsOk());
    return *resolution;
  }
  Resolution ResolveModel(const std::string& ref) {
    return ResolveAs("Model", ref);
  }

  TempDir dir_;
  ResolveGraph graph_;
  int files_ = 0;
};

TEST_F(ResolverTest, NothingToStartFromIsAnAnswer) {
  for (const char* ref : {"none", "latest", "latest-blessed", "best:loss",
                          "latest-created:2", "span:0-9", "spans:3"}) {
    const Resolution resolution = ResolveModel(ref);
    EXPECT_THAT(resolution.chosen, IsEmpty()) << ref;
    EXPECT_THAT(resolution.refusal, IsOk()) << ref;
  }
}

TEST_F(ResolverTest, LatestTakesTheHighestIdOfTheType) {
  Put();
  const int64_t newest = Put();
  Put({}, "Schema");
  EXPECT_THAT(Ids(ResolveModel("latest")), ElementsAre(newest));
}

TEST_F(ResolverTest, LatestGoesByIdAlthoughTheClockWentBack) {
  graph_.clock().Advance(absl::Hours(1));
  Put();
  graph_.clock().Advance(-absl::Minutes(30));
  const int64_t highest_id = Put();
  EXPECT_THAT(Ids(ResolveModel("latest")), ElementsAre(highest_id));
}

TEST_F(ResolverTest, LatestPassesOverWhatCannotBeUsedAndSaysWhy) {
  const int64_t good = Put();
  Put();
  RemoveFiles();
  Put(InState(Artifact::DELETED));
  const Resolution resolution = ResolveModel("latest");
  EXPECT_THAT(Ids(resolution), ElementsAre(good));
  ASSERT_EQ(resolution.candidates.size(), 3);
  EXPECT_THAT(resolution.candidates[0].reason, HasSubstr("DELETED"));
  EXPECT_THAT(resolution.candidates[1].reason, HasSubstr("cannot read"));
  EXPECT_TRUE(resolution.candidates[2].taken);
}

TEST_F(ResolverTest, OnlyTheFirstOfManyThatWerePassedOverAreKept) {
  const int64_t good = Put();
  for (int i = 0; i < 130; ++i) Put(InState(Artifact::ABANDONED));
  const Resolution resolution = ResolveModel("latest");
  EXPECT_THAT(Ids(resolution), ElementsAre(good));
  EXPECT_EQ(resolution.candidates.size(), 51);
  EXPECT_EQ(resolution.more_passed_over, 80);
}

TEST_F(ResolverTest, AnArtifactOfAnotherPipelineIsNotSeen) {
  Put({}, "Model", {.pipeline = "other", .run = "run-2"});
  EXPECT_THAT(ResolveModel("latest").candidates, IsEmpty());
}

TEST_F(ResolverTest, WhatThePipelineOnlyReadIsNoCandidate) {
  const int64_t own = Put();
  const int64_t foreign = Put({}, "Model", {.pipeline = "q", .run = "run-2"});
  graph_.PutInput(foreign, {.node = "Evaluator", .key = "model"});
  const Resolution resolution = ResolveModel("latest");
  EXPECT_THAT(Ids(resolution), ElementsAre(own));
  EXPECT_EQ(ReasonFor(foreign, resolution),
            "no execution of pipeline 'p' put it out");
}

// --- partial models ---------------------------------------------------------

TEST_F(ResolverTest, AModelWhoseTrainingWasCutShortIsNotChosenUnlessAllowed) {
  Artifact good = With("accuracy", DoubleValue(0.5));
  const int64_t whole = Put(good);
  Artifact cut_short = With("accuracy", DoubleValue(0.9));
  (*cut_short.mutable_custom_properties())["train_complete"] = IntValue(0);
  const int64_t partial = Put(cut_short);

  for (const char* ref : {"latest", "best:accuracy", "latest-created:1"}) {
    const Resolution resolution = ResolveModel(ref);
    EXPECT_THAT(Ids(resolution), ElementsAre(whole)) << ref;
    EXPECT_THAT(ReasonFor(partial, resolution), HasSubstr("--allow-partial"));
    EXPECT_THAT(Ids(ResolveAs("Model", ref, /*allow_partial=*/true)),
                ElementsAre(partial))
        << ref;
  }
}

TEST_F(ResolverTest, APartialModelCanBeHadByItsId) {
  const int64_t id = Put(With("train_complete", IntValue(0)));
  const Resolution resolution = ResolveModel(absl::StrCat("id:", id));
  EXPECT_THAT(Ids(resolution), ElementsAre(id));
  EXPECT_THAT(ReasonFor(id, resolution), HasSubstr("cut short"));
}

TEST_F(ResolverTest, APushThatDidNotHappenIsNotTheLatest) {
  const int64_t pushed = Put(With("pushed", IntValue(1)), "PushedModel");
  const int64_t refused = Put(With("pushed", IntValue(0)), "PushedModel");
  const Resolution resolution = ResolveAs("PushedModel", "latest");
  EXPECT_THAT(Ids(resolution), ElementsAre(pushed));
  EXPECT_THAT(ReasonFor(refused, resolution), HasSubstr("was not pushed"));
}

// --- places -----------------------------------------------------------------

class PlacesTest : public ResolverTest {
 protected:
  // A model whose record says that it is there.
  int64_t PutAt(const std::string& uri) {
    Artifact artifact;
    artifact.set_uri(uri);
    return graph_.PutOutput("Model", artifact);
  }
};

TEST_F(PlacesTest, AModelOutsideTheRootIsPassedOverHoweverItIsChosen) {
  const int64_t good = Put();
  dir_.Write("elsewhere/saved_model.pb", "code");
  const int64_t planted = PutAt(dir_ / "elsewhere");
  for (const char* ref : {"latest", "latest-created:1"}) {
    const Resolution resolution = ResolveModel(ref);
    EXPECT_THAT(Ids(resolution), ElementsAre(good)) << ref;
    EXPECT_THAT(ReasonFor(planted, resolution),
                HasSubstr("is not below the pipeline root"));
    EXPECT_THAT(ReasonFor(planted, resolution), HasSubstr("--artifact-root"));
  }
}

TEST_F(PlacesTest, AnIdNamesARecordAndAUriNamesAPlace) {
  dir_.Write("elsewhere/saved_model.pb", "code");
  const int64_t outside = PutAt(dir_ / "elsewhere");
  const Resolution by_id = ResolveModel(absl::StrCat("id:", outside));
  EXPECT_THAT(by_id.refusal, StatusIs(absl::StatusCode::kFailedPrecondition,
                                      HasSubstr("--artifact-root")));
  EXPECT_THAT(ResolveModel("run:Node.output").chosen, IsEmpty());
  EXPECT_THAT(Ids(ResolveModel(absl::StrCat("uri:", dir_ / "elsewhere"))),
              ElementsAre(outside));
}

TEST_F(PlacesTest, PathsAndLinksThatLeadOutAreRefused) {
  dir_.Write("elsewhere/saved_model.pb", "code");
  dir_.Write("root/Trainer/model/1/own", "");
  const std::string root = dir_ / "root/Trainer/model";
  std::filesystem::create_symlink(dir_ / "elsewhere", root + "/2");
  std::filesystem::create_symlink(dir_ / "elsewhere/saved_model.pb",
                                  root + "/1/saved_model.pb");
  for (const std::string& uri :
       {root + "/1", root + "/2", root + "/../../../elsewhere",
        std::string("s3://bucket/model"), std::string("/dev/zero")}) {
    const int64_t id = PutAt(uri);
    EXPECT_THAT(ResolveModel(absl::StrCat("id:", id)).chosen, IsEmpty()) << uri;
  }
}

TEST_F(PlacesTest, ALinkWithinTheRootIsFollowed) {
  const int64_t good = Put();
  std::filesystem::create_directory_symlink(dir_ / "root/artifact-1",
                                            dir_ / "root/link");
  const int64_t linked = PutAt(dir_ / "root/link");
  EXPECT_THAT(Ids(ResolveModel(absl::StrCat("id:", good, ",", linked))),
              ElementsAre(good, linked));
}

TEST_F(PlacesTest, APipeAmongTheFilesIsARefusalAndNotAWait) {
  const int64_t id = Put();
  ASSERT_EQ(mkfifo((dir_ / "root/artifact-1/pipe").c_str(), 0600), 0);
  EXPECT_THAT(ReasonFor(id, ResolveModel(absl::StrCat("id:", id))),
              HasSubstr("neither a file nor a folder"));
}

TEST_F(PlacesTest, WhatWasImportedIsTakenFromItsPlaceAlone) {
  dir_.Write("data/a/file", "");
  dir_.Write("data/b/file", "");
  const int64_t a = PutAt(dir_ / "data/a");
  const int64_t b = PutAt(dir_ / "data/b");
  ASSERT_THAT(NoteImport(dir_ / "root", dir_ / "data/a"), IsOk());
  EXPECT_THAT(Ids(ResolveModel("latest")), ElementsAre(a));
  EXPECT_THAT(ResolveModel(absl::StrCat("id:", b)).chosen, IsEmpty());
}

// --- blessed ----------------------------------------------------------------

class BlessedTest : public ResolverTest {
 protected:
  int64_t Bless(int64_t model, int64_t blessed = 1, const Place& place = {}) {
    Artifact blessing = With("blessed", IntValue(blessed));
    (*blessing.mutable_custom_properties())["current_model_id"] =
        IntValue(model);
    return graph_.PutOutput("ModelBlessing", blessing, place);
  }
};

TEST_F(BlessedTest, TheHighestIdThatIsBlessedIsTaken) {
  const int64_t first = Put();
  const int64_t second = Put();
  const int64_t third = Put();
  // Not the newest blessing decides, but the newest model.
  const int64_t blessing = Bless(second);
  Bless(first);
  const Resolution resolution = ResolveModel("latest-blessed");
  EXPECT_THAT(Ids(resolution), ElementsAre(second));
  EXPECT_THAT(ReasonFor(second, resolution),
              HasSubstr(absl::StrCat("blessed by artifact ", blessing)));
  EXPECT_THAT(ReasonFor(third, resolution), HasSubstr("no ModelBlessing"));
}

TEST_F(BlessedTest, ANewerRefusalDoesNotTakeABlessingBack) {
  const int64_t model = Put();
  Bless(model);
  Bless(model, /*blessed=*/0);
  EXPECT_THAT(Ids(ResolveModel("latest-blessed")), ElementsAre(model));
}

TEST_F(BlessedTest, OnlyALiveBlessingOfThePipelineCounts) {
  const int64_t model = Put();
  Artifact deleted = With("blessed", IntValue(1));
  (*deleted.mutable_custom_properties())["current_model_id"] = IntValue(model);
  deleted.set_state(Artifact::DELETED);
  graph_.PutOutput("ModelBlessing", deleted);
  const int64_t foreign =
      Bless(model, 1, {.pipeline = "other", .run = "run-2"});
  graph_.PutInput(foreign, {.node = "Pusher", .key = "model_blessing"});
  EXPECT_THAT(ResolveModel("latest-blessed").chosen, IsEmpty());
}

TEST_F(BlessedTest, ABlessedModelWithoutFilesIsPassedOver) {
  const int64_t good = Put();
  const int64_t gone = Put();
  RemoveFiles();
  Bless(good);
  Bless(gone);
  EXPECT_THAT(Ids(ResolveModel("latest-blessed")), ElementsAre(good));
}

// --- created, best, spans ---------------------------------------------------

TEST_F(ResolverTest, LatestCreatedGoesByTimeThenIdAndAnswersOldestFirst) {
  graph_.clock().Advance(absl::Hours(1));
  const int64_t late = Put();
  graph_.clock().Advance(-absl::Minutes(30));
  Put();
  const int64_t tie_one = Put();
  const int64_t tie_two = Put();
  EXPECT_THAT(Ids(ResolveModel("latest-created:3")),
              ElementsAre(tie_one, tie_two, late));
}

TEST_F(ResolverTest, LatestCreatedTakesFewerWhenThereAreFewer) {
  const int64_t only = Put();
  EXPECT_THAT(Ids(ResolveModel("latest-created:3")), ElementsAre(only));
}

TEST_F(ResolverTest, TheBestIsTheHighestOrLowestNumber) {
  const int64_t low = Put(With("score", IntValue(-3)));
  Put(With("score", DoubleValue(0.25)));
  const int64_t high = Put(With("score", DoubleValue(7.5)));
  EXPECT_THAT(Ids(ResolveModel("best:score:max")), ElementsAre(high));
  EXPECT_THAT(Ids(ResolveModel("best:score:min")), ElementsAre(low));
}

TEST_F(ResolverTest, OfEquallyGoodOnesTheHighestIdIsTaken) {
  Put(With("score", DoubleValue(1)));
  const int64_t newer = Put(With("score", IntValue(1)));
  EXPECT_THAT(Ids(ResolveModel("best:score:max")), ElementsAre(newer));
  EXPECT_THAT(Ids(ResolveModel("best:score:min")), ElementsAre(newer));
}

TEST_F(ResolverTest, WhatWasNotMeasuredNeverWins) {
  const int64_t not_a_number = Put(With("score", DoubleValue(std::nan(""))));
  const int64_t text = Put(With("score", StringValue("9")));
  const int64_t none = Put();
  const int64_t good = Put(With("score", DoubleValue(-1)));
  for (const char* ref : {"best:score:max", "best:score:min"}) {
    const Resolution resolution = ResolveModel(ref);
    EXPECT_THAT(Ids(resolution), ElementsAre(good));
    EXPECT_EQ(ReasonFor(not_a_number, resolution),
              "its 'score' is not a number");
    EXPECT_EQ(ReasonFor(text, resolution), "its 'score' is not a number");
    EXPECT_EQ(ReasonFor(none, resolution), "it has no 'score'");
  }
}

TEST_F(ResolverTest, AnInfiniteMetricIsANumber) {
  const double infinity = std::numeric_limits<double>::infinity();
  const int64_t best = Put(With("score", DoubleValue(infinity)));
  Put(With("score", DoubleValue(1e300)));
  EXPECT_THAT(Ids(ResolveModel("best:score:max")), ElementsAre(best));
}

TEST_F(ResolverTest, WithoutTheBestOnesFilesTheNextBestIsTaken) {
  const int64_t second = Put(With("score", DoubleValue(2)));
  Put(With("score", DoubleValue(1)));
  const int64_t gone = Put(With("score", DoubleValue(3)));
  RemoveFiles();
  const Resolution resolution = ResolveModel("best:score:max");
  EXPECT_THAT(Ids(resolution), ElementsAre(second));
  EXPECT_THAT(ReasonFor(gone, resolution), HasSubstr("cannot read"));
}

class SpanTest : public ResolverTest {
 protected:
  int64_t PutSpan(const ml_metadata::Value& span, bool is_custom = true) {
    Artifact artifact;
    auto& properties = is_custom ? *artifact.mutable_custom_properties()
                                 : *artifact.mutable_properties();
    properties["span"] = span;
    return Put(artifact, "Examples");
  }
  std::vector<int64_t> ResolveExamples(const std::string& ref) {
    return Ids(ResolveAs("Examples", ref));
  }
};

TEST_F(SpanTest, ARangeIsTakenHighestSpanFirst) {
  const int64_t three = PutSpan(IntValue(3));
  const int64_t five_one = PutSpan(IntValue(5));
  const int64_t five_two = PutSpan(IntValue(5));
  const int64_t four = PutSpan(IntValue(4));
  PutSpan(IntValue(6));
  PutSpan(IntValue(2));
  EXPECT_THAT(ResolveExamples("span:3-5"),
              ElementsAre(five_one, five_two, four, three));
}

TEST_F(SpanTest, ASpanMayBeTextOrADeclaredProperty) {
  const int64_t text = PutSpan(StringValue("12"));
  const int64_t declared = PutSpan(IntValue(11), /*is_custom=*/false);
  EXPECT_THAT(ResolveExamples("span:0-99"), ElementsAre(text, declared));
}

TEST_F(SpanTest, AnArtifactWithoutASpanIsPassedOver) {
  const int64_t none = Put({}, "Examples");
  const int64_t word = PutSpan(StringValue("monday"));
  const Resolution resolution = ResolveAs("Examples", "spans:1");
  EXPECT_THAT(resolution.chosen, IsEmpty());
  EXPECT_EQ(ReasonFor(none, resolution), "it has no span");
  EXPECT_EQ(ReasonFor(word, resolution), "its span is not a whole number");
}

TEST_F(SpanTest, ARollingRangeCountsNumbersNotSpans) {
  const int64_t nine = PutSpan(IntValue(9));
  const int64_t seven = PutSpan(IntValue(7));
  PutSpan(IntValue(6));
  EXPECT_THAT(ResolveExamples("spans:3"), ElementsAre(nine, seven));
}

TEST_F(SpanTest, ARollingRangeBeginsNoLowerThanItsStart) {
  PutSpan(IntValue(7));
  const int64_t eight = PutSpan(IntValue(8));
  const int64_t nine = PutSpan(IntValue(9));
  EXPECT_THAT(ResolveExamples("spans:5:from=8"), ElementsAre(nine, eight));
  EXPECT_THAT(ResolveExamples("spans:5:from=10"), IsEmpty());
}

TEST_F(SpanTest, TheNewestSpanIsOneThatCanBeUsed) {
  const int64_t three = PutSpan(IntValue(3));
  const int64_t four = PutSpan(IntValue(4));
  PutSpan(IntValue(5));
  RemoveFiles();
  EXPECT_THAT(ResolveExamples("spans:2"), ElementsAre(four, three));
}

// --- by name ----------------------------------------------------------------

TEST_F(ResolverTest, IdsAreTakenInTheOrderGiven) {
  const int64_t one = Put();
  const int64_t two = Put();
  EXPECT_THAT(Ids(ResolveModel(absl::StrCat("id:", two, ",", one))),
              ElementsAre(two, one));
}

TEST_F(ResolverTest, AllIdsMustBeThereAndUsable) {
  const int64_t good = Put();
  const int64_t dead = Put(InState(Artifact::ABANDONED));
  EXPECT_THAT(ResolveModel(absl::StrCat("id:", good, ",99")).refusal,
              StatusIs(absl::StatusCode::kNotFound,
                       HasSubstr("no artifact with id 99")));
  const Resolution resolution =
      ResolveModel(absl::StrCat("id:", good, ",", dead));
  EXPECT_THAT(resolution.refusal,
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("its state is ABANDONED")));
  EXPECT_THAT(resolution.chosen, IsEmpty());
  EXPECT_EQ(resolution.candidates.size(), 2);
}

TEST_F(ResolverTest, ANamedArtifactOfAnotherTypeIsRefused) {
  const int64_t id = Put({}, "Schema");
  EXPECT_THAT(ResolveModel(absl::StrCat("id:", id)).refusal,
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("its type is Schema, not Model")));
}

TEST_F(ResolverTest, AUriIsTakenAsRecorded) {
  const int64_t id = Put();
  EXPECT_THAT(Ids(ResolveModel("uri:" + (dir_ / "root/artifact-1"))),
              ElementsAre(id));
  EXPECT_THAT(ResolveModel("uri:/nowhere").refusal,
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("/nowhere")));
}

TEST_F(ResolverTest, OfSeveralAtOnePlaceTheNewestUsableIsTaken) {
  Artifact artifact = WithFile({});
  graph_.PutOutput("Model", artifact);
  const int64_t newer = graph_.PutOutput("Model", artifact);
  artifact.set_state(Artifact::DELETED);
  graph_.PutOutput("Model", artifact);
  EXPECT_THAT(Ids(ResolveModel("uri:" + artifact.uri())), ElementsAre(newer));
}

TEST_F(ResolverTest, ANodesOutputsAreTakenInTheOrderOfTheirIndex) {
  const Place trainer = {.node = "Trainer", .key = "model"};
  const std::vector<int64_t> models =
      graph_.PutOutputs("Model", {WithFile({}), WithFile({})}, trainer);
  Put({}, "Model", {.node = "Trainer", .key = "other"});
  Put({}, "Model", {.run = "run-2", .node = "Trainer", .key = "model"});
  EXPECT_THAT(Ids(ResolveModel("run:Trainer.model")),
              ElementsAre(models[0], models[1]));
}

TEST_F(ResolverTest, ANodeThatHasNotRunIsNamed) {
  Put({}, "Model", {.run = "run-2", .node = "Trainer", .key = "model"});
  EXPECT_THAT(ResolveModel("run:Trainer.model").refusal,
              StatusIs(absl::StatusCode::kNotFound,
                       HasSubstr("node 'Trainer' of run 'run-1' has published "
                                 "nothing under 'model'")));
}

}  // namespace
}  // namespace rekindle
