// What users ask for, and what becomes of the rewriter's answers. The
// interpreter is a script that stands for one with some TensorFlow; the real
// one is in tests/e2e/rewrite_test.py.
#include "component/steps/rewrite.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "component/cache/cache_fields.h"
#include "component/contract/rewrite_output.h"
#include "component/launch/failure.h"
#include "component/launch/step.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

using ::absl::StatusCode;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(CheckRewritesTest, TakesOneOfEachKind) {
  EXPECT_THAT(CheckRewrites({}), IsOk());
  EXPECT_THAT(CheckRewrites({"tflite", "saved_model"}), IsOk());
  EXPECT_THAT(CheckRewrites({"saved_model:a,b", "tflite:c"}), IsOk());
}

TEST(CheckRewritesTest, SaysWhatIsWrong) {
  const auto refused = [](const auto& sentence) {
    return StatusIs(StatusCode::kInvalidArgument, HasSubstr(sentence));
  };
  EXPECT_THAT(CheckRewrites({"tflit"}), refused("did you mean 'tflite'?"));
  EXPECT_THAT(CheckRewrites({""}), refused("there is no ''"));
  EXPECT_THAT(CheckRewrites({"onnxruntime"}),
              refused("there are tflite and saved_model"));
  EXPECT_THAT(CheckRewrites({"saved_model:a,,b"}),
              refused("'saved_model:a,,b' has an empty signature"));
  EXPECT_THAT(CheckRewrites({"tflite:"}), refused("has an empty signature"));
  EXPECT_THAT(CheckRewrites({"tflite:a,b"}), refused("names 2 signatures"));
  EXPECT_THAT(CheckRewrites({"tflite", "tflite:a"}), refused("given twice"));
}

class RewriteTest : public ::testing::Test {
 protected:
  RewriteTest() {
    dir_.Write("lib/rekindle_rewrite/__init__.py", "");
    rewriting_.rewrites = {"tflite:raw"};
    rewriting_.python_library = dir_ / "lib";
    rewriting_.on_line = [this](absl::string_view line) {
      lines_.emplace_back(line);
    };
    context_.execution_dir = dir_.path();
    context_.attempt_dir = dir_.path();
    context_.facts = &facts_;
    context_.check_stop = [] { return absl::OkStatus(); };
    Install("2.21.0");
  }

  // An interpreter with this TensorFlow, which runs `script` as any program.
  void Install(const std::string& tensorflow, const std::string& script = "") {
    rewriting_.python = dir_.Write(
        "python", absl::StrCat("#!/bin/sh\nif [ $2 = --describe ]; then echo "
                               R"('{"python": "3.11.2", "tensorflow": ")",
                               tensorflow, R"(", "packages": ""}'; exit; fi)",
                               "\n", script, "\n"));
    std::filesystem::permissions(rewriting_.python,
                                 std::filesystem::perms::owner_all);
  }

  absl::StatusOr<std::vector<RewrittenModel>> Rewrite() {
    return RewriteModel(rewriting_, "/model", {"/eval/*", "/more/*"}, context_);
  }

  // A script that answers so.
  std::string Answering(const std::string& answer) {
    return absl::StrCat("cp ", dir_.Write("prepared", answer), " ",
                        dir_ / "rewrite_output.json");
  }

  TempDir dir_;
  WatchedFiles watched_;
  Rewriting rewriting_;
  AttemptFacts facts_;
  StepContext context_;
  std::vector<std::string> lines_;
};

TEST_F(RewriteTest, TheCacheKeyHasTheTensorFlowThatConverts) {
  const CacheFields before = RewriteFields(rewriting_, watched_);
  EXPECT_EQ(before.at("rewriter.tensorflow"), "2.21.0");
  EXPECT_EQ(RewriteFields(rewriting_, watched_), before);
  dir_.Write("lib/rekindle_rewrite/tflite.py", "pass");
  const auto differing =
      DifferencesOf(before, RewriteFields(rewriting_, watched_));
  ASSERT_EQ(differing.size(), 1);
  EXPECT_EQ(differing[0].name, "code.rewriter");
}

TEST_F(RewriteTest, AnInterpreterThatCannotRewriteIsNamedBeforeTraining) {
  EXPECT_THAT(CheckRewriter(rewriting_), IsOk());
  Install("");
  absl::Status refused = CheckRewriter(rewriting_);
  EXPECT_EQ(ReasonOf(refused), FailureReason::kPackageMissing);
  EXPECT_THAT(refused, StatusIs(StatusCode::kFailedPrecondition,
                                HasSubstr("-m pip install tensorflow")));
  for (const std::string& python : {std::string("/bin/true"), dir_ / "none"}) {
    rewriting_.python = python;
    refused = CheckRewriter(rewriting_);
    EXPECT_EQ(ReasonOf(refused), FailureReason::kChildCannotStart);
    EXPECT_THAT(std::string(refused.message()), HasSubstr(python));
    EXPECT_THAT(std::string(refused.message()), HasSubstr("--python"));
  }
}

TEST_F(RewriteTest, TheAnswerIsReadAndLinesForPeopleArePassedOn) {
  const RewriteOutput output{
      {}, {{"tflite", "Format-TFLite", {"raw"}, 8, 0.0, {}, "2.21.0"}}};
  Install("2.21.0", absl::StrCat("echo \"$@\" > ", dir_ / "argv",
                                 "; echo noise; ", "echo rewrite: done; ",
                                 Answering(ToJson(output).dump())));
  EXPECT_THAT(Rewrite(), IsOk());
  EXPECT_EQ(*Rewrite(), output.rewritten);
  EXPECT_THAT(lines_, ElementsAre("rewrite: done", "rewrite: done"));
  std::string argv;
  std::getline(std::ifstream(dir_ / "argv"), argv);
  EXPECT_THAT(argv, HasSubstr("rewrite_model.py --model=/model"));
  EXPECT_THAT(argv, HasSubstr("--rewrite=tflite:raw --examples=/eval/* "
                              "--examples=/more/*"));
}

TEST_F(RewriteTest, WhatItSaysGoesBeforeHowItEnded) {
  RewriteOutput failed;
  failed.error = {9, "no signature 'raw'", "REWRITE_FAILED"};
  Install("2.21.0", absl::StrCat(Answering(ToJson(failed).dump()), "; exit 1"));
  const absl::Status said = Rewrite().status();
  EXPECT_EQ(ReasonOf(said), FailureReason::kRewriteFailed);
  EXPECT_THAT(said, StatusIs(StatusCode::kFailedPrecondition,
                             HasSubstr("no signature 'raw'")));

  Install("2.21.0", "exit 1");  // And the answer before is of no use.
  EXPECT_EQ(ReasonOf(Rewrite().status()), FailureReason::kChildExitCode);
  Install("2.21.0", "kill -SEGV $$");
  EXPECT_EQ(ReasonOf(Rewrite().status()), FailureReason::kChildSignal);
  Install("2.21.0", Answering("{}"));
  EXPECT_EQ(ReasonOf(Rewrite().status()), FailureReason::kInvalidOutput);
  EXPECT_THAT(lines_, IsEmpty());
}

}  // namespace
}  // namespace rekindle
