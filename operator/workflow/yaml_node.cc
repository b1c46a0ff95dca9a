#include "operator/workflow/yaml_node.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <utility>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "base/utf8.h"
#include "base/yaml_limits.h"
#include "operator/workflow/yaml_scalar.h"

namespace rekindle::argo {
namespace {

// What stops the parser; turned into a status where it is called.
struct YamlProblem : std::runtime_error {
  YamlProblem(SourcePosition where, const std::string& message)
      : std::runtime_error(message), position(std::move(where)) {}

  SourcePosition position;
};

// Builds nodes from the parser's events, of a text without excess.
class NodeBuilder : public YAML::EventHandler {
 public:
  explicit NodeBuilder(std::shared_ptr<const std::string> file)
      : file_(std::move(file)) {}

  std::vector<YamlNode> Take() { return std::move(documents_); }

  void OnDocumentStart(const YAML::Mark& /*mark*/) override {
    anchors_.clear();
    open_.clear();
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Finish(NodeAt(mark), anchor);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag,
                YAML::anchor_t anchor, const std::string& value) override {
    YamlNode node = NodeAt(mark);
    // The parser turns \N and \_ into single bytes, which no JSON can hold.
    if (!IsValidUtf8(value)) {
      throw YamlProblem{node.position,
                        "the value is not UTF-8; write \\N as \\u0085 and \\_ "
                        "as \\u00a0"};
    }
    // "?" is the tag of what is written without quotes.
    ResolveScalar(value, tag == "?" || tag.empty(), tag, &node);
    Finish(std::move(node), anchor);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& /*tag*/,
                       YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    Open(YamlNode::Kind::kList, mark, anchor);
  }
  void OnSequenceEnd() override { Close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& /*tag*/,
                  YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    Open(YamlNode::Kind::kMap, mark, anchor);
  }
  void OnMapEnd() override {
    MergeInto(&open_.back());
    Close();
  }
  void OnAlias(const YAML::Mark& /*mark*/, YAML::anchor_t anchor) override {
    Finish(anchors_.at(anchor), 0);
  }

 private:
  struct OpenNode {
    YamlNode node;
    YAML::anchor_t anchor = 0;
    std::optional<YamlNode> key;       // of the value that comes next
    std::map<std::string, int> lines;  // of the names that it has
    std::vector<YamlNode> merged;      // values of <<
  };

  SourcePosition At(const YAML::Mark& mark) const {
    return {file_, mark.line + 1, mark.column + 1};
  }
  YamlNode NodeAt(const YAML::Mark& mark) const {
    YamlNode node;
    node.position = At(mark);
    return node;
  }

  void Open(YamlNode::Kind kind, const YAML::Mark& mark,
            YAML::anchor_t anchor) {
    OpenNode open;
    open.node = NodeAt(mark);
    open.node.kind = kind;
    open.anchor = anchor;
    open_.push_back(std::move(open));
  }

  void Close() {
    OpenNode closed = std::move(open_.back());
    open_.pop_back();
    Finish(std::move(closed.node), closed.anchor);
  }

  void Finish(YamlNode node, YAML::anchor_t anchor) {
    if (anchor != 0) anchors_[anchor] = node;
    if (open_.empty()) {
      if (!node.is_null()) documents_.push_back(std::move(node));
    } else if (open_.back().node.is_list()) {
      open_.back().node.items.push_back(std::move(node));
    } else {
      FinishInMap(&open_.back(), std::move(node));
    }
  }

  static void FinishInMap(OpenNode* open, YamlNode node) {
    if (!open->key.has_value()) {
      if (node.is_list() || node.is_map()) {
        throw YamlProblem{node.position, "a key must be a string"};
      }
      open->key = std::move(node);
      return;
    }
    YamlNode key = *std::exchange(open->key, std::nullopt);
    if (key.text == "<<" && key.kind == YamlNode::Kind::kString) {
      open->merged.push_back(std::move(node));
      return;
    }
    const auto [had, added] =
        open->lines.try_emplace(key.text, key.position.line);
    if (!added) {
      throw YamlProblem{
          key.position,
          absl::StrCat("the key '", key.text, "' is already there, in line ",
                       had->second)};
    }
    open->node.fields.push_back(
        {std::move(key.text), key.position, std::move(node)});
  }

  // Fields written in the map itself go before merged ones.
  static void MergeInto(OpenNode* open) {
    for (const YamlNode& merged : open->merged) {
      if (!merged.is_list()) Merge(merged, open);
      for (const YamlNode& map : merged.items) Merge(map, open);
    }
  }

  static void Merge(const YamlNode& map, OpenNode* open) {
    if (!map.is_map()) {
      throw YamlProblem{map.position, "'<<' merges maps only"};
    }
    for (const YamlField& field : map.fields) {
      if (open->lines.try_emplace(field.name, field.position.line).second) {
        open->node.fields.push_back(field);
      }
    }
  }

  const std::shared_ptr<const std::string> file_;
  std::map<YAML::anchor_t, YamlNode> anchors_;
  std::vector<OpenNode> open_;
  std::vector<YamlNode> documents_;
};

int FirstBadLine(absl::string_view text) {
  int line = 1;
  for (const absl::string_view one : absl::StrSplit(text, '\n')) {
    if (!IsValidUtf8(one)) break;
    ++line;
  }
  return line;
}

absl::Status ToStatus(const SourcePosition& position,
                      const std::string& message) {
  return absl::InvalidArgumentError(
      absl::StrCat(position.ToString(), ": ", message));
}

}  // namespace

const YamlNode* YamlNode::Find(absl::string_view name) const {
  for (const YamlField& field : fields) {
    if (field.name == name) return &field.value;
  }
  return nullptr;
}

std::string YamlNode::Describe() const {
  switch (kind) {
    case Kind::kNull:
      return "nothing";
    case Kind::kBool:
      return text;
    case Kind::kNumber:
      return absl::StrCat("the number ", text);
    case Kind::kString:
      return absl::StrCat("the string '", text, "'");
    case Kind::kList:
      return "a list";
    default:
      return "a map";
  }
}

absl::StatusOr<std::vector<YamlNode>> ParseYaml(const std::string& text,
                                                const std::string& file) {
  const auto name = std::make_shared<const std::string>(file);
  if (!IsValidUtf8(text)) {
    return ToStatus({name, FirstBadLine(text), 1}, "the text is not UTF-8");
  }
  if (const auto excess = FindYamlExcess(text); excess.has_value()) {
    return ToStatus({name, excess->line, excess->column}, excess->what);
  }
  NodeBuilder builder(name);
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YamlProblem& problem) {
    return ToStatus(problem.position, problem.what());
  } catch (const YAML::Exception& error) {
    return ToStatus({name, error.mark.line + 1, error.mark.column + 1},
                    absl::StrCat("not YAML: ", error.msg));
  }
  return builder.Take();
}

nlohmann::json ToJson(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::kNull:
      return nullptr;
    case YamlNode::Kind::kBool:
      return node.text == "true";
    case YamlNode::Kind::kNumber:
      return nlohmann::json::parse(node.text, nullptr, false);
    case YamlNode::Kind::kString:
      return node.text;
    case YamlNode::Kind::kList: {
      nlohmann::json list = nlohmann::json::array();
      for (const YamlNode& item : node.items) list.push_back(ToJson(item));
      return list;
    }
    default: {
      nlohmann::json map = nlohmann::json::object();
      for (const YamlField& field : node.fields) {
        map[field.name] = ToJson(field.value);
      }
      return map;
    }
  }
}

YamlNode FromJson(const nlohmann::json& json, const SourcePosition& position) {
  YamlNode node;
  node.position = position;
  if (json.is_boolean()) {
    node.kind = YamlNode::Kind::kBool;
    node.text = json.get<bool>() ? "true" : "false";
  } else if (json.is_number()) {
    node.kind = YamlNode::Kind::kNumber;
    node.text =
        json.is_number_float() ? NumberText(json.get<double>()) : json.dump();
  } else if (json.is_string()) {
    node.kind = YamlNode::Kind::kString;
    node.text = json.get<std::string>();
  } else if (json.is_array()) {
    node.kind = YamlNode::Kind::kList;
    for (const nlohmann::json& item : json) {
      node.items.push_back(FromJson(item, position));
    }
  } else if (json.is_object()) {
    node.kind = YamlNode::Kind::kMap;
    for (const auto& [name, value] : json.items()) {
      node.fields.push_back({name, position, FromJson(value, position)});
    }
  }
  return node;
}

}  // namespace rekindle::argo
