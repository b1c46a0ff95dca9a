#include "operator/pods/beneath.h"

#include <string>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "base/file_util.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace rekindle::argo {
namespace {

using ::testing::HasSubstr;

class BeneathTest : public ::testing::Test {
 protected:
  BeneathTest() { MakeDirs(volume_ + "/in").IgnoreError(); }

  void Link(const std::string& target, const std::string& name) const {
    ASSERT_EQ(symlink(target.c_str(), (volume_ + "/" + name).c_str()), 0);
  }

  const TempDir dir_;
  const std::string volume_ = dir_ / "volume";
};

TEST_F(BeneathTest, WhatIsInsideStaysThere) {
  Link("in", "link");
  EXPECT_EQ(*ResolveBeneath(volume_, "new/folder"), volume_ + "/new/folder");
  EXPECT_EQ(*ResolveBeneath(volume_, "link/x"), volume_ + "/in/x");
}

TEST_F(BeneathTest, NothingLeadsOut) {
  Link("/etc", "absolute");
  Link("../..", "relative");
  for (const char* path : {"absolute", "absolute/x", "relative/y", "../x"}) {
    EXPECT_THAT(ResolveBeneath(volume_, path),
                StatusIs(absl::StatusCode::kFailedPrecondition,
                         HasSubstr("leads out of")))
        << path;
  }
}

}  // namespace
}  // namespace rekindle::argo
