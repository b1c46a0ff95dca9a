#include "component/strategies/tf_config.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace rekindle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(TfConfigTest, TheChiefIsTheFirstWorker) {
  const absl::StatusOr<Cluster> cluster = ParseTfConfig(
      R"({"cluster": {"worker": ["b:1", "c:2"], "chief": ["a:65535"]},
          "task": {"type": "worker", "index": 1, "trial": "7"},
          "environment": "cloud"})");
  ASSERT_TRUE(cluster.ok()) << cluster.status();
  EXPECT_THAT(cluster->workers, ElementsAre("a:65535", "b:1", "c:2"));
  EXPECT_EQ(cluster->worker, 2);
}

TEST(TfConfigTest, WithoutAChiefItIsWorkerZero) {
  const absl::StatusOr<Cluster> cluster = ParseTfConfig(
      R"({"cluster": {"worker": ["b:1", "[::1]:2"], "evaluator": ["e:3"]},
          "task": {"type": "worker", "index": 0}})");
  ASSERT_TRUE(cluster.ok()) << cluster.status();
  EXPECT_THAT(cluster->workers, ElementsAre("b:1", "[::1]:2"));
  EXPECT_EQ(cluster->worker, 0);
}

TEST(TfConfigTest, NothingIsNoCluster) {
  for (const std::string text :
       {"", "{}", " { } ", R"({"cluster": {}, "task": {}})"}) {
    const absl::StatusOr<Cluster> cluster = ParseTfConfig(text);
    ASSERT_TRUE(cluster.ok()) << cluster.status();
    EXPECT_THAT(cluster->workers, IsEmpty());
  }
}

TEST(TfConfigTest, WhatIsMadeIsRead) {
  const Cluster made{.workers = {"a:1", "b:2", "c:3"}, .worker = 2};
  const absl::StatusOr<Cluster> read = ParseTfConfig(MakeTfConfig(made));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->workers, made.workers);
  EXPECT_EQ(read->worker, made.worker);
}

struct MalformedCase {
  std::string name;
  std::string text;
  std::string says;
};

class MalformedTfConfigTest : public ::testing::TestWithParam<MalformedCase> {};

TEST_P(MalformedTfConfigTest, IsRefusedWithTheReason) {
  const absl::StatusOr<Cluster> cluster = ParseTfConfig(GetParam().text);
  EXPECT_EQ(cluster.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(cluster.status().message(), HasSubstr("TF_CONFIG: "));
  EXPECT_THAT(cluster.status().message(), HasSubstr(GetParam().says));
}

// A config whose cluster or task is this.
std::string Of(const std::string& cluster,
               const std::string& task = R"({"type": "worker", "index": 0})") {
  return R"({"cluster": )" + cluster + R"(, "task": )" + task + "}";
}

std::string Task(const std::string& task) {
  return Of(R"({"chief": ["a:1"], "worker": ["b:2"]})", task);
}

INSTANTIATE_TEST_SUITE_P(
    TfConfig, MalformedTfConfigTest,
    ::testing::ValuesIn(std::vector<MalformedCase>{
        {"CutShort", R"({"cluster": {"worker")", "it is not JSON"},
        {"AList", "[1, 2]", "a JSON array, expected an object"},
        {"NoCluster", R"({"task": {"type": "worker", "index": 0}})",
         "\"cluster\" is missing"},
        {"NoTask", R"({"cluster": {"worker": ["a:1"]}})",
         "\"task\" is missing"},
        {"ClusterIsAList", Of(R"(["a:1"])"),
         "\"cluster\" is a JSON array, expected an object"},
        {"OnlyAnEvaluator", Of(R"({"evaluator": ["a:1"]})"),
         "the cluster has no \"worker\""},
        {"NoAddresses", Of(R"({"worker": []})"),
         "\"worker\" of the cluster is [], expected a list"},
        {"AddressesAreAMap", Of(R"({"worker": {"1": "a:1"}})"),
         "expected a list of \"host:port\""},
        {"AddressIsANumber", Of(R"({"worker": [2222]})"),
         "an address of \"worker\" is 2222, expected \"host:port\""},
        {"AddressWithoutPort", Of(R"({"worker": ["a"]})"),
         "\"a\" is not \"host:port\""},
        {"AddressWithEmptyPort", Of(R"({"worker": ["a:"]})"),
         "\"a:\" is not \"host:port\""},
        {"AddressWithoutHost", Of(R"({"worker": [":1"]})"),
         "\":1\" is not \"host:port\""},
        {"PortIsAWord", Of(R"({"worker": ["a:http"]})"),
         "\"a:http\" is not \"host:port\""},
        {"PortIsTooLarge", Of(R"({"worker": ["a:65536"]})"),
         "\"a:65536\" is not \"host:port\""},
        {"PortIsZero", Of(R"({"worker": ["a:0"]})"),
         "\"a:0\" is not \"host:port\""},
        {"SameAddressTwice", Of(R"({"chief": ["a:1"], "worker": ["a:1"]})"),
         "the address \"a:1\" occurs twice"},
        {"TwoChiefs", Of(R"({"chief": ["a:1", "b:1"], "worker": ["c:1"]})"),
         "there are 2 chiefs, expected at most one"},
        {"ParameterServer", Of(R"({"worker": ["a:1"], "ps": ["b:1"]})"),
         "the role \"ps\" is refused: parameter servers are not supported"},
        {"Master", Of(R"({"master": ["a:1"]})"), "it is called \"chief\""},
        {"MistypedRole", Of(R"({"wroker": ["a:1"]})"),
         "did you mean \"worker\"?"},
        {"UnknownRole", Of(R"({"gardener": ["a:1"]})"),
         "there is no role \"gardener\"; there are"},
        {"NoType", Task(R"({"index": 0})"), "the task has no \"type\""},
        {"TypeIsANumber", Task(R"({"type": 1, "index": 0})"),
         "the task's \"type\" is 1"},
        {"TaskIsAParameterServer", Task(R"({"type": "ps", "index": 0})"),
         "the role \"ps\" is refused"},
        {"TaskIsAnEvaluator", Task(R"({"type": "evaluator", "index": 0})"),
         "takes no part in training"},
        {"NoIndex", Task(R"({"type": "worker"})"), "the task has no \"index\""},
        {"IndexTooLarge", Task(R"({"type": "worker", "index": 1})"),
         "\"index\" is 1, but \"worker\" of the cluster has 1 address"},
        {"IndexBelowZero", Task(R"({"type": "chief", "index": -1})"),
         "\"index\" is -1"},
        {"IndexIsText", Task(R"({"type": "worker", "index": "0"})"),
         "\"index\" is \"0\""},
        {"IndexIsAFraction", Task(R"({"type": "worker", "index": 0.5})"),
         "\"index\" is 0.5"},
        {"IndexOverflows",
         Task(R"({"type": "worker", "index": 18446744073709551615})"),
         "\"index\" is 18446744073709551615"},
        {"NoSuchChief",
         Of(R"({"worker": ["a:1"]})", R"({"type": "chief", "index": 0})"),
         "\"chief\" of the cluster has 0 addresses"},
    }),
    [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace rekindle
