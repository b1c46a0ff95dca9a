#include "component/cache/content_digest.h"

#include <cstdlib>
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

using ::testing::ElementsAre;
using ::testing::Key;
using ::testing::StartsWith;

class ContentDigestTest : public ::testing::Test {
 protected:
  TempDir dir_;
};

TEST_F(ContentDigestTest, ContentsCountAndNamesAndTimesDoNot) {
  const std::string a = dir_.Write("a.csv", "x,y\n1,2\n");
  const std::string b = dir_.Write("elsewhere/b.csv", "x,y\n1,2\n");
  const std::string c = dir_.Write("c.csv", "x,y\n1,3\n");
  EXPECT_THAT(ContentDigest({a}), StartsWith("sha256:"));
  EXPECT_EQ(ContentDigest({a}), ContentDigest({b}));
  EXPECT_NE(ContentDigest({a}), ContentDigest({c}));
  EXPECT_NE(ContentDigest({a, c}), ContentDigest({c, a}));
}

TEST_F(ContentDigestTest, WhatCannotBeReadIsNeverTheSameTwice) {
  EXPECT_THAT(ContentDigest({dir_ / "nowhere"}), StartsWith("unreadable"));
  EXPECT_NE(ContentDigest({dir_ / "nowhere"}),
            ContentDigest({dir_ / "nowhere"}));
}

TEST_F(ContentDigestTest, APythonFileCountsWithItsSiblings) {
  const std::string module = dir_.Write("module.py", "import helper\n");
  dir_.Write("helper.py", "x = 1\n");
  dir_.Write("notes.txt", "not imported\n");
  const std::string before = CodeDigest(module);
  dir_.Write("notes.txt", "still not\n");
  EXPECT_EQ(CodeDigest(module), before);
  dir_.Write("helper.py", "x = 2\n");
  EXPECT_NE(CodeDigest(module), before);
  dir_.Write("helper.py", "x = 1\n");
  EXPECT_EQ(CodeDigest(module), before);
  std::filesystem::rename(dir_ / "helper.py", dir_ / "helpers.py");
  EXPECT_NE(CodeDigest(module), before);
}

TEST_F(ContentDigestTest, AModuleInTheWorkingFolderIsFound) {
  dir_.Write("module.py", "pass\n");
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(dir_.path());
  const std::string relative = CodeDigest("module.py");
  std::filesystem::current_path(before);
  EXPECT_EQ(relative, CodeDigest(dir_ / "module.py"));
}

TEST_F(ContentDigestTest, AProgramIsFoundAsTheShellFindsIt) {
  EXPECT_EQ(ProgramDigest("true"), ProgramDigest("/usr/bin/true"));
  EXPECT_NE(ProgramDigest("true"), ProgramDigest("false"));
  EXPECT_THAT(ProgramDigest("no-such-program"), StartsWith("unreadable"));
}

TEST_F(ContentDigestTest, ACommandCountsByItsProgramAndTheFilesItNames) {
  const std::string script = dir_.Write("tool.py", "print(1)\n");
  const auto fields =
      CommandFields({"python3", script, "--steps=3", "{{inputs.data.uri}}"});
  EXPECT_THAT(fields, ElementsAre(Key("code.argument.1"), Key("code.program")));
  dir_.Write("tool.py", "print(2)\n");
  EXPECT_NE(CommandFields({"python3", script}).at("code.argument.1"),
            fields.at("code.argument.1"));
}

}  // namespace
}  // namespace rekindle
