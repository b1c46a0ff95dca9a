#include "component/steps/serving_folder.h"

#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/file_util.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr absl::Time kNow = absl::FromUnixSeconds(1'700'000'000);

// A model, and a folder that serves it.
class ServingFolderTest : public ::testing::Test {
 protected:
  ServingFolderTest() {
    std::filesystem::create_directories(dir_ / "model/variables");
    dir_.Write("model/saved_model.pb", "graph");
    dir_.Write("model/variables/variables.index", "weights");
    push_.model = dir_ / "model";
    push_.folder = dir_ / "serving";
    push_.note_path = dir_ / "note";
    push_.name = "abc";
    push_.now = [] { return kNow; };
  }

  // Everything in the serving folder, hidden names too.
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& entry :
         std::filesystem::directory_iterator(push_.folder)) {
      names.push_back(entry.path().filename());
    }
    return names;
  }

  TempDir dir_;
  VersionPush push_;
};

TEST(NextVersionTest, IsTheTimeUnlessAHigherOneIsThere) {
  EXPECT_EQ(NextVersion({}, kNow), 1'700'000'000);
  EXPECT_EQ(NextVersion({1, 5}, kNow), 1'700'000'000);
  EXPECT_EQ(NextVersion({1'700'000'000}, kNow), 1'700'000'001);
  EXPECT_EQ(NextVersion({3, 1'800'000'000}, kNow), 1'800'000'001);
}

TEST_F(ServingFolderTest, NamesThatAreNoNumbersAreNoVersions) {
  for (const char* name : {"12", "7", "latest", ".pushing-abc-1", "3.tmp"}) {
    std::filesystem::create_directories(JoinPath(push_.folder, name));
  }
  EXPECT_THAT(VersionsIn(push_.folder), ElementsAre(7, 12));
  EXPECT_THAT(VersionsIn(dir_ / "none"), IsEmpty());
}

TEST_F(ServingFolderTest, PutsTheWholeModelUnderANewVersion) {
  const auto version = PushVersion(push_);
  ASSERT_TRUE(version.ok()) << version.status();
  EXPECT_EQ(*version, 1'700'000'000);
  EXPECT_THAT(Names(), ElementsAre("1700000000"));
  EXPECT_EQ(*ReadFile(dir_ / "serving/1700000000/variables/variables.index"),
            "weights");
}

TEST_F(ServingFolderTest, ARetryFindsWhatAnEarlierAttemptPushed) {
  ASSERT_TRUE(PushVersion(push_).ok());
  push_.now = [] { return kNow + absl::Hours(1); };
  EXPECT_EQ(*PushVersion(push_), 1'700'000'000);
  EXPECT_THAT(Names(), SizeIs(1));
  // Another push of the same model is a version of its own.
  push_.note_path = dir_ / "other note";
  EXPECT_EQ(*PushVersion(push_), 1'700'003'600);
}

TEST_F(ServingFolderTest, WhatWasNotedButNotRenamedIsPushedAgain) {
  ASSERT_TRUE(WriteFileAtomically(push_.note_path, "1600000000").ok());
  std::filesystem::create_directories(dir_ / "serving/.pushing-abc-dead");
  std::filesystem::create_directories(dir_ / "serving/.pushing-other-alive");
  EXPECT_EQ(*PushVersion(push_), 1'700'000'000);
  EXPECT_THAT(Names(), ::testing::UnorderedElementsAre("1700000000",
                                                       ".pushing-other-alive"));
}

TEST_F(ServingFolderTest, NothingAppearsWhenItIsStopped) {
  push_.check_stop = [] { return absl::CancelledError("enough"); };
  EXPECT_TRUE(absl::IsCancelled(PushVersion(push_).status()));
  EXPECT_THAT(Names(), IsEmpty());
}

TEST_F(ServingFolderTest, ManyAtOnceGetAVersionEach) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([this, i] {
      VersionPush push = push_;
      push.name = absl::StrCat("push", i);
      push.note_path = dir_ / absl::StrCat("note", i);
      EXPECT_TRUE(PushVersion(push).ok());
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(VersionsIn(push_.folder), SizeIs(8));
  EXPECT_THAT(Names(), SizeIs(8));
}

TEST_F(ServingFolderTest, WhatIsNoModelIsNotPushed) {
  push_.model = dir_ / "model/variables";
  EXPECT_TRUE(absl::IsNotFound(PushVersion(push_).status()));
  EXPECT_FALSE(PathExists(push_.folder));
}

}  // namespace
}  // namespace rekindle
