#include <httplib.h>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "nlohmann/json.hpp"
#include "tests/operator/kube/api_server.h"
#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A cluster without any WorkflowTemplate, where the name "taken" is, and a
// kubeconfig of it.
class SubmitCommandTest : public ::testing::Test {
 protected:
  void SetUp() override {
    server_.http().Get(
        ".*", [](const httplib::Request&, httplib::Response& response) {
          Refuse(404, "NotFound", R"({"name":"x","kind":"x"})", response);
        });
    server_.http().Post(".*", [this](const httplib::Request& request,
                                     httplib::Response& response) {
      const json object = json::parse(request.body);
      const std::string name = object["metadata"]["name"];
      if (name == "taken") {
        Refuse(409, "AlreadyExists", R"({"name":"x","kind":"x"})", response);
        return;
      }
      created_.push_back(name);
      response.set_content(request.body, "application/json");
    });
    server_.Start();
    WriteKubeconfig();
  }

  static void Refuse(int status, const std::string& reason,
                     const std::string& details, httplib::Response& response) {
    response.status = status;
    response.set_content(argo::StatusBody(status, reason, "no", details),
                         "application/json");
  }

  void WriteKubeconfig() {
    const json cluster = {
        {"server", server_.address()},
        {"certificate-authority-data",
         absl::Base64Escape(server_.certificates().Pem("ca.crt"))}};
    const json config = {
        {"current-context", "c"},
        {"contexts", {{{"name", "c"}, {"context", {{"cluster", "k"}}}}}},
        {"clusters", {{{"name", "k"}, {"cluster", cluster}}}}};
    folder_.Write("kubeconfig", config.dump());
  }

  // A Workflow of one step; `step` is what it does.
  static std::string Workflow(const std::string& name,
                              const std::string& step) {
    return absl::StrCat(
        "apiVersion: argoproj.io/v1alpha1\n"
        "kind: Workflow\n"
        "metadata: {name: ",
        name,
        "}\n"
        "spec:\n"
        "  entrypoint: main\n"
        "  templates:\n"
        "  - name: main\n"
        "    steps: [[{name: s, ",
        step,
        "}]]\n"
        "  - {name: t, container: {image: i, command: [c]}}\n");
  }

  int Submit(const std::vector<std::string>& workflows) {
    std::string text;
    for (const std::string& one : workflows) {
      absl::StrAppend(&text, "---\n", one);
    }
    return Run({folder_.Write("workflows.yaml", text)});
  }
  int Run(Arguments arguments) const {
    arguments.insert(arguments.end(), {"--kubeconfig", folder_ / "kubeconfig"});
    return SubmitCommand(arguments);
  }

  const TempDir folder_;
  argo::ApiServer server_;
  std::vector<std::string> created_;
};

TEST_F(SubmitCommandTest, SendsAllWorkflowsOfAFile) {
  EXPECT_EQ(
      Submit({Workflow("a", "template: t"), Workflow("b", "template: t")}),
      kOk);
  EXPECT_THAT(created_, ElementsAre("a", "b"));
}

TEST_F(SubmitCommandTest, SendsNoneIfTheLastNeedsATemplateThatIsNotThere) {
  EXPECT_EQ(Submit({Workflow("a", "template: t"),
                    Workflow("b", "templateRef: {name: x, template: z}")}),
            kNotFound);
  EXPECT_THAT(created_, IsEmpty());
}

TEST_F(SubmitCommandTest, SendsNoneIfTheLastIsWrong) {
  EXPECT_EQ(Submit({Workflow("a", "template: t"),
                    Workflow("b", "template: misspelt")}),
            kUsage);
  EXPECT_THAT(created_, IsEmpty());
}

TEST_F(SubmitCommandTest, ItsExitStatusSaysWhatIsMissingOrTaken) {
  EXPECT_EQ(Run({folder_ / "no-such-file.yaml"}), kNotFound);
  EXPECT_EQ(
      SubmitCommand({folder_.Write("w.yaml", Workflow("a", "template: t")),
                     "--kubeconfig", folder_ / "no-such-kubeconfig"}),
      kNotFound);
  EXPECT_EQ(Submit({Workflow("taken", "template: t")}), kConflict);
}

}  // namespace
}  // namespace rekindle
