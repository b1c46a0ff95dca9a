#include "operator/submit/references.h"

#include <httplib.h>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "nlohmann/json.hpp"
#include "operator/kube/http_kube_client.h"
#include "operator/kube/kube_client.h"
#include "tests/operator/kube/api_server.h"
#include "tests/support/status_matchers.h"

namespace rekindle::argo {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

json Reference(const std::string& name, const std::string& of) {
  return {{"templateRef", {{"name", name}, {"template", of}}}};
}

json Named(const std::string& name, json step) {
  step["name"] = name;
  return step;
}

json WorkflowOf(const std::vector<json>& tasks, const json& hooks = {}) {
  json spec = {
      {"templates", {{{"name", "main"}, {"dag", {{"tasks", tasks}}}}}}};
  if (!hooks.is_null()) spec["hooks"] = hooks;
  return {{"spec", spec}};
}

std::vector<std::string> PlacesOf(const json& workflow) {
  std::vector<std::string> places;
  for (const TemplateReference& one : ReferencesOf(workflow)) {
    places.push_back(one.where);
  }
  return places;
}

TEST(ReferencesOfTest, AnEmptyFieldIsAsGoodAsNone) {
  json step = Named("a", Reference("kept", "train"));
  step["templateRef"]["clusterScope"] = nullptr;
  json workflow = WorkflowOf({step});
  workflow["spec"]["workflowTemplateRef"] = nullptr;
  const std::vector<TemplateReference> found = ReferencesOf(workflow);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_FALSE(found[0].cluster_scope);
}

TEST(ReferencesOfTest, FindsThemInStepsTasksAndHooks) {
  json hooked = Named("b", {{"template", "own"}});
  hooked["hooks"]["running"] = Reference("kept", "tell");
  json workflow = WorkflowOf({Named("a", Reference("kept", "train")), hooked},
                             {{"exit", Reference("kept", "bye")}});
  workflow["spec"]["templates"].push_back(
      {{"name", "rows"}, {"steps", {{Named("c", Reference("kept", "x"))}}}});
  EXPECT_THAT(PlacesOf(workflow),
              ElementsAre("template 'main', task 'a'",
                          "template 'main', task 'b', hook 'running'",
                          "template 'rows', step 'c'", "hook 'exit'"));
}

TEST(ReferencesOfTest, LeavesOutWhatIsOnlyKnownWhenItRuns) {
  EXPECT_THAT(PlacesOf(WorkflowOf({Named("a", Reference("kept", "{{item}}")),
                                   Named("b", Reference("{{item}}", "x"))})),
              SizeIs(0));
}

// A cluster that has one WorkflowTemplate, `kept`, with template `train`, and
// another that nobody may see.
class FindReferencesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    server_.http().Get(
        ".*/workflowtemplates/(.*)",
        [this](const httplib::Request& request, httplib::Response& response) {
          asked_.push_back(request.matches[1]);
          Answer(asked_.back(), response);
        });
    server_.Start();
    client_ = MakeHttpKubeClient(server_.Config()).value();
  }

  static void Answer(const std::string& name, httplib::Response& response) {
    std::string body = R"({"spec": {"templates": [{"name": "train"}]}})";
    if (name == "secret") {
      response.status = 403;
      body = StatusBody(403, "Forbidden", "no");
    } else if (name != "kept") {
      response.status = 404;
      body = StatusBody(404, "NotFound", "none",
                        R"({"name": "gone", "kind": "workflowtemplates"})");
    }
    response.set_content(body, "application/json");
  }

  absl::StatusOr<InstalledTemplates> Find(const json& workflow) {
    return FindReferences(workflow, "here", *client_);
  }

  ApiServer server_;
  std::unique_ptr<KubeClient> client_;
  std::vector<std::string> asked_;
};

TEST_F(FindReferencesTest, AsksForEachObjectOnce) {
  const auto found = Find(WorkflowOf({Named("a", Reference("kept", "train")),
                                      Named("b", Reference("kept", "train"))}));
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_THAT(found->objects, SizeIs(1));
  EXPECT_TRUE(found->complete);
  EXPECT_THAT(asked_, ElementsAre("kept"));
}

TEST_F(FindReferencesTest, NamesTheHookWhoseTemplateIsNotInstalled) {
  const auto found =
      Find(WorkflowOf({}, {{"exit", Reference("gone", "train")}}));
  EXPECT_TRUE(absl::IsNotFound(found.status()));
  EXPECT_THAT(found.status().message(),
              HasSubstr("WorkflowTemplate 'gone' is not installed in namespace "
                        "'here', but hook 'exit' refers to it"));
}

TEST_F(FindReferencesTest, NamesWhatTheObjectHasInstead) {
  const auto found = Find(WorkflowOf({Named("a", Reference("kept", "trian"))}));
  EXPECT_TRUE(absl::IsNotFound(found.status()));
  EXPECT_THAT(found.status().message(), HasSubstr("did you mean 'train'?"));
}

TEST_F(FindReferencesTest, IsIncompleteWhereTheAccountMayNotLook) {
  const auto found = Find(WorkflowOf({Named("a", Reference("secret", "x"))}));
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_FALSE(found->complete);
}

}  // namespace
}  // namespace rekindle::argo
