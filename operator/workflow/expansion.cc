#include "operator/workflow/expansion.h"

#include <algorithm>
#include <cstdio>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/json_depth.h"
#include "base/status_macros.h"
#include "operator/workflow/decode.h"

namespace rekindle::argo {
namespace {

// A sequence longer than this is a mistake.
constexpr int64_t kMostItems = 100'000;

// As Go prints an item with %v: JSON for maps and lists inside others.
std::string ItemText(const YamlNode& node) {
  return node.is_list() || node.is_map() ? ToJson(node).dump()
                                         : AnyString(&node).value_or("null");
}

ExpandedStep ExpandItem(const Step& step, size_t index, const YamlNode& item) {
  ExpandedStep expanded;
  expanded.value = item;
  expanded.item["item"] = Value(ItemText(item));
  std::string label = ItemText(item);
  if (item.is_map()) {
    std::vector<std::string> parts;
    for (const YamlField& field : item.fields) {
      expanded.item[absl::StrCat("item.", field.name)] =
          Value(ItemText(field.value));
      parts.push_back(absl::StrCat(field.name, ":", ItemText(field.value)));
    }
    std::sort(parts.begin(), parts.end());
    label = absl::StrJoin(parts, ",");
  }
  expanded.name = absl::StrCat(step.name, "(", index, ":", label, ")");
  return expanded;
}

absl::StatusOr<std::vector<YamlNode>> ParamItems(const Step& step) {
  if (JsonIsTooDeep(step.with_param)) {
    return absl::InvalidArgumentError(
        absl::StrCat(step.position.ToString(), ": withParam of '", step.name,
                     "' is nested over ", kDeepestJson, " deep"));
  }
  const nlohmann::json json =
      nlohmann::json::parse(step.with_param, nullptr, false);
  if (!json.is_array()) {
    return absl::InvalidArgumentError(
        absl::StrCat(step.position.ToString(), ": withParam of '", step.name,
                     "' must be a JSON list, not '", step.with_param, "'"));
  }
  return FromJson(json, step.position).items;
}

absl::StatusOr<int64_t> Bound(const std::optional<IntOrString>& bound,
                              const char* name) {
  int64_t number = 0;
  if (bound.has_value() && !absl::SimpleAtoi(bound->text, &number)) {
    return absl::InvalidArgumentError(absl::StrCat(
        bound->position.ToString(), ": ", name,
        " of withSequence must be a whole number, not '", bound->text, "'"));
  }
  return number;
}

// Only one %d, with flags and width, as in "host%02X": what printf may be
// given.
bool IsSafeFormat(const std::string& format) {
  const size_t percent = format.find('%');
  if (percent == std::string::npos) return true;
  const size_t end = format.find_first_not_of("0123456789-+ #", percent + 1);
  return end != std::string::npos &&
         absl::string_view("dxXo").find(format[end]) !=
             absl::string_view::npos &&
         format.find('%', percent + 1) == std::string::npos &&
         end - percent < 6;
}

absl::StatusOr<std::string> FormatItem(const Sequence& sequence,
                                       int64_t number) {
  if (sequence.format.empty()) return absl::StrCat(number);
  if (!IsSafeFormat(sequence.format)) {
    return absl::InvalidArgumentError(absl::StrCat(
        sequence.position.ToString(), ": the format '", sequence.format,
        "' of withSequence must have one number as in host%03d"));
  }
  const size_t percent = sequence.format.find('%');
  if (percent == std::string::npos) return sequence.format;
  const size_t letter = sequence.format.find_first_of("dxXo", percent);
  const std::string directive =
      absl::StrCat(sequence.format.substr(percent, letter - percent), "ll",
                   sequence.format.substr(letter, 1));
  char buffer[128];
  // NOLINTNEXTLINE(clang-diagnostic-format-nonliteral): checked above.
  std::snprintf(buffer, sizeof(buffer), directive.c_str(),
                static_cast<long long>(number));
  return absl::StrCat(sequence.format.substr(0, percent), buffer,
                      sequence.format.substr(letter + 1));
}

absl::Status TooMany(const Sequence& sequence) {
  return absl::InvalidArgumentError(absl::StrCat(sequence.position.ToString(),
                                                 ": withSequence has over ",
                                                 kMostItems, " items"));
}

absl::StatusOr<std::vector<YamlNode>> SequenceItems(const Sequence& sequence) {
  RK_ASSIGN_OR_RETURN(const int64_t start, Bound(sequence.start, "start"));
  RK_ASSIGN_OR_RETURN(const int64_t count, Bound(sequence.count, "count"));
  RK_ASSIGN_OR_RETURN(int64_t end, Bound(sequence.end, "end"));
  if (!sequence.end.has_value()) {
    if (!sequence.count.has_value()) {
      return absl::InvalidArgumentError(
          absl::StrCat(sequence.position.ToString(),
                       ": withSequence needs a count or an end"));
    }
    if (count == 0) return std::vector<YamlNode>();
    if (__builtin_add_overflow(start, count - 1, &end))
      return TooMany(sequence);
  }
  int64_t span = 0;
  if (__builtin_sub_overflow(std::max(start, end), std::min(start, end),
                             &span) ||
      span >= kMostItems) {
    return TooMany(sequence);
  }
  std::vector<YamlNode> items;
  for (int64_t i = start;; i += start <= end ? 1 : -1) {
    YamlNode item;
    item.kind = YamlNode::Kind::kString;
    item.position = sequence.position;
    RK_ASSIGN_OR_RETURN(item.text, FormatItem(sequence, i));
    items.push_back(std::move(item));
    if (i == end) return items;
  }
}

}  // namespace

absl::StatusOr<std::vector<ExpandedStep>> ExpandStep(const Step& step) {
  std::vector<YamlNode> items = step.with_items;
  if (!step.with_param.empty()) {
    RK_ASSIGN_OR_RETURN(items, ParamItems(step));
  } else if (step.with_sequence.has_value()) {
    RK_ASSIGN_OR_RETURN(items, SequenceItems(*step.with_sequence));
  }
  std::vector<ExpandedStep> expanded;
  for (size_t i = 0; i < items.size(); ++i) {
    expanded.push_back(ExpandItem(step, i, items[i]));
  }
  return expanded;
}

}  // namespace rekindle::argo
