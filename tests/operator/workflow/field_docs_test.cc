// docs/local-runner-fields.md says what the table of fields says. With
// REKINDLE_UPDATE_DOCS=1 the test writes the tables instead.
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "operator/workflow/field_table.h"

namespace rekindle::argo {
namespace {

constexpr char kPage[] = REKINDLE_SOURCE_DIR "/docs/local-runner-fields.md";
constexpr char kMarker[] = "<!-- fields -->\n";

std::string Read(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(FieldDocsTest, ThePageIsTheTable) {
  const std::string page = Read(kPage);
  const size_t at = page.find(kMarker);
  ASSERT_NE(at, std::string::npos) << kPage;
  const std::string wanted = absl::StrCat(
      page.substr(0, at + sizeof(kMarker) - 1), FieldTableMarkdown());
  if (std::getenv("REKINDLE_UPDATE_DOCS") != nullptr) {
    std::ofstream(kPage) << wanted;
  }
  EXPECT_TRUE(Read(kPage) == wanted)
      << "run this test with REKINDLE_UPDATE_DOCS=1 to write the page";
}

TEST(FieldTableTest, EveryTypeItNamesIsThere) {
  std::set<std::string> owners;
  for (const FieldRule& rule : FieldTable()) owners.insert(rule.owner);
  for (const FieldRule& rule : FieldTable()) {
    std::string type = rule.type;
    while (type[0] == '[' || type[0] == '{') {
      type = type.substr(1, type.size() - 2);
    }
    if (type[0] >= 'A' && type[0] <= 'Z') {
      EXPECT_TRUE(owners.contains(type)) << rule.owner << "." << rule.name;
    }
  }
}

TEST(FieldTableTest, WhatIsNotSupportedSaysWhy) {
  for (const FieldRule& rule : FieldTable()) {
    if (rule.support != Support::kSupported) {
      EXPECT_NE(std::string(rule.note), "") << rule.owner << "." << rule.name;
    }
  }
}

}  // namespace
}  // namespace rekindle::argo
