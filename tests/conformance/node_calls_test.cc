#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/conformance/stores.h"

namespace rekindle {
namespace {

using ::absl::StatusCode;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class NodeCallsTest : public StoreTest {};

TEST_P(NodeCallsTest, EveryKindOfValueSurvives) {
  const std::string properties = R"(
      properties { key: 'day' value { int_value: -9223372036854775808 } }
      properties { key: 'ratio' value { double_value: 0.1234567890123456 } }
      properties { key: 'split' value { string_value: '' } }
      properties { key: 'shape' value { struct_value {
          fields { key: 'a' value { list_value { values { number_value: 1 } }
      } } } } }
      properties { key: 'config' value { proto_value {
          type_url: 'type.googleapis.com/x.Y' value: '\x00\xff' } } }
      properties { key: 'final' value { bool_value: false } }
      custom_properties { key: '' value { bool_value: true } }
      custom_properties { key: 'tiny' value { double_value: 1e-7 } }
      custom_properties { key: 'inf' value { double_value: inf } }
      custom_properties { key: 'almost' value {
          string_value: 'mlmd-struct::!' } })";
  EXPECT_THAT(GetArtifact(PutArtifact(properties)), LooksLike(properties));
}

TEST_P(NodeCallsTest, StringsMayHoldAnyBytes) {
  ml_metadata::PutArtifactsRequest request;
  auto* artifact = request.add_artifacts();
  artifact->set_type_id(dataset_);
  artifact->set_uri(std::string("a\0b", 3));
  auto& properties = *artifact->mutable_custom_properties();
  properties["nul"].set_string_value(std::string("x\0y\0", 4));
  RK_ASSERT_OK_AND_ASSIGN(const auto put, metadata().PutArtifacts(request));
  const auto stored = GetArtifact(put.artifact_ids(0));
  EXPECT_EQ(stored.uri(), std::string("a\0b", 3));
  EXPECT_EQ(stored.custom_properties().at("nul").string_value(),
            std::string("x\0y\0", 4));
}

TEST_P(NodeCallsTest, NotANumberSurvives) {
  const int64_t id = PutArtifact(
      "custom_properties { key: 'loss' value { double_value: nan } }");
  const auto stored = GetArtifact(id);
  EXPECT_TRUE(std::isnan(stored.custom_properties().at("loss").double_value()));
}

TEST_P(NodeCallsTest, TheStoreFillsInTypeAndTimes) {
  const int64_t id = PutExecution("name: 'e' create_time_since_epoch: 5");
  EXPECT_THAT(GetExecution(id), LooksLike("type: 'Trainer' name: 'e' "
                                          "create_time_since_epoch: 1000000 "
                                          "last_update_time_since_epoch: "
                                          "1000000"));
}

TEST_P(NodeCallsTest, UpdateKeepsCreateTimeAndMovesUpdateTime) {
  const int64_t id = PutArtifact("uri: 'u' state: PENDING");
  clock_.Advance(absl::Seconds(5));
  PutArtifact(absl::StrCat("id: ", id, " uri: 'u' state: LIVE"));
  EXPECT_THAT(GetArtifact(id), LooksLike("state: LIVE "
                                         "create_time_since_epoch: 1000000 "
                                         "last_update_time_since_epoch: "
                                         "1005000"));
}

TEST_P(NodeCallsTest, AnUpdateThatChangesNothingLeavesTheTimeAlone) {
  const int64_t id = PutArtifact(
      "uri: 'u' properties { key: 'day' value { "
      "int_value: 1 } }");
  clock_.Advance(absl::Seconds(5));
  PutArtifact(absl::StrCat("id: ", id,
                           " uri: 'u' properties { key: 'day' "
                           "value { int_value: 1 } }"));
  EXPECT_EQ(GetArtifact(id).last_update_time_since_epoch(), 1'000'000);
}

TEST_P(NodeCallsTest, AWholeUpdateDeletesWhatIsLeftOut) {
  const int64_t id = PutArtifact(R"(
      uri: 'u' external_id: 'x' state: LIVE
      properties { key: 'day' value { int_value: 1 } }
      custom_properties { key: 'c' value { int_value: 1 } })");
  PutArtifact(absl::StrCat("id: ", id));
  const auto stored = GetArtifact(id);
  EXPECT_EQ(stored.uri(), "");
  EXPECT_FALSE(stored.has_state());
  EXPECT_FALSE(stored.has_external_id());
  EXPECT_THAT(stored.properties(), IsEmpty());
  EXPECT_THAT(stored.custom_properties(), IsEmpty());
}

TEST_P(NodeCallsTest, AnUpdateMaskChangesOnlyWhatItNames) {
  const int64_t id = PutArtifact(R"(
      uri: 'u' state: LIVE
      properties { key: 'day' value { int_value: 1 } }
      properties { key: 'split' value { string_value: 's' } }
      custom_properties { key: 'c' value { int_value: 1 } })");
  EXPECT_THAT(
      Call(&MetadataStore::PutArtifacts,
           absl::StrCat("artifacts { id: ", id,
                        " uri: 'v' state: PENDING properties { key: 'day' "
                        "value { int_value: 2 } } } "
                        "update_mask { paths: 'properties.day' paths: "
                        "'properties.split' paths: 'uri' }")),
      IsOk());
  const auto stored = GetArtifact(id);
  EXPECT_THAT(stored, LooksLike("uri: 'v' state: LIVE properties { key: 'day' "
                                "value { int_value: 2 } } custom_properties { "
                                "key: 'c' value { int_value: 1 } }"));
  EXPECT_EQ(stored.properties().size(), 1);
}

TEST_P(NodeCallsTest, TheNameOfAnArtifactNeverChangesThatOfAContextMay) {
  const int64_t artifact = PutArtifact("name: 'a'");
  PutArtifact(absl::StrCat("id: ", artifact, " name: 'b' uri: 'u'"));
  EXPECT_EQ(GetArtifact(artifact).name(), "a");
  const int64_t context = PutContext("name: 'a'");
  PutContext(absl::StrCat("id: ", context, " name: 'b'"));
  EXPECT_EQ(GetContext(context).name(), "b");
}

TEST_P(NodeCallsTest, NamesAreUniqueWithinATypeAndExternalIdsWithinAKind) {
  PutArtifact("name: 'n' external_id: 'x'");
  EXPECT_THAT(
      Call(&MetadataStore::PutArtifacts, "artifacts { type_id: $0 name: 'n' }"),
      StatusIs(StatusCode::kAlreadyExists, HasSubstr("'n'")));
  EXPECT_THAT(Call(&MetadataStore::PutArtifacts,
                   "artifacts { type_id: $0 external_id: 'x' }"),
              StatusIs(StatusCode::kAlreadyExists, HasSubstr("'x'")));
  PutExecution("name: 'n' external_id: 'x'");
}

TEST_P(NodeCallsTest, WrongTypesAndIdsAreRefused) {
  const int64_t id = PutArtifact();
  EXPECT_THAT(Call(&MetadataStore::PutArtifacts, "artifacts {}"),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("type_id")));
  EXPECT_THAT(Call(&MetadataStore::PutArtifacts, "artifacts { type_id: 99 }"),
              StatusIs(StatusCode::kNotFound, HasSubstr("99")));
  EXPECT_THAT(Call(&MetadataStore::PutArtifacts, "artifacts { type_id: $1 }"),
              StatusIs(StatusCode::kNotFound));
  EXPECT_THAT(
      Call(&MetadataStore::PutArtifacts, "artifacts { id: 99 type_id: $0 }"),
      StatusIs(StatusCode::kInvalidArgument, HasSubstr("99")));
  EXPECT_THAT(Call(&MetadataStore::PutArtifacts,
                   absl::StrCat("artifacts { id: ", id, " type_id: $1 }")),
              StatusIs(StatusCode::kInvalidArgument));
}

TEST_P(NodeCallsTest, PropertiesMustBeDeclaredAndHaveAValue) {
  EXPECT_THAT(
      Call(&MetadataStore::PutArtifacts,
           "artifacts { type_id: $0 properties { key: 'day' value { "
           "string_value: 'x' } } }"),
      StatusIs(StatusCode::kInvalidArgument, HasSubstr("is INT, not STRING")));
  EXPECT_THAT(Call(&MetadataStore::PutArtifacts,
                   "artifacts { type_id: $0 properties { key: 'zz' value { "
                   "int_value: 1 } } }"),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("'zz'")));
  EXPECT_THAT(Call(&MetadataStore::PutArtifacts,
                   "artifacts { type_id: $0 custom_properties { key: 'c' "
                   "value {} } }"),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("'c'")));
  EXPECT_THAT(Call(&MetadataStore::PutArtifacts,
                   "artifacts { type_id: $0 custom_properties { key: 'c' "
                   "value { proto_value {} } } }"),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("type_url")));
}

TEST_P(NodeCallsTest, AContextNeedsAName) {
  EXPECT_THAT(Call(&MetadataStore::PutContexts, "contexts { type_id: $2 }"),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("name")));
}

TEST_P(NodeCallsTest, AnArtifactUpdatedMeanwhileIsRefusedIfAsked) {
  const int64_t id = PutArtifact("uri: 'u'");
  const std::string update =
      absl::StrCat("artifacts { id: ", id,
                   " uri: 'v' last_update_time_since_epoch: 1000000 } options "
                   "{ abort_if_latest_updated_time_changed: true }");
  EXPECT_THAT(Call(&MetadataStore::PutArtifacts, update), IsOk());
  EXPECT_THAT(Call(&MetadataStore::PutArtifacts, update),
              StatusIs(StatusCode::kFailedPrecondition));
}

TEST_P(NodeCallsTest, AnUpdateThatDoesNotAskIsNoticedWithinTheMillisecondToo) {
  const int64_t id = PutArtifact("uri: 'u'");
  PutArtifact(absl::StrCat("id: ", id, " uri: 'unconditional'"));
  EXPECT_THAT(
      Call(&MetadataStore::PutArtifacts,
           absl::StrCat("artifacts { id: ", id,
                        " uri: 'v' last_update_time_since_epoch: 1000000 } "
                        "options { abort_if_latest_updated_time_changed: true "
                        "}")),
      StatusIs(StatusCode::kFailedPrecondition));
  EXPECT_EQ(GetArtifact(id).uri(), "unconditional");
}

TEST_P(NodeCallsTest, ABatchIsAllOrNothing) {
  EXPECT_THAT(Call(&MetadataStore::PutArtifacts,
                   "artifacts { type_id: $0 name: 'new' } artifacts {}"),
              StatusIs(StatusCode::kInvalidArgument));
  RK_ASSERT_OK_AND_ASSIGN(const auto all,
                          Call(&MetadataStore::GetArtifacts, ""));
  EXPECT_THAT(all.artifacts(), IsEmpty());
}

TEST_P(NodeCallsTest, NodesAreFoundByNameUriAndExternalId) {
  const int64_t id = PutArtifact("name: 'n' uri: 'u' external_id: 'x'");
  const std::string wanted = absl::StrCat("id: ", id);
  RK_ASSERT_OK_AND_ASSIGN(const auto by_name,
                          Call(&MetadataStore::GetArtifactByTypeAndName,
                               "type_name: 'DataSet' artifact_name: 'n'"));
  EXPECT_THAT(by_name.artifact(), LooksLike(wanted));
  RK_ASSERT_OK_AND_ASSIGN(const auto by_uri,
                          Call(&MetadataStore::GetArtifactsByURI,
                               "uris: 'u' uris: 'u' uris: 'absent'"));
  EXPECT_THAT(by_uri.artifacts(), ElementsAre(LooksLike(wanted)));
  RK_ASSERT_OK_AND_ASSIGN(const auto by_external,
                          Call(&MetadataStore::GetArtifactsByExternalIds,
                               "external_ids: 'x' external_ids: 'absent'"));
  EXPECT_THAT(by_external.artifacts(), ElementsAre(LooksLike(wanted)));
}

TEST_P(NodeCallsTest, WhatIsNotStoredIsAnEmptyAnswer) {
  RK_ASSERT_OK_AND_ASSIGN(const auto by_name,
                          Call(&MetadataStore::GetExecutionByTypeAndName,
                               "type_name: 'Trainer' execution_name: 'n'"));
  EXPECT_FALSE(by_name.has_execution());
  RK_ASSERT_OK_AND_ASSIGN(
      const auto by_id,
      Call(&MetadataStore::GetExecutionsByID, "execution_ids: 99"));
  EXPECT_THAT(by_id.executions(), IsEmpty());
  EXPECT_THAT(Call(&MetadataStore::GetExecutionsByExternalIds,
                   "external_ids: 'absent'"),
              StatusIs(StatusCode::kNotFound));
}

TEST_P(NodeCallsTest, ManyIdsFindEachNodeOnceInOrder) {
  for (const char* split : {"a", "b", "c", "d"}) {
    PutArtifact(absl::StrCat(
        "properties { key: 'split' value { string_value: '", split, "' } }"));
  }
  const auto splits_of = [this](const std::string& ids) {
    std::string splits;
    const auto found = Call(&MetadataStore::GetArtifactsByID,
                            absl::StrCat("artifact_ids: [", ids, "]"));
    for (const auto& artifact : found->artifacts()) {
      splits += artifact.properties().at("split").string_value();
    }
    return splits;
  };
  EXPECT_EQ(splits_of(""), "");
  EXPECT_EQ(splits_of("2, 3, 4"), "bcd");
  EXPECT_EQ(splits_of("4, 3, 2"), "bcd");
  EXPECT_EQ(splits_of("1, 1, 3"), "ac");
  EXPECT_EQ(splits_of("3, 4, 5"), "cd");
  EXPECT_EQ(splits_of("9223372036854775807, -9223372036854775808, 1"), "a");
}

TEST_P(NodeCallsTest, ArtifactsMayBringTheirTypes) {
  const int64_t id = PutArtifact();
  RK_ASSERT_OK_AND_ASSIGN(const auto found,
                          Call(&MetadataStore::GetArtifactsByID,
                               absl::StrCat("artifact_ids: ", id,
                                            " populate_artifact_types: true")));
  EXPECT_THAT(found.artifact_types(),
              ElementsAre(LooksLike("name: 'DataSet'")));
}

RK_FOR_ALL_STORES(NodeCallsTest);

}  // namespace
}  // namespace rekindle
