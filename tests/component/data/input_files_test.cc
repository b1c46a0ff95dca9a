#include "component/data/input_files.h"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "component/data/input_format.h"
#include "component/data/input_pattern.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class InputFilesTest : public ::testing::Test {
 protected:
  // Empty files of these names below the folder.
  void Touch(const std::vector<std::string>& names) {
    for (const std::string& name : names) dir_.Write(name, "");
  }
  absl::StatusOr<InputFiles> Find(const std::string& pattern,
                                  const SpanChoice& wanted = {}) {
    return FindInputFiles(dir_ / pattern, wanted);
  }

  TempDir dir_;
};

TEST_F(InputFilesTest, TheLatestSpanAndItsLatestVersionAreTaken) {
  Touch({"span-2/v10/a.csv", "span-2/v9/b.csv", "span-10/v1/c.csv",
         "span-10/v2/d.csv", "span-10/v2/e.csv", "span-x/v9/f.csv"});
  RK_ASSERT_OK_AND_ASSIGN(const InputFiles found,
                          Find("span-{SPAN}/v{VERSION}/*.csv"));
  EXPECT_EQ(found.chosen, (SpanVersion{10, 2}));
  ASSERT_THAT(found.splits, SizeIs(1));
  EXPECT_EQ(found.base, dir_.path());
  EXPECT_EQ(found.splits[0].pattern, "span-10/v2/*.csv");
  EXPECT_THAT(found.splits[0].files, ElementsAre(dir_ / "span-10/v2/d.csv",
                                                 dir_ / "span-10/v2/e.csv"));
}

TEST_F(InputFilesTest, ASpanAndAVersionCanBeAskedFor) {
  Touch({"2-1.csv", "2-2.csv", "3-1.csv"});
  RK_ASSERT_OK_AND_ASSIGN(const InputFiles older,
                          Find("{SPAN}-{VERSION}.csv", {2, {}}));
  EXPECT_EQ(older.chosen, (SpanVersion{2, 2}));
  RK_ASSERT_OK_AND_ASSIGN(const InputFiles oldest,
                          Find("{SPAN}-{VERSION}.csv", {2, 1}));
  EXPECT_EQ(oldest.splits[0].pattern, "2-1.csv");
  EXPECT_THAT(Find("{SPAN}-{VERSION}.csv", {4, {}}),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("span 4")));
}

TEST_F(InputFilesTest, AWidthTakesNumbersWithLeadingZeros) {
  Touch({"d-007.csv", "d-012.csv", "d-1000.csv"});
  RK_ASSERT_OK_AND_ASSIGN(const InputFiles found, Find("d-{SPAN:3}.csv"));
  EXPECT_EQ(found.chosen.span, 12);
  EXPECT_EQ(found.splits[0].pattern, "d-012.csv");
  RK_ASSERT_OK_AND_ASSIGN(const InputFiles plain, Find("d-{SPAN}.csv"));
  EXPECT_EQ(plain.chosen.span, 1000);
}

TEST_F(InputFilesTest, ADateIsTheDaysSince1970) {
  Touch({"log-20170101.csv", "log-19700102.csv"});
  RK_ASSERT_OK_AND_ASSIGN(const InputFiles found,
                          Find("log-{YYYY}{MM}{DD}.csv"));
  EXPECT_EQ(found.chosen.span, 17167);
  EXPECT_EQ(found.splits[0].pattern, "log-20170101.csv");
  RK_ASSERT_OK_AND_ASSIGN(const InputFiles first,
                          Find("log-{YYYY}{MM}{DD}.csv", {1, {}}));
  EXPECT_EQ(first.splits[0].pattern, "log-19700102.csv");
  Touch({"log-20170231.csv"});
  EXPECT_THAT(
      Find("log-{YYYY}{MM}{DD}.csv"),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("2017-02-31")));
}

TEST_F(InputFilesTest, AllSplitsAreOfOneSpan) {
  Touch({"1/train/a.csv", "1/eval/a.csv", "2/train/a.csv"});
  const std::vector<InputSplit> splits = {{"train", "{SPAN}/train/*", {}},
                                          {"eval", "{SPAN}/eval/*", {}}};
  EXPECT_THAT(FindInputFiles(dir_.path(), splits, {}),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("split 'train' is of span 2")));
  RK_ASSERT_OK_AND_ASSIGN(const InputFiles found,
                          FindInputFiles(dir_.path(), splits, {1, {}}));
  EXPECT_THAT(found.AllFiles(),
              ElementsAre(dir_ / "1/train/a.csv", dir_ / "1/eval/a.csv"));
  EXPECT_THAT(found.Fingerprint(),
              ::testing::MatchesRegex("split:train,num_files:1,.*\n"
                                      "split:eval,num_files:1,.*"));
}

TEST_F(InputFilesTest, GlobSignsMatchAsInAShell) {
  Touch({"a1.csv", "b1.csv", "c1.csv", "a12.csv", ".a1.csv", "d/a1.csv"});
  RK_ASSERT_OK_AND_ASSIGN(const InputFiles found, Find("[!c]?.csv"));
  EXPECT_THAT(found.AllFiles(), ElementsAre(dir_ / "a1.csv", dir_ / "b1.csv"));
}

TEST_F(InputFilesTest, NamesTellTheFormat) {
  Touch({"a.csv", "b.csv.gz", "README.md"});
  RK_ASSERT_OK_AND_ASSIGN(InputFiles found, FindInputFiles(dir_.path(), {}));
  EXPECT_EQ(*ChooseFormat({}, found), InputFormat::kCsv);
  EXPECT_THAT(found.AllFiles(), SizeIs(2));

  Touch({"data_tfrecord-00000-of-00001.gz"});
  RK_ASSERT_OK_AND_ASSIGN(InputFiles both, FindInputFiles(dir_.path(), {}));
  EXPECT_THAT(ChooseFormat({}, both),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("--input-format")));
  EXPECT_EQ(*ChooseFormat(InputFormat::kTfRecord, both),
            InputFormat::kTfRecord);
  EXPECT_THAT(both.AllFiles(),
              ElementsAre(dir_ / "data_tfrecord-00000-of-00001.gz"));
}

TEST(InputPatternTest, ASpecThatCannotBeIsNamed) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"{SPAN}-{SPAN}", "twice"},    {"{VERSION}", "without {SPAN}"},
      {"{YYYY}{MM}", "together"},    {"{SPAN}{YYYY}{MM}{DD}", "names the span"},
      {"{SPAN:0}", "width"},         {"{SPAN:x}", "width"},
      {"{YYYY:4}{MM}{DD}", "width"}, {"{SPN}", "none of {SPAN}"},
      {"a[b", "without its ']'"},
  };
  for (const auto& [pattern, message] : cases) {
    EXPECT_THAT(
        InputPattern::Parse(pattern),
        StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(message)))
        << pattern;
  }
}

}  // namespace
}  // namespace rekindle
