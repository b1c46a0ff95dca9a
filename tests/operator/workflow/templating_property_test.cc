// Random texts, names and values: what holds for all of them.
#include <random>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "operator/workflow/templating.h"

namespace rekindle::argo {
namespace {

class RandomText {
 public:
  explicit RandomText(unsigned seed) : random_(seed) {}

  int Number(int below) {
    return static_cast<int>(random_() % static_cast<unsigned>(below));
  }

  std::string Name() {
    return absl::StrCat("inputs.parameters.p", Number(1000));
  }

  // Text of what breaks naive substitution: quotes, braces, escapes, newlines,
  // letters of two to four bytes.
  std::string Text(int most) {
    static const char* const kParts[] = {
        "a",      "Z",      "7",          " ",   "\"", "'", "\\",
        "\n",     "\t",     "{",          "}",   "$",  "%", "\\n",
        "\u00e9", "\u20ac", "\U0001F427", "<b>", "&",  "=", "\\u0041"};
    std::string text;
    for (int i = Number(most); i > 0; --i) {
      text += kParts[Number(std::size(kParts))];
    }
    return text;
  }

 private:
  std::mt19937 random_;
};

class TemplatingPropertyTest : public ::testing::Test {
 protected:
  const unsigned seed_ = std::random_device{}();
  RandomText random_{seed_};
};

TEST_F(TemplatingPropertyTest, AnyTextArrivesAsItWasGiven) {
  for (int i = 0; i < 2000; ++i) {
    const std::string name = random_.Name();
    const std::string value = random_.Text(20);
    const Scope scope = {{name, Value(value)}};
    for (const std::string& tag :
         {absl::StrCat("{{", name, "}}"), absl::StrCat("{{ ", name, " }}"),
          absl::StrCat("{{=", name, "}}"),
          absl::StrCat("{{=fromJSON(toJson(", name, "))}}")}) {
      EXPECT_EQ(
          *Substitute(absl::StrCat("<", tag, ">"), scope, Unresolved::Refuse()),
          absl::StrCat("<", value, ">"))
          << "seed " << seed_;
    }
  }
}

TEST_F(TemplatingPropertyTest, TextWithoutTagsStaysAsItIs) {
  for (int i = 0; i < 2000; ++i) {
    const std::string text =
        absl::StrReplaceAll(random_.Text(40), {{"{", "["}});
    EXPECT_EQ(*Substitute(text, {}, Unresolved::Refuse()), text)
        << "seed " << seed_;
  }
}

TEST_F(TemplatingPropertyTest, UnknownTagsSurviveAPassUnchanged) {
  for (int i = 0; i < 2000; ++i) {
    const std::string text =
        absl::StrCat(random_.Text(9), "{{", random_.Name(), "}}",
                     random_.Text(9), "{{=", random_.Name(), "}}");
    // A brace before a tag makes another tag of it.
    if (absl::StrContains(text, "{{{") || absl::StrContains(text, "}}}")) {
      continue;
    }
    const auto once = Substitute(text, {}, Unresolved::Keep());
    if (once.ok()) {
      EXPECT_EQ(*once, text) << "seed " << seed_;
    }
  }
}

TEST_F(TemplatingPropertyTest, NestingOfAnyDepthEndsInTheValue) {
  for (int i = 0; i < 200; ++i) {
    const int depth = 1 + random_.Number(6);
    const std::string value =
        absl::StrReplaceAll(random_.Text(10), {{"}", "]"}});
    Scope scope = {{"v0", Value("x0")}};
    std::string text = "{{v0}}";
    for (int level = 1; level <= depth; ++level) {
      const std::string inner = absl::StrCat("x", level - 1);
      scope[absl::StrCat("l", level, ".", inner)] =
          Value(level == depth ? value : absl::StrCat("x", level));
      text = absl::StrCat("{{l", level, ".", text, "}}");
    }
    for (int pass = 0; pass <= depth; ++pass) {
      const auto next = Substitute(text, scope, Unresolved::Keep());
      ASSERT_TRUE(next.ok()) << "seed " << seed_ << ": " << next.status();
      text = *next;
    }
    EXPECT_EQ(text, value) << "seed " << seed_;
  }
}

}  // namespace
}  // namespace rekindle::argo
