#include "base/utf8.h"

#include <gtest/gtest.h>

namespace rekindle {
namespace {

TEST(Utf8Test, WellFormedTextStaysAsItIs) {
  EXPECT_EQ(ReplaceInvalidUtf8("aé日😀"), "aé日😀");
  EXPECT_TRUE(IsValidUtf8("aé日😀"));
  EXPECT_EQ(CountCharacters("aé日😀"), 4);
}

TEST(Utf8Test, EveryOtherByteIsReplaced) {
  EXPECT_EQ(ReplaceInvalidUtf8("a\xFFz"), "a\uFFFDz");
  EXPECT_EQ(ReplaceInvalidUtf8("\xE6\x97"), "\uFFFD\uFFFD");
  EXPECT_FALSE(IsValidUtf8("\x80"));
}

TEST(Utf8Test, OverlongFormsSurrogatesAndBeyondTheEndAreNotText) {
  EXPECT_FALSE(IsValidUtf8("\xC0\xAF"));
  EXPECT_FALSE(IsValidUtf8("\xE0\x80\xAF"));
  EXPECT_FALSE(IsValidUtf8("\xED\xA0\x80"));
  EXPECT_FALSE(IsValidUtf8("\xF4\x90\x80\x80"));
}

}  // namespace
}  // namespace rekindle
