#include "base/yaml_limits.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

namespace rekindle {
namespace {

// What stops the parser.
struct Stop : std::exception {
  explicit Stop(YamlExcess found) : excess(std::move(found)) {}

  YamlExcess excess;
};

// What a value is once its aliases are written out.
struct Size {
  size_t nodes = 1;
  size_t bytes = 0;
  size_t height = 1;
};

// Counts what the parser tells of.
class Meter : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark& mark) override {
    // Before a comma that is in no list the parser finds empty documents
    // without end.
    if (mark.pos == document_at_) Fail(mark, "a value cannot begin here");
    document_at_ = mark.pos;
    anchors_.clear();
    open_.clear();
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Finish(mark, Size(), anchor);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& /*tag*/,
                YAML::anchor_t anchor, const std::string& value) override {
    Finish(mark, {1, value.size(), 1}, anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) {
      Fail(mark, "an alias inside what it stands for");
    }
    Finish(mark, found->second, 0);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& /*tag*/,
                       YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    Open(mark, anchor);
  }
  void OnSequenceEnd() override { Close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& /*tag*/,
                  YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    Open(mark, anchor);
  }
  void OnMapEnd() override { Close(); }

 private:
  struct OpenNode {
    YAML::Mark mark;
    YAML::anchor_t anchor = 0;
    Size size;
  };

  [[noreturn]] static void Fail(const YAML::Mark& mark,
                                const std::string& what) {
    throw Stop({mark.line + 1, mark.column + 1, what});
  }

  void Open(const YAML::Mark& mark, YAML::anchor_t anchor) {
    CheckDepth(mark, 1);
    open_.push_back({mark, anchor, Size()});
    Count(mark, Size());
  }

  void Close() {
    const OpenNode closed = open_.back();
    open_.pop_back();
    Keep(closed.mark, closed.size, closed.anchor);
  }

  void Finish(const YAML::Mark& mark, const Size& size, YAML::anchor_t anchor) {
    CheckDepth(mark, size.height);
    Count(mark, size);
    Keep(mark, size, anchor);
  }

  // Adds a whole value to the one that it is in.
  void Keep(const YAML::Mark& mark, const Size& size, YAML::anchor_t anchor) {
    if (anchor != 0) {
      Count(mark, size);
      anchors_[anchor] = size;
    }
    if (open_.empty()) return;
    Size& outer = open_.back().size;
    outer.nodes += size.nodes;
    outer.bytes += size.bytes;
    outer.height = std::max(outer.height, size.height + 1);
  }

  void Count(const YAML::Mark& mark, const Size& size) {
    nodes_ += size.nodes;
    bytes_ += size.bytes;
    if (nodes_ > kMostYamlNodes || bytes_ > kMostYamlTextBytes) {
      Fail(mark,
           "the document is too large once its aliases are expanded: over " +
               std::to_string(kMostYamlNodes) + " values, or " +
               std::to_string(kMostYamlTextBytes) + " bytes of text");
    }
  }

  void CheckDepth(const YAML::Mark& mark, size_t height) const {
    if (open_.size() + height <= kDeepestYaml) return;
    Fail(mark,
         "values are nested over " + std::to_string(kDeepestYaml) + " deep");
  }

  int document_at_ = -1;
  std::map<YAML::anchor_t, Size> anchors_;
  std::vector<OpenNode> open_;
  size_t nodes_ = 0;
  size_t bytes_ = 0;
};

bool BeginsDocument(const std::string& text, size_t at) {
  return (at == 0 || text[at - 1] == '\n') && text.compare(at, 3, "---") == 0;
}

// Before the parser sees the text: it would hold all of a list in memory to
// find out whether the list is a key.
std::optional<YamlExcess> FindLongList(const std::string& text) {
  size_t flow = 0;
  int line = 1;
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\n') ++line;
    if (c == '-' && BeginsDocument(text, at)) flow = 0;
    if (c != '[' && c != ']' && c != '{' && c != '}' && c != ',') continue;
    if (++flow <= kMostYamlFlow) continue;
    return YamlExcess{line, 1,
                      "the document has over " + std::to_string(kMostYamlFlow) +
                          " of the characters [ ] { } and comma; write its "
                          "lists with one item on a line"};
  }
  return std::nullopt;
}

}  // namespace

std::optional<YamlExcess> FindYamlExcess(const std::string& text) {
  if (text.size() > kMostYamlBytes) {
    return YamlExcess{1, 1,
                      "the text has " + std::to_string(text.size()) +
                          " bytes, over " + std::to_string(kMostYamlBytes)};
  }
  // From where it stands the parser guesses that the text is UTF-16 or UTF-32,
  // and reads something else.
  if (const size_t at = text.find('\0'); at != std::string::npos) {
    const auto lines = std::count(
        text.begin(), text.begin() + static_cast<ptrdiff_t>(at), '\n');
    return YamlExcess{static_cast<int>(lines) + 1, 1,
                      "the text has a NUL byte; write it as UTF-8"};
  }
  if (auto found = FindLongList(text); found.has_value()) return found;
  Meter meter;
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(meter)) {
    }
  } catch (const Stop& stop) {
    return stop.excess;
  } catch (const YAML::Exception&) {
    return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace rekindle
