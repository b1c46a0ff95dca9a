#include "operator/workflow/depends.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace rekindle::argo {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

Step Task(const std::string& name, const std::string& depends,
          std::vector<std::string> dependencies = {}) {
  Step task;
  task.name = name;
  task.depends = depends;
  task.dependencies = std::move(dependencies);
  return task;
}

Dag TheDag() {
  Dag dag;
  dag.tasks = {Task("a", ""), Task("b-1", ""),
               Task("c", "(a.Succeeded || b-1.Failed) && !b-1.Skipped"),
               Task("d", "a && c"), Task("e", "", {"a", "b-1"})};
  dag.tasks[1].continue_on = ContinueOn{.error = false, .failed = true};
  return dag;
}

const TaskResult kSucceeded = {.succeeded = true};
const TaskResult kFailed = {.failed = true};
const TaskResult kSkipped = {.skipped = true};

bool Runs(const std::string& name,
          const std::map<std::string, TaskResult>& results) {
  const Dag dag = TheDag();
  for (const Step& task : dag.tasks) {
    if (task.name != name) continue;
    const auto depends = Depends::Parse(task, dag);
    EXPECT_TRUE(depends.ok()) << depends.status();
    const auto runs = depends->Evaluate(results);
    EXPECT_TRUE(runs.ok()) << runs.status();
    return *runs;
  }
  return false;
}

TEST(DependsTest, FollowsTheCondition) {
  EXPECT_TRUE(Runs("c", {{"a", kSucceeded}, {"b-1", kFailed}}));
  EXPECT_TRUE(Runs("c", {{"a", kFailed}, {"b-1", kFailed}}));
  EXPECT_FALSE(Runs("c", {{"a", kFailed}, {"b-1", kSucceeded}}));
  EXPECT_FALSE(Runs("c", {{"a", kSucceeded}, {"b-1", kSkipped}}));
}

TEST(DependsTest, ANameAloneMeansThatItEndedWell) {
  EXPECT_TRUE(Runs("d", {{"a", kSucceeded}, {"c", kSkipped}}));
  EXPECT_FALSE(Runs("d", {{"a", kSucceeded}, {"c", kFailed}}));
}

TEST(DependsTest, DependenciesFollowContinueOn) {
  EXPECT_TRUE(Runs("e", {{"a", kSucceeded}, {"b-1", kFailed}}));
  EXPECT_FALSE(Runs("e", {{"a", kFailed}, {"b-1", kSucceeded}}));
  EXPECT_TRUE(Runs("a", {}));
}

TEST(DependsTest, NamesItsTasks) {
  const Dag dag = TheDag();
  const auto depends = Depends::Parse(dag.tasks[2], dag);
  EXPECT_THAT(depends->tasks(), ElementsAre("a", "b-1"));
  const auto items = Depends::Parse(Task("x", "a.AnySucceeded"), dag);
  EXPECT_THAT(items->item_tasks(), ElementsAre("a"));
  EXPECT_THAT(Ancestors(dag, "d"), UnorderedElementsAre("a", "c", "b-1"));
}

TEST(DependsTest, RefusesWhatItCannotRead) {
  const Dag dag = TheDag();
  EXPECT_THAT(Depends::Parse(Task("x", "a.Done"), dag).status().message(),
              HasSubstr("no result 'Done'"));
  EXPECT_THAT(Depends::Parse(Task("x", "a &&"), dag).status().message(),
              HasSubstr("cannot be read"));
}

TEST(DependsTest, FindsCycles) {
  Dag dag;
  dag.tasks = {Task("a", "c"), Task("b", "a"), Task("c", "b")};
  EXPECT_EQ(FindCycle(dag), "a -> c -> b -> a");
  EXPECT_EQ(FindCycle(TheDag()), "");
}

}  // namespace
}  // namespace rekindle::argo
