#include "operator/workflow/object_name.h"

#include <string>

#include <gtest/gtest.h>

namespace rekindle::argo {
namespace {

TEST(ObjectNameTest, ObjectsHaveNamesOfDns) {
  for (const char* name : {"a", "train-7", "a.b-c.d", "0"}) {
    EXPECT_EQ(ObjectNameProblem(name), "") << name;
  }
  for (const char* name : {"", "..", "../..", "a/b", "A", "-a", "a-", "a..b",
                           "a.", "a_b", "\xc3"}) {
    EXPECT_NE(ObjectNameProblem(name), "") << name;
  }
  EXPECT_EQ(ObjectNameProblem(std::string(253, 'a')), "");
  EXPECT_NE(ObjectNameProblem(std::string(254, 'a')), "");
  EXPECT_NE(ObjectNameProblem(std::string("a\0b", 3)), "");
}

TEST(ObjectNameTest, VolumesHaveOneLabel) {
  EXPECT_EQ(LabelNameProblem("work-1"), "");
  EXPECT_NE(LabelNameProblem("a.b"), "");
  EXPECT_NE(LabelNameProblem("../x"), "");
  EXPECT_NE(LabelNameProblem(std::string(64, 'a')), "");
}

TEST(ObjectNameTest, ASubPathStaysInside) {
  for (const char* path : {"", "a", "a/b..c", "..a", "a/./b"}) {
    EXPECT_EQ(SubPathProblem(path), "") << path;
  }
  EXPECT_EQ(SubPathProblem("/a"), "must be relative");
  EXPECT_EQ(SubPathProblem("a/../../b"), "must not contain '..'");
  EXPECT_EQ(SubPathProblem(std::string("a\0b", 3)), "has a NUL byte");
}

}  // namespace
}  // namespace rekindle::argo
