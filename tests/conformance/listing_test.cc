#include <vector>

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/conformance/stores.h"

namespace rekindle {
namespace {

using ::absl::StatusCode;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ListingTest : public StoreTest {
 protected:
  // Five artifacts, created a second apart.
  void PutFive() {
    for (int i = 0; i < 5; ++i) {
      PutArtifact();
      clock_.Advance(absl::Seconds(1));
    }
  }

  // The ids of all pages of `options`, with 0 between pages.
  std::vector<int64_t> ListAll(const std::string& options) {
    std::vector<int64_t> ids;
    std::string token;
    do {
      const auto page = Call(
          &MetadataStore::GetArtifacts,
          absl::StrCat("options { ", options,
                       token.empty()
                           ? ""
                           : absl::StrCat(" next_page_token: '", token, "'"),
                       " }"));
      EXPECT_THAT(page, IsOk());
      if (!page.ok()) return ids;
      for (const auto& artifact : page->artifacts()) {
        ids.push_back(artifact.id());
      }
      token = page->next_page_token();
      if (!token.empty()) ids.push_back(0);
    } while (!token.empty());
    return ids;
  }
};

TEST_P(ListingTest, PagesInOrderOfId) {
  PutFive();
  EXPECT_THAT(ListAll("max_result_size: 2"), ElementsAre(1, 2, 0, 3, 4, 0, 5));
  EXPECT_THAT(ListAll("max_result_size: 2 order_by_field { is_asc: false }"),
              ElementsAre(5, 4, 0, 3, 2, 0, 1));
  EXPECT_THAT(ListAll("max_result_size: 5"), ElementsAre(1, 2, 3, 4, 5));
}

TEST_P(ListingTest, PagesInOrderOfCreation) {
  PutFive();
  PutArtifact();
  PutArtifact();  // Both of the same time: their ids decide.
  EXPECT_THAT(ListAll("max_result_size: 3 order_by_field { field: CREATE_TIME "
                      "is_asc: false }"),
              ElementsAre(7, 6, 5, 0, 4, 3, 2, 0, 1));
}

TEST_P(ListingTest, PagesInOrderOfUpdate) {
  PutFive();
  PutArtifact("id: 2 uri: 'changed'");
  EXPECT_THAT(ListAll("max_result_size: 2 order_by_field { field: "
                      "LAST_UPDATE_TIME is_asc: false }"),
              ElementsAre(2, 5, 0, 4, 3, 0, 1));
}

TEST_P(ListingTest, PagesOverManyNodesOfOneUpdateTime) {
  for (int i = 0; i < 5; ++i) PutArtifact();
  EXPECT_THAT(ListAll("max_result_size: 2 order_by_field { field: "
                      "LAST_UPDATE_TIME }"),
              ElementsAre(1, 2, 0, 3, 4, 0, 5));
}

TEST_P(ListingTest, AtMostAHundredAtOnceAndAllWithoutOptions) {
  std::string batch;
  for (int i = 0; i < 120; ++i) batch += "artifacts { type_id: $0 } ";
  EXPECT_THAT(Call(&MetadataStore::PutArtifacts, batch), IsOk());
  RK_ASSERT_OK_AND_ASSIGN(
      const auto page,
      Call(&MetadataStore::GetArtifacts, "options { max_result_size: 1000 }"));
  EXPECT_THAT(page.artifacts(), SizeIs(100));
  RK_ASSERT_OK_AND_ASSIGN(const auto all,
                          Call(&MetadataStore::GetArtifacts, ""));
  EXPECT_THAT(all.artifacts(), SizeIs(120));
  RK_ASSERT_OK_AND_ASSIGN(const auto twenty,
                          Call(&MetadataStore::GetArtifacts, "options {}"));
  EXPECT_THAT(twenty.artifacts(), SizeIs(20));
}

TEST_P(ListingTest, ATypeAndAContextNarrowTheList) {
  PutFive();
  PutContext("name: 'c'");
  EXPECT_THAT(Call(&MetadataStore::PutAttributionsAndAssociations,
                   "attributions { context_id: 1 artifact_id: 2 } "
                   "attributions { context_id: 1 artifact_id: 4 }"),
              IsOk());
  RK_ASSERT_OK_AND_ASSIGN(
      const auto in_context,
      Call(&MetadataStore::GetArtifactsByContext,
           "context_id: 1 options { order_by_field { is_asc: false } }"));
  EXPECT_THAT(in_context.artifacts(),
              ElementsAre(LooksLike("id: 4"), LooksLike("id: 2")));
  RK_ASSERT_OK_AND_ASSIGN(
      const auto of_type,
      Call(&MetadataStore::GetArtifactsByType,
           "type_name: 'DataSet' options { max_result_size: 2 }"));
  EXPECT_THAT(of_type.artifacts(), SizeIs(2));
  RK_ASSERT_OK_AND_ASSIGN(
      const auto of_none,
      Call(&MetadataStore::GetArtifactsByType, "type_name: 'Absent'"));
  EXPECT_THAT(of_none.artifacts(), IsEmpty());
}

TEST_P(ListingTest, OptionsThatMakeNoSenseAreRefused) {
  PutFive();
  RK_ASSERT_OK_AND_ASSIGN(
      const auto page,
      Call(&MetadataStore::GetArtifacts, "options { max_result_size: 2 }"));
  for (const std::string& options :
       {std::string("max_result_size: 0"), std::string("max_result_size: -1"),
        std::string("order_by_field { field: FIELD_UNSPECIFIED }"),
        std::string("next_page_token: 'garbage'"),
        absl::StrCat("order_by_field { is_asc: false } next_page_token: '",
                     page.next_page_token(), "'")}) {
    EXPECT_THAT(Call(&MetadataStore::GetArtifacts,
                     absl::StrCat("options { ", options, " }")),
                StatusIs(StatusCode::kInvalidArgument))
        << options;
  }
}

RK_FOR_ALL_STORES(ListingTest);

}  // namespace
}  // namespace rekindle
