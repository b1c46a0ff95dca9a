#include "operator/workflow/template_library.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace rekindle::argo {
namespace {

using ::testing::HasSubstr;

TEST(TemplateLibraryTest, KnowsTheTemplatesOfRekindleItself) {
  const TemplateLibrary library;
  const auto trainer =
      library.Resolve(TemplateRef{"rekindle", "trainer", false, {}});
  ASSERT_TRUE(trainer.ok()) << trainer.status();
  EXPECT_NE(trainer->definition->inputs.FindParameter("train-steps"), nullptr);
}

TEST(TemplateLibraryTest, NamesTheNearestOfWhatItDoesNotHave) {
  const TemplateLibrary library;
  EXPECT_THAT(library.Resolve(TemplateRef{"rekindle", "traner", false, {}})
                  .status()
                  .message(),
              HasSubstr("did you mean 'trainer'?"));
  EXPECT_THAT(library.Resolve(TemplateRef{"rekindel", "trainer", false, {}})
                  .status()
                  .message(),
              HasSubstr("did you mean 'rekindle'?"));
}

TEST(TemplateLibraryTest, AStepRunsOneThing) {
  const TemplateLibrary library;
  Step step;
  step.name = "s";
  EXPECT_EQ(library.Resolve(step, Workflow()).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace rekindle::argo
