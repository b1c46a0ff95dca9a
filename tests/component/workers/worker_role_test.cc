#include "component/workers/worker_role.h"

#include <ostream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "tests/support/status_matchers.h"

namespace rekindle {
namespace {

using ::testing::HasSubstr;

struct RoleCase {
  std::string name;
  std::string tf_config;
  std::string role;  // empty: alone
  bool is_chief;
};

void PrintTo(const RoleCase& role_case, std::ostream* out) {
  *out << role_case.tf_config;
}

class WorkerRoleTest : public ::testing::TestWithParam<RoleCase> {};

TEST_P(WorkerRoleTest, IsDecided) {
  RK_ASSERT_OK_AND_ASSIGN(const WorkerRole role,
                          ParseWorkerRole(GetParam().tf_config));
  EXPECT_EQ(role.alone, GetParam().role.empty());
  EXPECT_EQ(role.is_chief, GetParam().is_chief);
  if (role.alone) return;
  EXPECT_EQ(role.Name(), GetParam().role);
}

std::string Task(const std::string& cluster, const std::string& type,
                 const std::string& index) {
  return R"({"cluster": )" + cluster + R"(, "task": {"type": ")" + type +
         R"(", "index": )" + index + "}}";
}

constexpr char kChiefAndWorkers[] =
    R"({"chief": ["a:1"], "worker": ["b:1", "c:1"], "ps": ["d:1"]})";
constexpr char kMasterAndWorkers[] =
    R"({"master": ["a:1"], "worker": ["b:1"]})";
constexpr char kWorkers[] = R"({"worker": ["a:1", "b:1"]})";

INSTANTIATE_TEST_SUITE_P(
    Tasks, WorkerRoleTest,
    ::testing::ValuesIn(std::vector<RoleCase>{
        {"NoTextIsAlone", "", "", true},
        {"AnEmptyObjectIsAlone", "{}", "", true},
        {"ATaskWithoutAClusterIsAlone",
         R"({"task": {"type": "worker", "index": 3}})", "", true},
        {"AnEmptyClusterIsAlone", R"({"cluster": {}})", "", true},
        {"TheChiefIsTheChief", Task(kChiefAndWorkers, "chief", "0"), "chief 0",
         true},
        {"WorkerZeroBesideAChiefIsNot", Task(kChiefAndWorkers, "worker", "0"),
         "worker 0", false},
        {"AParameterServerIsNot", Task(kChiefAndWorkers, "ps", "0"), "ps 0",
         false},
        {"AnEvaluatorNeedNotBeListed", Task(kChiefAndWorkers, "evaluator", "0"),
         "evaluator 0", false},
        {"TheMasterIsTheChief", Task(kMasterAndWorkers, "master", "0"),
         "master 0", true},
        {"WorkerZeroBesideAMasterIsNot", Task(kMasterAndWorkers, "worker", "0"),
         "worker 0", false},
        {"WithoutAChiefWorkerZeroIs", Task(kWorkers, "worker", "0"), "worker 0",
         true},
        {"WithoutAChiefWorkerOneIsNot", Task(kWorkers, "worker", "1"),
         "worker 1", false},
        {"AnIndexInQuotesCounts", Task(kWorkers, "worker", R"("1")"),
         "worker 1", false},
        {"AddressesByIndex",
         Task(R"({"worker": {"0": "a:1", "5": "b:1"}})", "worker", "5"),
         "worker 5", false},
    }),
    [](const auto& test) { return test.param.name; });

struct MalformedCase {
  std::string name;
  std::string tf_config;
  std::string sentence;
};

void PrintTo(const MalformedCase& malformed, std::ostream* out) {
  *out << malformed.tf_config;
}

class MalformedRoleTest : public ::testing::TestWithParam<MalformedCase> {};

TEST_P(MalformedRoleTest, SaysWhatIsWrong) {
  EXPECT_THAT(ParseWorkerRole(GetParam().tf_config),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("TF_CONFIG: "),
                             HasSubstr(GetParam().sentence))));
}

INSTANTIATE_TEST_SUITE_P(
    Texts, MalformedRoleTest,
    ::testing::ValuesIn(std::vector<MalformedCase>{
        {"NotJson", "{cluster", "it is not JSON"},
        {"NotAnObject", "[1]", "it is a JSON array"},
        {"ClusterIsAList", R"({"cluster": ["a:1"]})",
         "\"cluster\" is a JSON array"},
        {"NoTask", R"({"cluster": {"worker": ["a:1"]}})",
         "the task has no \"type\""},
        {"TaskIsText", R"({"cluster": {"worker": ["a:1"]}, "task": "chief"})",
         "\"task\" is a JSON string"},
        {"NoIndex",
         R"({"cluster": {"worker": ["a:1"]}, "task": {"type": "worker"}})",
         "the task has no \"index\""},
        {"MisspeltRole", Task(kWorkers, "wroker", "0"),
         "did you mean \"worker\"?"},
        {"MisspeltRoleInTheCluster",
         Task(R"({"cheif": ["a:1"], "worker": ["b:1"]})", "worker", "0"),
         "did you mean \"chief\"?"},
        {"TypeIsANumber",
         R"({"cluster": {"worker": ["a:1"]}, "task": {"type": 1, "index": 0}})",
         "the task's \"type\" is 1"},
        {"NegativeIndex", Task(kWorkers, "worker", "-1"),
         "the task's \"index\" is -1"},
        {"IndexOfWords", Task(kWorkers, "worker", R"("one")"),
         "the task's \"index\" is \"one\""},
        {"IndexOutOfRange", Task(kWorkers, "worker", "2"),
         "the task is worker 2, which the cluster does not list; it has 2"},
        {"RoleNotInTheCluster", Task(kWorkers, "ps", "0"),
         "the task is ps 0, which the cluster does not list; it has 0"},
        {"NoAddresses", Task(R"({"worker": []})", "worker", "0"),
         "\"worker\" of the cluster is []"},
        {"TwoChiefs", Task(R"({"chief": ["a:1", "b:1"]})", "chief", "0"),
         "there are 2 chiefs"},
    }),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace rekindle
