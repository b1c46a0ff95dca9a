#include "cli/metadata/lineage_graph.h"

#include <cstdint>
#include <cstdlib>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "base/file_util.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Everything that means something in DOT, in Mermaid or in what they print to.
const std::string kHostile =
    "a\"b\\ &lt; <b>|x|</b> #35; {r} [s] `m` ; -- -> %% é日😀\nend\t\x01\xFF";
// What is left of it to be seen: control characters are spaces, what is no
// UTF-8 the replacement character.
const std::string kSeen =
    "a\"b\\ &lt; <b>|x|</b> #35; {r} [s] `m` ; -- -> %% é日😀\nend  \uFFFD";

// examples -> Trainer -> model, with hostile texts in every place.
LineageView HostileView() {
  LineageView view;
  view.root = {LineageRoot::Kind::kArtifact, 2};
  for (const int64_t id : {1, 2}) {
    auto& artifact = view.artifacts[id];
    artifact.set_id(id);
    artifact.set_type("Type");
    artifact.set_uri(kHostile);
  }
  auto& execution = view.executions[4];
  execution.set_id(4);
  execution.set_type("Trainer");
  execution.set_last_known_state(ml_metadata::Execution::COMPLETE);
  for (const int64_t id : {1, 2}) {
    auto& event = view.events.emplace_back();
    event.set_artifact_id(id);
    event.set_execution_id(4);
    event.set_type(id == 1 ? ml_metadata::Event::INPUT
                           : ml_metadata::Event::OUTPUT);
    event.mutable_path()->add_steps()->set_key(kHostile);
  }
  return view;
}

// --- DOT
// ----------------------------------------------------------------------

// What Graphviz makes of the text, as SVG.
std::string RunDot(const std::string& text) {
  const TempDir dir;
  const std::string in = dir.Write("in.dot", text);
  const std::string command = absl::StrCat("dot -Tsvg ", in, " > ", dir / "svg",
                                           " 2> ", dir / "errors");
  EXPECT_EQ(std::system(command.c_str()), 0);  // NOLINT: a fixed command
  EXPECT_EQ(*ReadFile(dir / "errors"), "");
  return *ReadFile(dir / "svg");
}

// The texts of an SVG, one string per line that is drawn.
std::vector<std::string> TextsOf(const std::string& svg) {
  static const std::regex kText("<text[^>]*>([^<]*)</text>");
  std::vector<std::string> texts;
  for (std::sregex_iterator it(svg.begin(), svg.end(), kText), end; it != end;
       ++it) {
    texts.push_back(absl::StrReplaceAll(
        absl::StrReplaceAll((*it)[1].str(), {{"&#45;", "-"},
                                             {"&#39;", "'"},
                                             {"&#160;", " "},
                                             {"&lt;", "<"},
                                             {"&gt;", ">"},
                                             {"&quot;", "\""}}),
        {{"&amp;", "&"}}));
  }
  return texts;
}

TEST(LineageGraphTest, GraphvizDrawsWhateverTheStoreHolds) {
  const std::string svg = RunDot(LineageToDot(HostileView()));
  const std::vector<std::string> texts = TextsOf(svg);
  const std::vector<std::string> lines = absl::StrSplit(kSeen, '\n');
  EXPECT_THAT(texts, ::testing::Contains(lines[0]).Times(4));
  EXPECT_THAT(texts, ::testing::Contains(lines[1]).Times(4));
  EXPECT_THAT(texts, ::testing::Contains("Type 1"));
  EXPECT_THAT(texts, ::testing::Contains("execution 4 COMPLETE"));
}

TEST(LineageGraphTest, DotEdgesPointFromWhatWasReadToWhatWasMade) {
  const std::string svg = RunDot(LineageToDot(HostileView()));
  EXPECT_THAT(svg, HasSubstr("<title>a1&#45;&gt;e4</title>"));
  EXPECT_THAT(svg, HasSubstr("<title>e4&#45;&gt;a2</title>"));
}

// --- Mermaid
// --------------------------------------------------------------------

// As much of Mermaid's flowcharts as we write.
struct Flowchart {
  std::map<std::string, std::string> labels;
  std::vector<std::pair<std::string, std::string>> edges;  // from->to, label
};

// What Mermaid shows for a quoted label.
std::string Unquote(const std::string& quoted) {
  static const std::regex kCode("#([0-9]+);");
  std::string text = absl::StrReplaceAll(quoted, {{"<br/>", "\n"}});
  std::string seen;
  std::sregex_iterator it(text.begin(), text.end(), kCode);
  size_t at = 0;
  for (const std::sregex_iterator end; it != end; ++it) {
    seen += text.substr(at, static_cast<size_t>(it->position()) - at);
    seen += static_cast<char>(std::stoi((*it)[1].str()));
    at = static_cast<size_t>(it->position() + it->length());
  }
  return seen + text.substr(at);
}

Flowchart ParseMermaid(const std::string& text) {
  // Inside quotes: nothing that ends them, and no tag but the line's end.
  const std::string label = "\"((?:[^\"<>]|<br/>)*)\"";
  const std::regex box(absl::StrCat("  (a[0-9]+)\\[", label, "\\]"));
  const std::regex rounded(absl::StrCat("  (e[0-9]+)\\(\\[", label, "\\]\\)"));
  const std::regex edge(
      absl::StrCat("  ([ae][0-9]+) -->(?:\\|", label, "\\|)? ([ae][0-9]+)"));
  Flowchart chart;
  const std::vector<std::string> lines = absl::StrSplit(text, '\n');
  EXPECT_EQ(lines.front(), "flowchart LR");
  EXPECT_EQ(lines.back(), "");
  for (size_t i = 1; i + 1 < lines.size(); ++i) {
    std::smatch match;
    if (std::regex_match(lines[i], match, box) ||
        std::regex_match(lines[i], match, rounded)) {
      chart.labels[match[1]] = Unquote(match[2]);
    } else if (std::regex_match(lines[i], match, edge)) {
      chart.edges.emplace_back(
          absl::StrCat(match[1].str(), "->", match[3].str()),
          Unquote(match[2]));
    } else {
      ADD_FAILURE() << "not a line of a flowchart: " << lines[i];
    }
  }
  return chart;
}

TEST(LineageGraphTest, MermaidReadsBackWhatTheStoreHolds) {
  const Flowchart chart = ParseMermaid(LineageToMermaid(HostileView()));
  EXPECT_EQ(chart.labels.at("a1"), absl::StrCat("Type 1\n", kSeen));
  EXPECT_EQ(chart.labels.at("e4"), "Trainer\nexecution 4 COMPLETE");
  EXPECT_THAT(chart.edges, ElementsAre(std::pair("a1->e4", kSeen),
                                       std::pair("e4->a2", kSeen)));
}

TEST(LineageGraphTest, AnEventWithoutAKeyIsAnEdgeWithoutALabel) {
  LineageView view = HostileView();
  for (auto& event : view.events) event.clear_path();
  EXPECT_THAT(LineageToMermaid(view), HasSubstr("  a1 --> e4\n"));
}

TEST(LineageGraphTest, EventsToNodesBeyondTheLastHopAreLeftOut) {
  LineageView view = HostileView();
  view.artifacts.erase(1);
  EXPECT_THAT(LineageToDot(view), ::testing::Not(HasSubstr("a1")));
  EXPECT_THAT(LineageToMermaid(view), ::testing::Not(HasSubstr("a1")));
}

}  // namespace
}  // namespace rekindle
