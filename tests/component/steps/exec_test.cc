#include "component/steps/exec.h"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "component/launch/driver.h"
#include "component/launch/step.h"
#include "component/launch/tfx_names.h"
#include "component/resolve/artifact_ref.h"
#include "tests/support/status_matchers.h"

namespace rekindle {
namespace {

// How a command and its placeholders decide what its results are found by.
class ExecKeyTest : public ::testing::Test {
 protected:
  static StepSpec SpecOf(const std::string& argument,
                         const std::string& run_id = "run-1") {
    ExecOptions options;
    options.command = {"/bin/echo", argument};
    options.inputs = {{"data", "Examples", *ParseArtifactRef("latest")}};
    options.outputs = {{"model", ModelType()}};
    StepSpec spec;
    spec.pipeline = "p";
    spec.node_id = "exec";
    spec.run_id = run_id;
    EXPECT_THAT(MakeExec(std::move(options), spec), IsOk());
    return spec;
  }
};

TEST_F(ExecKeyTest, PropertiesOfInputsCountForTheyAreInItsInputFile) {
  EXPECT_TRUE(
      SpecOf("{{inputs.data.properties.span}}").inputs[0].properties_count);
  EXPECT_TRUE(SpecOf("text").inputs[0].properties_count);
}

TEST_F(ExecKeyTest, TheIdOfAnInputCountsWhereItIsNamed) {
  EXPECT_TRUE(SpecOf("--in={{ inputs.data.id }}").inputs[0].names_outputs);
  EXPECT_FALSE(SpecOf("{{inputs.data.uri}}").inputs[0].names_outputs);
}

TEST_F(ExecKeyTest, TheRunIdCountsWhereItIsNamed) {
  EXPECT_NE(SpecOf("%{run_id}", "run-1").key_fields,
            SpecOf("%{run_id}", "run-2").key_fields);
  EXPECT_EQ(SpecOf("text", "run-1").key_fields,
            SpecOf("text", "run-2").key_fields);
}

TEST_F(ExecKeyTest, WhoNamesItsExecutionIsNeverTheSame) {
  EXPECT_FALSE(CanBeCached(SpecOf("{{execution_id}}")));
  EXPECT_TRUE(CanBeCached(SpecOf("text")));
}

}  // namespace
}  // namespace rekindle
