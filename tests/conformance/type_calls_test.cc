#include <gtest/gtest.h>

#include "tests/conformance/stores.h"

namespace rekindle {
namespace {

using ::absl::StatusCode;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class TypeCallsTest : public StoreTest {};

TEST_P(TypeCallsTest, DeclaringATypeAgainReturnsTheSameId) {
  const std::string type =
      "artifact_type { name: 'Model' properties { key: 'a' value: INT } }";
  RK_ASSERT_OK_AND_ASSIGN(const auto first,
                          Call(&MetadataStore::PutArtifactType, type));
  RK_ASSERT_OK_AND_ASSIGN(const auto second,
                          Call(&MetadataStore::PutArtifactType, type));
  EXPECT_EQ(first.type_id(), second.type_id());
}

TEST_P(TypeCallsTest, ANewPropertyNeedsCanAddFields) {
  const std::string type =
      "execution_type { name: 'Trainer' properties { key: 'steps' value: INT }"
      " properties { key: 'rate' value: DOUBLE } }";
  EXPECT_THAT(Call(&MetadataStore::PutExecutionType, type),
              StatusIs(StatusCode::kAlreadyExists, HasSubstr("'rate' is new")));
  EXPECT_THAT(
      Call(&MetadataStore::PutExecutionType, type + " can_add_fields: true"),
      IsOk());
  RK_ASSERT_OK_AND_ASSIGN(
      const auto stored,
      Call(&MetadataStore::GetExecutionType, "type_name: 'Trainer'"));
  EXPECT_EQ(stored.execution_type().properties().size(), 2);
}

TEST_P(TypeCallsTest, LeavingOutAPropertyNeedsCanOmitFieldsAndKeepsIt) {
  const std::string type = "execution_type { name: 'Trainer' }";
  EXPECT_THAT(
      Call(&MetadataStore::PutExecutionType, type),
      StatusIs(StatusCode::kAlreadyExists, HasSubstr("'steps' is left out")));
  EXPECT_THAT(
      Call(&MetadataStore::PutExecutionType, type + " can_omit_fields: true"),
      IsOk());
  RK_ASSERT_OK_AND_ASSIGN(
      const auto stored,
      Call(&MetadataStore::GetExecutionType, "type_name: 'Trainer'"));
  EXPECT_EQ(stored.execution_type().properties().size(), 1);
}

TEST_P(TypeCallsTest, APropertyNeverChangesItsType) {
  EXPECT_THAT(
      Call(&MetadataStore::PutExecutionType,
           "execution_type { name: 'Trainer' properties { key: 'steps' value: "
           "STRING } } can_add_fields: true can_omit_fields: true"),
      StatusIs(StatusCode::kAlreadyExists,
               HasSubstr("'steps' is INT, not STRING")));
}

TEST_P(TypeCallsTest, ATypeWithoutANameOrWithAnUnknownPropertyIsRefused) {
  EXPECT_THAT(Call(&MetadataStore::PutContextType, "context_type {}"),
              StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(Call(&MetadataStore::PutContextType,
                   "context_type { name: 'A' "
                   "properties { key: 'p' value: UNKNOWN } }"),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("'p'")));
}

TEST_P(TypeCallsTest, VersionsAreTypesOfTheirOwnAndAnEmptyOneIsNone) {
  RK_ASSERT_OK_AND_ASSIGN(const auto plain,
                          Call(&MetadataStore::PutArtifactType,
                               "artifact_type { name: 'V' version: '' }"));
  RK_ASSERT_OK_AND_ASSIGN(const auto versioned,
                          Call(&MetadataStore::PutArtifactType,
                               "artifact_type { name: 'V' version: '1' }"));
  EXPECT_NE(plain.type_id(), versioned.type_id());
  RK_ASSERT_OK_AND_ASSIGN(const auto found,
                          Call(&MetadataStore::GetArtifactType,
                               "type_name: 'V' type_version: '1'"));
  EXPECT_EQ(found.artifact_type().id(), versioned.type_id());
  RK_ASSERT_OK_AND_ASSIGN(
      const auto unversioned,
      Call(&MetadataStore::GetArtifactType, "type_name: 'V'"));
  EXPECT_FALSE(unversioned.artifact_type().has_version());
}

TEST_P(TypeCallsTest, ABaseTypeIsKeptAndCannotChange) {
  EXPECT_THAT(Call(&MetadataStore::PutArtifactType,
                   "artifact_type { name: 'M' base_type: MODEL }"),
              IsOk());
  RK_ASSERT_OK_AND_ASSIGN(
      const auto stored,
      Call(&MetadataStore::GetArtifactType, "type_name: 'M'"));
  EXPECT_EQ(stored.artifact_type().base_type(),
            ml_metadata::ArtifactType::MODEL);
  EXPECT_THAT(Call(&MetadataStore::PutArtifactType,
                   "artifact_type { name: 'M' base_type: DATASET }"),
              StatusIs(StatusCode::kUnimplemented,
                       HasSubstr("from mlmd.Model to mlmd.Dataset")));
  EXPECT_THAT(Call(&MetadataStore::PutArtifactType,
                   "artifact_type { name: 'M' base_type: UNSET }"),
              StatusIs(StatusCode::kUnimplemented));
}

TEST_P(TypeCallsTest, TheListLeavesOutTheTypesThatEveryStoreHas) {
  RK_ASSERT_OK_AND_ASSIGN(const auto types,
                          Call(&MetadataStore::GetArtifactTypes, ""));
  EXPECT_THAT(types.artifact_types(),
              ElementsAre(LooksLike("name: 'DataSet'")));
  RK_ASSERT_OK_AND_ASSIGN(const auto base, Call(&MetadataStore::GetArtifactType,
                                                "type_name: 'mlmd.Dataset'"));
  EXPECT_EQ(base.artifact_type().id(), 1);
}

TEST_P(TypeCallsTest, InputAndOutputTypesSurvive) {
  const std::string shape =
      "input_type { dict { properties { key: 'x' value { simple { name: 'A' } "
      "} } } } output_type { union_type { candidates { none {} } candidates { "
      "any {} } } }";
  EXPECT_THAT(Call(&MetadataStore::PutExecutionType,
                   "execution_type { name: 'E' " + shape + " }"),
              IsOk());
  RK_ASSERT_OK_AND_ASSIGN(
      const auto stored,
      Call(&MetadataStore::GetExecutionType, "type_name: 'E'"));
  EXPECT_THAT(stored.execution_type(), LooksLike(shape));
}

TEST_P(TypeCallsTest, ExternalIdsFindTypesAndAreUnique) {
  EXPECT_THAT(Call(&MetadataStore::PutContextType,
                   "context_type { name: 'A' external_id: 'x' }"),
              IsOk());
  RK_ASSERT_OK_AND_ASSIGN(const auto found,
                          Call(&MetadataStore::GetContextTypesByExternalIds,
                               "external_ids: 'x' external_ids: 'absent'"));
  EXPECT_THAT(found.context_types(), ElementsAre(LooksLike("name: 'A'")));
  EXPECT_THAT(Call(&MetadataStore::PutContextType,
                   "context_type { name: 'B' external_id: 'x' }"),
              StatusIs(StatusCode::kAlreadyExists, HasSubstr("'x'")));
  EXPECT_THAT(Call(&MetadataStore::GetContextTypesByExternalIds,
                   "external_ids: 'absent'"),
              StatusIs(StatusCode::kNotFound));
  EXPECT_THAT(
      Call(&MetadataStore::GetContextTypesByExternalIds, "external_ids: ''"),
      StatusIs(StatusCode::kInvalidArgument));
}

TEST_P(TypeCallsTest, UnknownTypesAreNotFoundByNameAndLeftOutById) {
  EXPECT_THAT(Call(&MetadataStore::GetContextType, "type_name: 'Absent'"),
              StatusIs(StatusCode::kNotFound, HasSubstr("'Absent'")));
  RK_ASSERT_OK_AND_ASSIGN(
      const auto by_id,
      Call(&MetadataStore::GetContextTypesByID, "type_ids: 999"));
  EXPECT_THAT(by_id.context_types(), IsEmpty());
}

TEST_P(TypeCallsTest, PutTypesIsAllOrNothing) {
  EXPECT_THAT(Call(&MetadataStore::PutTypes,
                   "artifact_types { name: 'New' } context_types {}"),
              StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(Call(&MetadataStore::GetArtifactType, "type_name: 'New'"),
              StatusIs(StatusCode::kNotFound));
}

RK_FOR_ALL_STORES(TypeCallsTest);

}  // namespace
}  // namespace rekindle
