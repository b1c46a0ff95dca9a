#include "component/resolve/resolver.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "base/clock.h"
#include "component/resolve/artifact_ref.h"
#include "metadata/api/open_store.h"
#include "ml_metadata/proto/metadata_store.pb.h"
#include "ml_metadata/proto/metadata_store_service.pb.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

using ml_metadata::Artifact;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// A store with the pipeline `p`, and files below a temporary folder.
class ResolverTest : public ::testing::Test {
 protected:
  ResolverTest() : store_(*OpenSqliteStore(":memory:", SystemClock())) {
    model_type_ = PutType("Model");
    schema_type_ = PutType("Schema");
    ml_metadata::PutContextTypeRequest type;
    type.mutable_context_type()->set_name("pipeline");
    ml_metadata::PutContextsRequest contexts;
    auto& pipeline = *contexts.add_contexts();
    pipeline.set_type_id(store_->metadata().PutContextType(type)->type_id());
    pipeline.set_name("p");
    pipeline_ = store_->metadata().PutContexts(contexts)->context_ids(0);
  }

  int64_t PutType(const std::string& name) {
    ml_metadata::PutArtifactTypeRequest request;
    request.mutable_artifact_type()->set_name(name);
    return store_->metadata().PutArtifactType(request)->type_id();
  }

  // An artifact of the pipeline with a file at `name`; returns its id.
  int64_t Put(const std::string& name, Artifact::State state = Artifact::LIVE,
              bool is_model = true) {
    dir_.Write(name + "/file", name);
    ml_metadata::PutArtifactsRequest request;
    auto& artifact = *request.add_artifacts();
    artifact.set_type_id(is_model ? model_type_ : schema_type_);
    artifact.set_uri(dir_ / name);
    artifact.set_state(state);
    const int64_t id =
        store_->metadata().PutArtifacts(request)->artifact_ids(0);
    ml_metadata::PutAttributionsAndAssociationsRequest edges;
    auto& attribution = *edges.add_attributions();
    attribution.set_artifact_id(id);
    attribution.set_context_id(pipeline_);
    EXPECT_THAT(store_->metadata().PutAttributionsAndAssociations(edges),
                IsOk());
    return id;
  }

  absl::StatusOr<Resolution> ResolveModel(const std::string& ref) {
    return Resolve({"Model", *ParseArtifactRef(ref), "p", "run-1"},
                   store_->metadata());
  }

  TempDir dir_;
  std::unique_ptr<Store> store_;
  int64_t model_type_ = 0;
  int64_t schema_type_ = 0;
  int64_t pipeline_ = 0;
};

TEST_F(ResolverTest, NothingToStartFromIsAnAnswer) {
  RK_ASSERT_OK_AND_ASSIGN(const Resolution resolution, ResolveModel("latest"));
  EXPECT_THAT(resolution.chosen, IsEmpty());
}

TEST_F(ResolverTest, LatestTakesTheHighestIdOfTheType) {
  Put("old");
  const int64_t newest = Put("new");
  Put("schema", Artifact::LIVE, /*is_model=*/false);
  RK_ASSERT_OK_AND_ASSIGN(const Resolution resolution, ResolveModel("latest"));
  ASSERT_THAT(resolution.chosen, SizeIs(1));
  EXPECT_EQ(resolution.chosen.at(0).id(), newest);
}

TEST_F(ResolverTest, LatestPassesOverWhatCannotBeUsedAndSaysWhy) {
  const int64_t good = Put("good");
  Put("gone");
  std::filesystem::remove_all(dir_ / "gone");
  Put("deleted", Artifact::DELETED);
  RK_ASSERT_OK_AND_ASSIGN(const Resolution resolution, ResolveModel("latest"));
  EXPECT_EQ(resolution.chosen.at(0).id(), good);
  ASSERT_EQ(resolution.candidates.size(), 3);
  EXPECT_THAT(resolution.candidates[0].reason, HasSubstr("DELETED"));
  EXPECT_THAT(resolution.candidates[1].reason, HasSubstr("cannot read"));
  EXPECT_TRUE(resolution.candidates[2].taken);
}

TEST_F(ResolverTest, AnArtifactOfAnotherPipelineIsNotSeen) {
  Put("here");
  RK_ASSERT_OK_AND_ASSIGN(
      const Resolution resolution,
      Resolve({"Model", *ParseArtifactRef("latest"), "other", "run-1"},
              store_->metadata()));
  EXPECT_THAT(resolution.chosen, IsEmpty());
}

TEST_F(ResolverTest, AnIdIsTakenOrAnError) {
  const int64_t id = Put("one");
  EXPECT_EQ(ResolveModel("id:" + std::to_string(id))->chosen.at(0).id(), id);
  EXPECT_THAT(ResolveModel("id:99"),
              StatusIs(absl::StatusCode::kNotFound,
                       HasSubstr("no artifact with id 99")));
}

TEST_F(ResolverTest, ANamedArtifactOfAnotherTypeIsRefused) {
  const int64_t id = Put("schema", Artifact::LIVE, /*is_model=*/false);
  EXPECT_THAT(ResolveModel("id:" + std::to_string(id)),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("its type is Schema, not Model")));
}

TEST_F(ResolverTest, AUriIsTakenAsRecorded) {
  const int64_t id = Put("one");
  EXPECT_EQ(ResolveModel("uri:" + (dir_ / "one"))->chosen.at(0).id(), id);
  EXPECT_THAT(ResolveModel("uri:/nowhere"),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("/nowhere")));
}

TEST_F(ResolverTest, ANodeThatHasNotRunIsNamed) {
  EXPECT_THAT(ResolveModel("run:Trainer.model"),
              StatusIs(absl::StatusCode::kNotFound,
                       HasSubstr("node 'Trainer' of run 'run-1' has published "
                                 "nothing under 'model'")));
}

}  // namespace
}  // namespace rekindle
