#include "cli/terminal_text.h"

#include <string>

#include <gtest/gtest.h>

#include "cli/table.h"

namespace rekindle {
namespace {

TEST(TerminalTextTest, WhatAPersonReadsIsKept) {
  for (const char* text : {"", "/data/model-1", "Größe", "日本語", "👍 a"}) {
    EXPECT_EQ(TerminalLine(text), text);
    EXPECT_EQ(TerminalText(text), text);
  }
}

TEST(TerminalTextTest, NothingIsLeftThatATerminalActsUpon) {
  EXPECT_EQ(TerminalLine("a\x1b[2Jb\rc\nd\x07"), "a [2Jb c d ");
  EXPECT_EQ(TerminalLine(std::string("a\0b\x7f", 4)), "a b ");
  // CSI in one character, and a mark that turns the text around.
  EXPECT_EQ(TerminalLine("a\xc2\x9b"
                         "31mb"),
            "a 31mb");
  EXPECT_EQ(TerminalLine("a\xe2\x80\xae"
                         "b\xe2\x81\xa6"
                         "c"),
            "a b c");
  EXPECT_EQ(TerminalLine("\xff\xc2"), "\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(TerminalTextTest, LinesStayLinesWhereThereAreSeveral) {
  EXPECT_EQ(TerminalText("a\n\tb\x1b[0m\n"), "a\n\tb [0m\n");
}

TEST(TerminalTextTest, TablesAreMadeOfIt) {
  EXPECT_EQ(ToTable({{"a\x1b[31m", "b"}, {"\xc2\x9b", "c"}}),
            "a [31m  b\n        c\n");
}

}  // namespace
}  // namespace rekindle
