#include "operator/workflow/templating.h"

#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "base/utf8.h"
#include "operator/expression/expression.h"
#include "operator/workflow/workflow_loader.h"

namespace rekindle::argo {
namespace {

constexpr absl::string_view kOpen = "{{";
constexpr absl::string_view kClose = "}}";

// Names whose value comes late: an expression that uses one waits for it even
// if it could do without.
constexpr absl::string_view kLateNames[] = {"item",
                                            "retries",
                                            "lastRetry.exitCode",
                                            "lastRetry.status",
                                            "lastRetry.duration",
                                            "lastRetry.message",
                                            "workflow.status",
                                            "workflow.failures"};

std::string Tagged(absl::string_view tag) {
  return absl::StrCat(kOpen, tag, kClose);
}

// Argo puts values into JSON by Go's quoting, which writes some characters in a
// way JSON does not know; such a value fails there, and so it does here.
absl::Status CheckCarriable(absl::string_view tag, const std::string& value) {
  bool bad = !IsValidUtf8(value);
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    bad |= (byte < 0x20 && absl::string_view("\b\f\n\r\t").find(c) ==
                               absl::string_view::npos) ||
           byte == 0x7F;
  }
  if (!bad) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the value of ", Tagged(tag),
                   " has a character that a workflow cannot carry"));
}

bool IsBelow(absl::string_view name, const std::string& prefix) {
  return absl::StartsWith(name, prefix) &&
         (name.size() == prefix.size() || name[prefix.size()] == '.');
}

class Substitution {
 public:
  Substitution(const Scope& scope, const Unresolved& unresolved)
      : scope_(scope), unresolved_(unresolved) {}

  absl::StatusOr<std::string> Run(absl::string_view text) {
    std::string result;
    while (true) {
      const size_t open = text.find(kOpen);
      const size_t close = open == absl::string_view::npos
                               ? open
                               : text.find(kClose, open + kOpen.size());
      if (close == absl::string_view::npos) break;
      const absl::string_view tag =
          text.substr(open + kOpen.size(), close - open - kOpen.size());
      RK_ASSIGN_OR_RETURN(const std::string value, Replace(tag));
      absl::StrAppend(&result, text.substr(0, open), value);
      text.remove_prefix(close + kClose.size());
    }
    return absl::StrCat(result, text);
  }

 private:
  absl::StatusOr<std::string> Replace(absl::string_view tag) {
    return absl::StartsWith(tag, "=") ? Evaluate(tag.substr(1)) : Look(tag);
  }

  bool IsRefused(absl::string_view name) const {
    if (unresolved_.refuse_all) return true;
    for (const std::string& prefix : unresolved_.refused_prefixes) {
      if (IsBelow(name, prefix)) return true;
    }
    return false;
  }

  absl::StatusOr<std::string> TextOf(absl::string_view tag,
                                     const Value& value) const {
    if (value.is_nil()) {
      return absl::InvalidArgumentError(
          absl::StrCat(Tagged(tag),
                       " has no value: the node that makes it was skipped, and "
                       "there is no default"));
    }
    if (value.as_string() == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat(Tagged(tag), " is no string but ", value.kind()));
    }
    RK_RETURN_IF_ERROR(CheckCarriable(tag, *value.as_string()));
    return *value.as_string();
  }

  absl::StatusOr<std::string> Look(absl::string_view tag) const {
    const std::string name(absl::StripAsciiWhitespace(tag));
    if (const auto found = scope_.find(name); found != scope_.end()) {
      return TextOf(tag, found->second);
    }
    // {{outer.{{inner}}}}: the tag that ends first is "outer.{{inner".
    if (const size_t at = tag.rfind(kOpen);
        at != absl::string_view::npos && at > 0) {
      const auto found = scope_.find(std::string(tag.substr(at + 2)));
      if (found != scope_.end()) {
        RK_ASSIGN_OR_RETURN(const std::string value,
                            TextOf(tag.substr(at + 2), found->second));
        return absl::StrCat(kOpen, tag.substr(0, at), value);
      }
    }
    const bool artifact = !unresolved_.refuse_all &&
                          absl::StrContains(name, ".outputs.artifacts.");
    if (IsRefused(name) && !artifact) {
      return absl::InvalidArgumentError(
          absl::StrCat(Tagged(tag), " stands for nothing here"));
    }
    return Tagged(tag);
  }

  bool Has(const std::string& path) {
    if (scope_.contains(path)) return true;
    const Value::Map* map = &Variables();
    absl::string_view rest = path;
    while (map != nullptr) {
      const size_t dot = rest.find('.');
      const auto found = map->find(std::string(rest.substr(0, dot)));
      if (found == map->end()) return false;
      if (dot == absl::string_view::npos) return true;
      map = found->second.as_map();
      rest.remove_prefix(dot + 1);
    }
    return false;
  }

  const Value::Map& Variables() {
    if (!variables_.has_value()) variables_ = ToVariables(scope_);
    return *variables_;
  }

  absl::StatusOr<std::string> Evaluate(absl::string_view text) {
    std::string kept = absl::StrCat(kOpen, "=", text, kClose);
    const auto failed = [&](const absl::Status& status) {
      return absl::InvalidArgumentError(
          absl::StrCat(kept, ": ", status.message()));
    };
    const absl::StatusOr<Expression> expression = Expression::Parse(text);
    if (!expression.ok()) return failed(expression.status());
    bool may_stay =
        !unresolved_.refuse_all && unresolved_.refused_prefixes.empty();
    bool late = false;
    for (const std::string& name : expression->RequiredNames()) {
      if (Has(name)) continue;
      if (IsRefused(name)) {
        return failed(absl::InvalidArgumentError(
            absl::StrCat("'", name, "' stands for nothing here")));
      }
      may_stay = true;
      for (const absl::string_view known : kLateNames) late |= name == known;
    }
    if (late) return kept;
    const absl::StatusOr<Value> value = expression->Evaluate(Variables());
    if (!value.ok()) {
      return may_stay ? absl::StatusOr<std::string>(kept)
                      : failed(value.status());
    }
    if (value->is_nil()) {
      return may_stay ? absl::StatusOr<std::string>(kept)
                      : failed(absl::InvalidArgumentError("it gives nothing"));
    }
    if (value->as_string() != nullptr) return *value->as_string();
    if (value->as_time() != nullptr) {
      RK_ASSIGN_OR_RETURN(const std::string quoted, ToJsonText(*value));
      return quoted.substr(1, quoted.size() - 2);
    }
    const absl::StatusOr<std::string> json = ToJsonText(*value);
    return json.ok() ? json : failed(json.status());
  }

  const Scope& scope_;
  const Unresolved& unresolved_;
  std::optional<Value::Map> variables_;
};

absl::Status SubstituteBelow(YamlNode* node, Substitution* substitution) {
  if (node->kind == YamlNode::Kind::kString) {
    absl::StatusOr<std::string> text = substitution->Run(node->text);
    if (!text.ok()) {
      return absl::InvalidArgumentError(absl::StrCat(
          node->position.ToString(), ": ", text.status().message()));
    }
    node->text = *std::move(text);
  }
  for (YamlNode& item : node->items) {
    RK_RETURN_IF_ERROR(SubstituteBelow(&item, substitution));
  }
  for (YamlField& field : node->fields) {
    RK_ASSIGN_OR_RETURN(field.name, substitution->Run(field.name));
    RK_RETURN_IF_ERROR(SubstituteBelow(&field.value, substitution));
  }
  return absl::OkStatus();
}

// Puts `value` at a dotted path, as maps in maps.
struct Tree {
  Value value;
  std::map<std::string, Tree> children;

  Value ToValue() const {
    if (children.empty()) return value;
    Value::Map map;
    for (const auto& [name, child] : children) map[name] = child.ToValue();
    return Value(std::move(map));
  }
};

}  // namespace

absl::StatusOr<std::string> Substitute(absl::string_view text,
                                       const Scope& scope,
                                       const Unresolved& unresolved) {
  return Substitution(scope, unresolved).Run(text);
}

absl::StatusOr<YamlNode> Substitute(const YamlNode& node, const Scope& scope,
                                    const Unresolved& unresolved) {
  YamlNode result = node;
  Substitution substitution(scope, unresolved);
  RK_RETURN_IF_ERROR(SubstituteBelow(&result, &substitution));
  return result;
}

absl::StatusOr<Template> Render(const Template& source, const Scope& scope,
                                const Unresolved& unresolved) {
  RK_ASSIGN_OR_RETURN(YamlNode node,
                      Substitute(*source.source, scope, unresolved));
  return DecodeTemplate(std::move(node));
}

absl::StatusOr<Step> Render(const Step& source, const Scope& scope,
                            const Unresolved& unresolved) {
  RK_ASSIGN_OR_RETURN(YamlNode node,
                      Substitute(*source.source, scope, unresolved));
  return DecodeStep(std::move(node));
}

std::vector<std::string> FindTags(absl::string_view text) {
  std::vector<std::string> tags;
  while (true) {
    const size_t open = text.find(kOpen);
    if (open == absl::string_view::npos) return tags;
    const size_t close = text.find(kClose, open + kOpen.size());
    if (close == absl::string_view::npos) return tags;
    tags.emplace_back(
        text.substr(open + kOpen.size(), close - open - kOpen.size()));
    text.remove_prefix(close + kClose.size());
  }
}

Value::Map ToVariables(const Scope& scope) {
  Tree root;
  for (const auto& [name, value] : scope) {
    Tree* at = &root;
    absl::string_view rest = name;
    while (true) {
      const size_t dot = rest.find('.');
      at = &at->children[std::string(rest.substr(0, dot))];
      if (dot == absl::string_view::npos) break;
      rest.remove_prefix(dot + 1);
    }
    at->value = value;
  }
  Value::Map variables;
  for (const auto& [name, child] : root.children) {
    variables[name] = child.ToValue();
  }
  return variables;
}

}  // namespace rekindle::argo
