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
  WatchedFiles watched_;
};

TEST_F(ContentDigestTest, ContentsCountAndNamesAndTimesDoNot) {
  const std::string a = dir_.Write("a.csv", "x,y\n1,2\n");
  const std::string b = dir_.Write("elsewhere/b.csv", "x,y\n1,2\n");
  const std::string c = dir_.Write("c.csv", "x,y\n1,3\n");
  EXPECT_THAT(ContentDigest({a}, watched_), StartsWith("sha256:"));
  EXPECT_EQ(ContentDigest({a}, watched_), ContentDigest({b}, watched_));
  EXPECT_NE(ContentDigest({a}, watched_), ContentDigest({c}, watched_));
  EXPECT_NE(ContentDigest({a, c}, watched_), ContentDigest({c, a}, watched_));
}

TEST_F(ContentDigestTest, WhatCannotBeReadIsNeverTheSameTwice) {
  EXPECT_THAT(ContentDigest({dir_ / "nowhere"}, watched_),
              StartsWith("unreadable"));
  EXPECT_NE(ContentDigest({dir_ / "nowhere"}, watched_),
            ContentDigest({dir_ / "nowhere"}, watched_));
}

TEST_F(ContentDigestTest, APythonFileCountsWithItsSiblings) {
  const std::string module = dir_.Write("module.py", "import helper\n");
  dir_.Write("helper.py", "x = 1\n");
  dir_.Write("notes.txt", "not imported\n");
  const std::string before = CodeDigest(module, watched_);
  dir_.Write("notes.txt", "still not\n");
  EXPECT_EQ(CodeDigest(module, watched_), before);
  dir_.Write("helper.py", "x = 2\n");
  EXPECT_NE(CodeDigest(module, watched_), before);
  dir_.Write("helper.py", "x = 1\n");
  EXPECT_EQ(CodeDigest(module, watched_), before);
  std::filesystem::rename(dir_ / "helper.py", dir_ / "helpers.py");
  EXPECT_NE(CodeDigest(module, watched_), before);
}

TEST_F(ContentDigestTest, AModuleInTheWorkingFolderIsFound) {
  dir_.Write("module.py", "pass\n");
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(dir_.path());
  const std::string relative = CodeDigest("module.py", watched_);
  std::filesystem::current_path(before);
  EXPECT_EQ(relative, CodeDigest(dir_ / "module.py", watched_));
}

TEST_F(ContentDigestTest, AProgramIsFoundAsTheShellFindsIt) {
  EXPECT_EQ(ProgramDigest("true", watched_),
            ProgramDigest("/usr/bin/true", watched_));
  EXPECT_NE(ProgramDigest("true", watched_), ProgramDigest("false", watched_));
  EXPECT_THAT(ProgramDigest("no-such-program", watched_),
              StartsWith("unreadable"));
}

TEST_F(ContentDigestTest, ACommandCountsByItsProgramAndTheFilesItNames) {
  const std::string script = dir_.Write("tool.py", "print(1)\n");
  const auto fields = CommandFields(
      {"python3", script, "--steps=3", "{{inputs.data.uri}}"}, watched_);
  EXPECT_THAT(fields, ElementsAre(Key("code.argument.1"), Key("code.program")));
  dir_.Write("tool.py", "print(2)\n");
  EXPECT_NE(CommandFields({"python3", script}, watched_).at("code.argument.1"),
            fields.at("code.argument.1"));
}

TEST_F(ContentDigestTest, WhatChangesAfterItWasReadIsNamed) {
  const std::string a = dir_.Write("a.csv", "1");
  const std::string b = dir_.Write("b.csv", "2");
  ContentDigest({a, b}, watched_);
  EXPECT_EQ(watched_.FindChanged(), "");
  dir_.Write("b.csv", "22");
  EXPECT_EQ(watched_.FindChanged(), b);
}

TEST_F(ContentDigestTest, WhatIsReadAgainIsStillComparedWithTheFirstTime) {
  const std::string a = dir_.Write("a.csv", "1");
  ContentDigest({a}, watched_);
  dir_.Write("a.csv", "22");
  ContentDigest({a}, watched_);
  EXPECT_EQ(watched_.FindChanged(), a);
}

}  // namespace
}  // namespace rekindle
