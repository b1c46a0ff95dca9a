#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/nearest_name.h"
#include "operator/workflow/field_table.h"

namespace rekindle::argo {
namespace {

using Key = std::pair<absl::string_view, absl::string_view>;

const std::map<Key, const FieldRule*>& Index() {
  static const auto* const kIndex = [] {
    auto* index = new std::map<Key, const FieldRule*>;
    for (const FieldRule& rule : FieldTable()) {
      (*index)[{rule.owner, rule.name}] = &rule;
    }
    return index;
  }();
  return *kIndex;
}

bool IsTypeName(absl::string_view type) {
  return !type.empty() && absl::ascii_isupper(type[0]);
}

// "[T]" or "{T}" to "T".
std::string Inner(const std::string& type) {
  return type.substr(1, type.size() - 2);
}

std::string Join(const std::string& path, const std::string& name) {
  return path.empty() ? name : absl::StrCat(path, ".", name);
}

const char* Expected(const std::string& type) {
  if (type[0] == '[') return "a list";
  if (type[0] == '{' || IsTypeName(type)) return "a map";
  if (type == "int") return "a whole number";
  if (type == "bool") return "true or false";
  if (type == "intOrString") return "a whole number or a string";
  return "a string";
}

bool IsWhole(const YamlNode& node) {
  return node.kind == YamlNode::Kind::kNumber &&
         node.text.find_first_of(".eEnN") == std::string::npos;
}

bool Fits(const YamlNode& node, const std::string& type) {
  if (node.is_null() || type == "any") return true;
  if (type[0] == '[') return node.is_list();
  if (type[0] == '{' || IsTypeName(type)) return node.is_map();
  if (type == "int") return IsWhole(node);
  if (type == "bool") return node.kind == YamlNode::Kind::kBool;
  if (type == "intOrString") {
    return IsWhole(node) || node.kind == YamlNode::Kind::kString;
  }
  if (type == "anyString") return node.is_scalar();
  return node.kind == YamlNode::Kind::kString;
}

Finding Problem(const SourcePosition& position, const std::string& field,
                std::string message) {
  return {Finding::Severity::kError, position, "", field, std::move(message)};
}

Finding WrongType(const YamlNode& node, const std::string& type,
                  const std::string& path) {
  const bool quotes = type == "string" && node.is_scalar();
  Finding finding = Problem(
      node.position, path,
      absl::StrCat("'", path, "' must be ", Expected(type), ", not ",
                   node.Describe(), quotes ? "; put quotes around it" : ""));
  // Argo reads no value at all there, without a word.
  if (type == "anyString") {
    finding.severity = Finding::Severity::kWarning;
    finding.message = absl::StrCat("'", path, "' is empty to Argo, as it is ",
                                   node.Describe(), "; put quotes around it");
  }
  return finding;
}

Finding UnknownField(const YamlField& field, const std::string& owner,
                     const std::string& path) {
  std::vector<std::string> names;
  for (const FieldRule& rule : FieldTable()) {
    if (owner == rule.owner) names.emplace_back(rule.name);
  }
  const std::optional<std::string> nearest = NearestName(field.name, names);
  return Problem(
      field.position, Join(path, field.name),
      absl::StrCat("Argo has no field '", Join(path, field.name), "'",
                   nearest.has_value()
                       ? absl::StrCat("; did you mean '", *nearest, "'?")
                       : ""));
}

// Calls `visit(child, type, path)` for every value below a list, map or type.
template <typename Visit>
void ForEachChild(const YamlNode& node, const std::string& type,
                  const std::string& path, Visit visit) {
  if (type[0] == '[') {
    for (size_t i = 0; i < node.items.size(); ++i) {
      visit(node.items[i], Inner(type), absl::StrCat(path, "[", i, "]"));
    }
  } else if (type[0] == '{') {
    for (const YamlField& field : node.fields) {
      visit(field.value, Inner(type), Join(path, field.name));
    }
  } else if (IsTypeName(type)) {
    for (const YamlField& field : node.fields) {
      if (const FieldRule* rule = FindField(type, field.name)) {
        visit(field.value, rule->type, Join(path, field.name));
      }
    }
  }
}

const char* SupportWord(Support support) {
  switch (support) {
    case Support::kSupported:
      return "yes";
    case Support::kNoMeaning:
      return "no meaning";
    default:
      return "**refused**";
  }
}

}  // namespace

const FieldRule* FindField(absl::string_view owner, absl::string_view name) {
  const auto found = Index().find({owner, name});
  return found == Index().end() ? nullptr : found->second;
}

void CheckType(const YamlNode& node, const std::string& type,
               const std::string& path, Findings* findings) {
  if (!Fits(node, type)) {
    findings->push_back(WrongType(node, type, path));
    return;
  }
  if (IsTypeName(type)) {
    for (const YamlField& field : node.fields) {
      if (FindField(type, field.name) == nullptr) {
        findings->push_back(UnknownField(field, type, path));
      }
    }
  }
  ForEachChild(node, type, path,
               [&](const YamlNode& child, const std::string& child_type,
                   const std::string& child_path) {
                 CheckType(child, child_type, child_path, findings);
               });
}

void CheckSupport(const YamlNode& node, const std::string& type,
                  const std::string& path, Findings* findings) {
  std::set<std::string> refused;
  if (IsTypeName(type)) {
    for (const YamlField& field : node.fields) {
      const FieldRule* rule = FindField(type, field.name);
      if (rule == nullptr || rule->support != Support::kRefused) continue;
      const std::string name = Join(path, field.name);
      refused.insert(name);
      findings->push_back(
          Problem(field.position, name,
                  absl::StrCat("'rekindle run' does not support '", name,
                               "': ", rule->note)));
    }
  }
  ForEachChild(node, type, path,
               [&](const YamlNode& child, const std::string& child_type,
                   const std::string& child_path) {
                 if (refused.contains(child_path)) return;
                 CheckSupport(child, child_type, child_path, findings);
               });
}

std::string FieldTableMarkdown() {
  std::string text;
  std::string owner;
  for (const FieldRule& rule : FieldTable()) {
    if (owner != rule.owner) {
      owner = rule.owner;
      absl::StrAppend(&text, "\n### ", owner,
                      "\n\n| field | type | `rekindle run` | |\n"
                      "|---|---|---|---|\n");
    }
    absl::StrAppend(&text, "| `", rule.name, "` | ", rule.type, " | ",
                    SupportWord(rule.support), " | ", rule.note, " |\n");
  }
  return text;
}

}  // namespace rekindle::argo
