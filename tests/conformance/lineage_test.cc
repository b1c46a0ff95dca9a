#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/conformance/stores.h"

namespace rekindle {
namespace {

using ::absl::StatusCode;
using ::ml_metadata::LineageGraph;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

template <typename Nodes>
std::vector<int64_t> Ids(const Nodes& nodes) {
  std::vector<int64_t> ids;
  for (const auto& node : nodes) ids.push_back(node.id());
  return ids;
}

// a1 -> e1 -> a2 -> e2 -> a3
//             a2 -> e3 -> a4, and a1 -> e3; a5 stands alone.
// Context 1 holds a1 and e1, context 2 holds a3.
class LineageTest : public StoreTest {
 protected:
  void SetUp() override {
    StoreTest::SetUp();
    for (int i = 1; i <= 5; ++i) PutArtifact(absl::StrCat("name: 'a", i, "'"));
    for (int i = 1; i <= 3; ++i) PutExecution(absl::StrCat("name: 'e", i, "'"));
    PutContext("name: 'c1'");
    PutContext("name: 'c2'");
    EXPECT_THAT(Call(&MetadataStore::PutEvents, R"(
        events { artifact_id: 1 execution_id: 1 type: INPUT }
        events { artifact_id: 2 execution_id: 1 type: OUTPUT }
        events { artifact_id: 2 execution_id: 2 type: INPUT }
        events { artifact_id: 3 execution_id: 2 type: OUTPUT }
        events { artifact_id: 2 execution_id: 3 type: DECLARED_INPUT }
        events { artifact_id: 4 execution_id: 3 type: PENDING_OUTPUT }
        events { artifact_id: 1 execution_id: 3 type: INTERNAL_INPUT })"),
                IsOk());
    EXPECT_THAT(Call(&MetadataStore::PutAttributionsAndAssociations,
                     "attributions { artifact_id: 1 context_id: 1 } "
                     "attributions { artifact_id: 3 context_id: 2 } "
                     "associations { execution_id: 1 context_id: 1 }"),
                IsOk());
  }

  LineageGraph Walk(const std::string& query, const std::string& mask = "") {
    const auto response = Call(
        &MetadataStore::GetLineageSubgraph,
        absl::StrCat("lineage_subgraph_query_options { ", query, " } ", mask));
    EXPECT_THAT(response, IsOk()) << query;
    return response.ok() ? response->lineage_subgraph() : LineageGraph();
  }
  absl::Status Refused(const std::string& query) {
    return Call(&MetadataStore::GetLineageSubgraph,
                absl::StrCat("lineage_subgraph_query_options { ", query, " }"))
        .status();
  }
};

constexpr char kFromA1[] = "starting_artifacts { filter_query: 'id = 1' } ";
constexpr char kFromA2[] = "starting_artifacts { filter_query: 'id = 2' } ";
constexpr char kFromE2[] = "starting_executions { filter_query: 'id = 2' } ";

TEST_P(LineageTest, WalksHopByHop) {
  LineageGraph graph = Walk(absl::StrCat(kFromA1, "max_num_hops: 0"));
  EXPECT_THAT(Ids(graph.artifacts()), ElementsAre(1));
  EXPECT_THAT(graph.events(), IsEmpty());
  graph = Walk(absl::StrCat(kFromA1, "max_num_hops: 1"));
  EXPECT_THAT(Ids(graph.artifacts()), ElementsAre(1));
  EXPECT_THAT(Ids(graph.executions()), ElementsAre(1, 3));
  EXPECT_THAT(graph.events(), SizeIs(2));
  graph = Walk(absl::StrCat(kFromA1, "max_num_hops: 2"));
  EXPECT_THAT(Ids(graph.artifacts()), ElementsAre(1, 2, 4));
  EXPECT_THAT(graph.events(), SizeIs(5));
  graph = Walk(kFromA1);
  EXPECT_THAT(Ids(graph.artifacts()), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(graph.events(), SizeIs(7));
}

TEST_P(LineageTest, WalksUpstreamOrDownstream) {
  LineageGraph graph =
      Walk(absl::StrCat(kFromA2, "max_num_hops: 1 direction: UPSTREAM"));
  EXPECT_THAT(Ids(graph.executions()), ElementsAre(1));
  graph = Walk(absl::StrCat(kFromA2, "max_num_hops: 1 direction: DOWNSTREAM"));
  EXPECT_THAT(Ids(graph.executions()), ElementsAre(2, 3));
  graph = Walk(absl::StrCat(kFromE2, "direction: UPSTREAM"));
  EXPECT_THAT(Ids(graph.artifacts()), ElementsAre(1, 2));
  EXPECT_THAT(Ids(graph.executions()), ElementsAre(1, 2));
  graph = Walk(absl::StrCat(kFromE2, "direction: DOWNSTREAM"));
  EXPECT_THAT(Ids(graph.artifacts()), ElementsAre(3));
}

TEST_P(LineageTest, EndsAtNodesThatPassAFilter) {
  LineageGraph graph = Walk(absl::StrCat(
      kFromA1, "ending_artifacts { filter_query: \"name = 'a2'\" }"));
  EXPECT_THAT(Ids(graph.artifacts()), ElementsAre(1, 4));
  EXPECT_THAT(graph.events(), SizeIs(3));
  graph = Walk(absl::StrCat(kFromA1,
                            "ending_artifacts { filter_query: 'id = 2' "
                            "include_ending_nodes: true }"));
  EXPECT_THAT(Ids(graph.artifacts()), ElementsAre(1, 2, 4));
  EXPECT_THAT(graph.events(), SizeIs(5));
  graph = Walk(
      absl::StrCat(kFromA1, "ending_executions { filter_query: 'id = 1' }"));
  EXPECT_THAT(Ids(graph.executions()), ElementsAre(2, 3));
  graph = Walk(
      absl::StrCat(kFromA1, "ending_artifacts { filter_query: 'id = 1' }"));
  EXPECT_THAT(graph.artifacts(), IsEmpty());
}

TEST_P(LineageTest, BringsContextsMembershipsAndAllTypes) {
  const LineageGraph graph = Walk(kFromA1);
  EXPECT_THAT(Ids(graph.contexts()), ElementsAre(1, 2));
  EXPECT_THAT(graph.attributions(),
              ElementsAre(LooksLike("artifact_id: 1 context_id: 1"),
                          LooksLike("artifact_id: 3 context_id: 2")));
  EXPECT_THAT(graph.associations(),
              ElementsAre(LooksLike("execution_id: 1 context_id: 1")));
  EXPECT_THAT(graph.artifact_types(), SizeIs(5));
  EXPECT_THAT(graph.execution_types(), SizeIs(6));
  EXPECT_FALSE(graph.artifacts(0).has_type_id());
}

TEST_P(LineageTest, AMaskChoosesPartsOfTheAnswer) {
  const LineageGraph graph =
      Walk(kFromA1, "read_mask { paths: 'events' paths: 'artifact_types' }");
  EXPECT_THAT(graph.events(), SizeIs(7));
  EXPECT_THAT(graph.artifact_types(), SizeIs(5));
  EXPECT_THAT(graph.artifacts(), IsEmpty());
  EXPECT_THAT(graph.contexts(), IsEmpty());
}

TEST_P(LineageTest, RefusesQueriesThatMakeNoSense) {
  EXPECT_THAT(Refused(""), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(Refused("starting_artifacts {}"),
              StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(Refused(absl::StrCat(kFromA1, "max_num_hops: -1")),
              StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(Refused("starting_artifacts { filter_query: 'bogus = 1' }"),
              StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(Refused("starting_artifacts { filter_query: 'id = 99' }"),
              StatusIs(StatusCode::kNotFound));
}

TEST_P(LineageTest, TheOldGraphReturnsWholeNodesUpToALimit) {
  RK_ASSERT_OK_AND_ASSIGN(
      const auto whole,
      Call(&MetadataStore::GetLineageGraph,
           "options { artifacts_options { filter_query: 'id = 1' } }"));
  EXPECT_THAT(Ids(whole.subgraph().artifacts()), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(whole.subgraph().artifacts(1).name(), "a2");
  EXPECT_THAT(whole.subgraph().artifact_types(),
              ElementsAre(LooksLike("name: 'DataSet'")));
  EXPECT_THAT(whole.subgraph().contexts(), IsEmpty());
  RK_ASSERT_OK_AND_ASSIGN(
      const auto limited,
      Call(&MetadataStore::GetLineageGraph,
           "options { artifacts_options { filter_query: 'id = 1' } "
           "max_node_size: 2 }"));
  EXPECT_THAT(Ids(limited.subgraph().artifacts()), ElementsAre(1));
  EXPECT_THAT(Ids(limited.subgraph().executions()), ElementsAre(1));
}

TEST_P(LineageTest, TheOldGraphStaysInsideItsBoundaries) {
  RK_ASSERT_OK_AND_ASSIGN(
      const auto bounded,
      Call(&MetadataStore::GetLineageGraph,
           "options { artifacts_options { filter_query: 'id = 1' } "
           "stop_conditions { boundary_artifacts: 'id NOT IN (1, 2)' } }"));
  EXPECT_THAT(Ids(bounded.subgraph().artifacts()), ElementsAre(1, 4));
}

TEST_P(LineageTest, TheOldGraphRefusesQueriesThatMakeNoSense) {
  EXPECT_THAT(Call(&MetadataStore::GetLineageGraph, ""),
              StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(Call(&MetadataStore::GetLineageGraph,
                   "options { artifacts_options { filter_query: 'id = 99' } }"),
              StatusIs(StatusCode::kNotFound));
}

RK_FOR_ALL_STORES(LineageTest);

}  // namespace
}  // namespace rekindle
