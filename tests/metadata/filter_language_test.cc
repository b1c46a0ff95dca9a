// Runs the examples of docs/filter-language.md.
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "metadata/query/filter_to_sql.h"
#include "tests/support/status_matchers.h"

namespace rekindle {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

struct Example {
  std::string kind;  // what follows "```filter-"
  std::string filter;
};

std::vector<Example> ReadExamples() {
  std::ifstream file(REKINDLE_FILTER_DOCUMENT);
  std::vector<Example> examples;
  std::string line;
  bool inside = false;
  while (std::getline(file, line)) {
    absl::string_view text = line;
    if (!inside && absl::ConsumePrefix(&text, "```filter-")) {
      inside = true;
      examples.push_back({std::string(text), ""});
    } else if (inside && line == "```") {
      inside = false;
    } else if (inside) {
      absl::StrAppend(&examples.back().filter, line, "\n");
    }
  }
  return examples;
}

FilterTarget TargetOf(const std::string& kind) {
  if (kind == "execution") return FilterTarget::kExecution;
  if (kind == "context") return FilterTarget::kContext;
  return FilterTarget::kArtifact;
}

TEST(FilterLanguageTest, EveryExampleOfTheDocumentIsWhatItSays) {
  const std::vector<Example> examples = ReadExamples();
  EXPECT_THAT(examples, SizeIs(14));
  for (const Example& example : examples) {
    const auto sql = FilterToSql(example.filter, TargetOf(example.kind));
    if (example.kind == "error") {
      EXPECT_THAT(sql, StatusIs(absl::StatusCode::kInvalidArgument,
                                HasSubstr("character 12")));
    } else {
      EXPECT_THAT(sql, IsOk()) << example.filter;
    }
  }
}

TEST(FilterLanguageTest, AFilterIsBoundNotPasted) {
  RK_ASSERT_OK_AND_ASSIGN(
      const SqlFilter sql,
      FilterToSql("name = 'secret' AND custom_properties.`secret`.int_value "
                  "> 31337",
                  FilterTarget::kArtifact));
  const std::string text = absl::StrCat(sql.joins.text(), sql.condition.text());
  EXPECT_THAT(text, ::testing::Not(HasSubstr("secret")));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("31337")));
}

}  // namespace
}  // namespace rekindle
