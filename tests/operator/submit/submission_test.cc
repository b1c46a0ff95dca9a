#include "operator/submit/submission.h"

#include <httplib.h>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "nlohmann/json.hpp"
#include "operator/kube/http_kube_client.h"
#include "operator/kube/resource.h"
#include "operator/submit/references.h"
#include "tests/operator/kube/api_server.h"
#include "tests/support/status_matchers.h"

namespace rekindle::argo {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

TEST(SubmissionTest, GivenParametersComeFirstAndReplaceTheWorkflowsOwn) {
  json workflow = {
      {"metadata", {{"generateName", "w-"}}},
      {"spec",
       {{"arguments",
         {{"parameters",
           {{{"name", "a"}, {"value", "1"}, {"description", "old"}},
            {{"name", "b"}, {"value", "2"}}}}}}}}};
  SubmitOptions options;
  options.parameters = {{"c", "3"}, {"a", "x=y"}};
  ASSERT_THAT(Apply(options, workflow), IsOk());
  EXPECT_EQ(workflow["spec"]["arguments"]["parameters"],
            json::parse(R"([{"name":"c","value":"3"},{"name":"a","value":"x=y"},
                            {"name":"b","value":"2"}])"));
}

TEST(SubmissionTest, AWorkflowWithoutAnyNameIsRefused) {
  json workflow = {{"metadata", json::object()}, {"spec", json::object()}};
  EXPECT_THAT(Apply({}, workflow), StatusIs(absl::StatusCode::kInvalidArgument,
                                            HasSubstr("--name")));
  SubmitOptions options;
  options.name = "mine";
  EXPECT_THAT(Apply(options, workflow), IsOk());
}

TEST(SubmissionTest, AParameterFileGivesWhatIsNotGivenYet) {
  std::vector<std::pair<std::string, std::string>> parameters = {{"a", "1"}};
  ASSERT_THAT(AddParametersOf("a: 2\nb: [1, x]\nc: 1.50\nd: yes\n", "p.yaml",
                              parameters),
              IsOk());
  EXPECT_THAT(parameters, ElementsAre(Pair("a", "1"), Pair("b", R"([1,"x"])"),
                                      Pair("c", "1.5"), Pair("d", "true")));
  EXPECT_THAT(AddParametersOf("- a\n", "p.yaml", parameters),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("p.yaml is not a map")));
}

TEST(SubmissionTest, MalformedFlagsAreQuoted) {
  EXPECT_THAT(
      ParseParameter("novalue"),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("'novalue'")));
  EXPECT_THAT(ParseLabels("a=b,c"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("'c'")));
  EXPECT_THAT(ParseFrom("pod/x"), StatusIs(absl::StatusCode::kInvalidArgument,
                                           HasSubstr("'pod/x'")));
  EXPECT_THAT(ParseFrom("cronwf/"),
              StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_EQ(ParseFrom("WorkflowTemplate/x")->resource, &kWorkflowTemplates);
}

// What is made of CronWorkflow 'nightly' if the cluster shows it so.
absl::StatusOr<json> FromCron(const std::string& shown) {
  ApiServer server;
  server.http().Get(
      ".*/cronworkflows/nightly",
      [&shown](const httplib::Request&, httplib::Response& response) {
        response.set_content(shown, "application/json");
      });
  server.Start();
  const auto client = MakeHttpKubeClient(server.Config()).value();
  return WorkflowFrom({&kCronWorkflows, "nightly"}, "ml", absl::UnixEpoch(),
                      *client);
}

TEST(SubmissionTest, WhatACronWorkflowSaysOfItsWorkflowsIsTaken) {
  const auto workflow = FromCron(R"({
      "metadata": {"name": "nightly", "uid": "u"},
      "spec": {"workflowSpec": {"entrypoint": "main"},
               "workflowMetadata": {"labels": {"team": "ml"},
                                    "annotations": null}}})");
  ASSERT_THAT(workflow, IsOk());
  EXPECT_EQ((*workflow)["spec"]["entrypoint"], "main");
  EXPECT_EQ((*workflow)["metadata"]["labels"]["team"], "ml");
  EXPECT_EQ((*workflow)["metadata"]["ownerReferences"][0]["uid"], "u");
}

TEST(SubmissionTest, WhatIsNoObjectInACronWorkflowIsAsGoodAsAbsent) {
  SubmitOptions options;
  options.parameters = {{"a", "1"}};
  for (const char* shown :
       {R"({})", R"({"metadata": null, "spec": null})",
        R"({"metadata": {"labels": 7}, "spec": {"workflowMetadata": "text"}})",
        R"({"spec": {"workflowSpec": [], "workflowMetadata":
            {"labels": null, "annotations": [1]}}})",
        R"({"spec": {"workflowSpec": {"arguments": "text"}}})"}) {
    auto workflow = FromCron(shown);
    ASSERT_THAT(workflow, IsOk()) << shown;
    EXPECT_THAT(Apply(options, *workflow), IsOk()) << shown;
    EXPECT_EQ((*workflow)["spec"]["arguments"]["parameters"][0]["value"], "1");
  }
}

TEST(ReferencesTest, FindsThoseOfStepsAndTasksButNotThoseThatAreTags) {
  const json workflow = json::parse(R"({"spec": {
      "workflowTemplateRef": {"name": "all", "clusterScope": true},
      "templates": [
        {"name": "s", "steps": [[{"name": "x",
            "templateRef": {"name": "t", "template": "u"}}]]},
        {"name": "d", "dag": {"tasks": [
            {"name": "y", "templateRef": {"name": "{{n}}", "template": "u"}},
            {"name": "z", "template": "s"}]}}]}})");
  const auto references = ReferencesOf(workflow);
  ASSERT_EQ(references.size(), 2);
  EXPECT_EQ(references[0].name, "all");
  EXPECT_TRUE(references[0].cluster_scope);
  EXPECT_EQ(references[1].where, "template 's', step 'x'");
}

}  // namespace
}  // namespace rekindle::argo
