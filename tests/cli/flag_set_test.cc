#include "cli/flag_set.h"

#include <cstdint>
#include <optional>
#include <stdlib.h>  // setenv
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class FlagSetTest : public ::testing::Test {
 protected:
  FlagSetTest() : flags_("verb [flags]", "Does it.", "rekindle verb") {
    flags_.String("base-model", "REF", &model_, "the model");
    flags_.OptionalInt("train-steps", "N", &steps_, "steps");
    flags_.Bool("dry-run", &dry_run_, "nothing is written");
    flags_.Duration("grace", &grace_, "time to stop");
    flags_.Strings("null-value", "TEXT", &nulls_, "missing");
    flags_.Format({"text", "json"}, &format_);
  }

  absl::Status Parse(const std::vector<std::string>& arguments) {
    return flags_.Parse(arguments, &positional_);
  }

  FlagSet flags_;
  std::string model_ = "latest";
  std::optional<int64_t> steps_;
  bool dry_run_ = false;
  absl::Duration grace_ = absl::Seconds(25);
  std::vector<std::string> nulls_;
  std::string format_;
  std::vector<std::string> positional_;
};

TEST_F(FlagSetTest, TakesBothSpellingsAndBothForms) {
  ASSERT_THAT(Parse({"--base_model=id:7", "--train-steps", "100", "--dry-run",
                     "-o", "json", "x", "--null-value=NA", "--null_value", "-",
                     "--grace=1m30s"}),
              IsOk());
  EXPECT_EQ(model_, "id:7");
  EXPECT_EQ(steps_, 100);
  EXPECT_TRUE(dry_run_);
  EXPECT_EQ(format_, "json");
  EXPECT_EQ(grace_, absl::Seconds(90));
  EXPECT_THAT(nulls_, ElementsAre("NA", "-"));
  EXPECT_THAT(positional_, ElementsAre("x"));
}

TEST_F(FlagSetTest, ACommandMayHaveAnOutputFlagOfItsOwn) {
  FlagSet flags("verb [flags]", "Does it.", "rekindle verb");
  std::vector<std::string> outputs;
  std::string format;
  flags.Strings("output", "KEY=TYPE", &outputs, "an output");
  flags.Format({"text", "json"}, &format, "format");
  ASSERT_THAT(flags.Parse({"--output", "a=B", "-o", "json"}, &positional_),
              IsOk());
  EXPECT_THAT(outputs, ElementsAre("a=B"));
  EXPECT_EQ(format, "json");
}

TEST_F(FlagSetTest, ANegativeNumberIsAValue) {
  ASSERT_THAT(Parse({"--train-steps", "-1"}), IsOk());
  EXPECT_EQ(steps_, -1);
}

TEST_F(FlagSetTest, ATypoGetsTheNearestName) {
  EXPECT_THAT(Parse({"--train-stesp=1"}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "unknown flag --train-stesp; did you mean "
                       "--train-steps?"));
}

TEST_F(FlagSetTest, BadValuesNameTheFlagAndTheRule) {
  EXPECT_THAT(Parse({"--train-steps=ten"}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "--train-steps: 'ten' is not a whole number"));
  EXPECT_THAT(Parse({"-o", "xml"}), StatusIs(absl::StatusCode::kInvalidArgument,
                                             HasSubstr("one of text|json")));
  EXPECT_THAT(Parse({"--grace=-1s"}),
              StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(Parse({"--base-model"}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "--base-model needs a value: --base-model=REF"));
}

TEST_F(FlagSetTest, AnAtSignTakesTheValueFromAFile) {
  TempDir dir;
  ASSERT_THAT(Parse({"--base-model=@" + dir.Write("ref", "id:9\n")}), IsOk());
  EXPECT_EQ(model_, "id:9");
  EXPECT_THAT(Parse({"--base-model=@" + (dir / "none")}),
              StatusIs(absl::StatusCode::kNotFound,
                       HasSubstr("--base-model: cannot read")));
}

TEST_F(FlagSetTest, TheEnvironmentStandsInForAMissingFlag) {
  setenv("REKINDLE_BASE_MODEL", "id:1", 1);
  setenv("REKINDLE_TRAIN_STEPS", "5", 1);
  const absl::Status parsed = Parse({"--train-steps=6"});
  unsetenv("REKINDLE_BASE_MODEL");
  unsetenv("REKINDLE_TRAIN_STEPS");
  ASSERT_THAT(parsed, IsOk());
  EXPECT_EQ(model_, "id:1");
  EXPECT_EQ(steps_, 6);
}

TEST_F(FlagSetTest, AnEmptyValueIsNoValueWhateverTheFlag) {
  ASSERT_THAT(Parse({"--base-model=", "--train-steps=", "--dry-run=", "--grace",
                     "", "--null-value=", "--null-values=", "--output="}),
              IsOk());
  EXPECT_EQ(model_, "latest");
  EXPECT_EQ(steps_, std::nullopt);
  EXPECT_FALSE(dry_run_);
  EXPECT_EQ(grace_, absl::Seconds(25));
  EXPECT_THAT(nulls_, IsEmpty());
  EXPECT_EQ(format_, "text");
}

TEST_F(FlagSetTest, TheEnvironmentStandsInForAnEmptyFlagUnlessItIsEmptyToo) {
  setenv("REKINDLE_BASE_MODEL", "id:1", 1);
  setenv("REKINDLE_TRAIN_STEPS", "", 1);
  const absl::Status parsed = Parse({"--base-model=", "--train-steps="});
  unsetenv("REKINDLE_BASE_MODEL");
  unsetenv("REKINDLE_TRAIN_STEPS");
  ASSERT_THAT(parsed, IsOk());
  EXPECT_EQ(model_, "id:1");
  EXPECT_EQ(steps_, std::nullopt);
}

TEST_F(FlagSetTest, ThePluralOfAFlagTakesOneValueInEachLine) {
  ASSERT_THAT(Parse({"--null-values=NA\n\n  n/a\r\n-\n", "--null-value=x\ny"}),
              IsOk());
  EXPECT_THAT(nulls_, ElementsAre("NA", "n/a", "-", "x\ny"));
  EXPECT_THAT(flags_.Help(), HasSubstr("--null-values takes one in each line"));
}

TEST_F(FlagSetTest, PluralsAreThoseOfEnglish) {
  FlagSet flags("verb [flags]", "Does it.", "rekindle verb");
  std::vector<std::string> properties;
  std::vector<std::string> splits;
  flags.Strings("property", "NAME=VALUE", &properties, "a property");
  flags.Strings("exclude-splits", "NAME", &splits, "a split");
  ASSERT_THAT(flags.Parse({"--properties=a=1\nb=2", "--exclude-splits=x\ny"},
                          &positional_),
              IsOk());
  EXPECT_THAT(properties, ElementsAre("a=1", "b=2"));
  EXPECT_THAT(splits, ElementsAre("x", "y"));
}

TEST_F(FlagSetTest, HelpShowsEveryFlagItsDefaultAndAnExample) {
  ASSERT_THAT(Parse({"--help"}), IsOk());
  EXPECT_TRUE(flags_.help_requested());
  EXPECT_THAT(flags_.Help(), HasSubstr("--base-model=REF"));
  EXPECT_THAT(flags_.Help(), HasSubstr("(default: latest)"));
  EXPECT_THAT(flags_.Help(), HasSubstr("Example: rekindle verb"));
}

}  // namespace
}  // namespace rekindle
