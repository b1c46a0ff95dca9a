#include "cli/cache/cache_reason.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "cli/metadata/lineage_view.h"
#include "cli/table.h"
#include "cli/terminal_text.h"
#include "component/cache/cache.h"
#include "component/cache/cache_fields.h"
#include "component/cache/cache_history.h"
#include "ml_metadata/proto/metadata_store.pb.h"
#include "nlohmann/json.hpp"

namespace rekindle {
namespace {

using ml_metadata::Execution;
using nlohmann::json;

// Enough of a digest to tell it from another.
std::string Shown(const std::optional<std::string>& value) {
  constexpr size_t kShortDigest = 19;  // "sha256:" and 12 digits
  if (!value.has_value()) return "-";
  return absl::StartsWith(*value, "sha256:") ? value->substr(0, kShortDigest)
                                             : *value;
}

std::string DecisionText(const CacheExplanation& why) {
  if (why.cached_from.has_value()) {
    return absl::StrCat("hit: it reused the outputs of execution ",
                        *why.cached_from);
  }
  if (!why.decision.has_value()) return "undecided: it ended, or runs, before";
  if (why.decision->kind == CacheDecision::Kind::kOff) {
    return "not asked: the step was told not to look (--no-cache)";
  }
  return why.decision->rejected.empty()
             ? "miss: no earlier execution has its key"
             : "miss: what has its key could not be reused";
}

std::string DecisionName(const CacheExplanation& why) {
  if (!why.decision.has_value()) return "undecided";
  switch (why.decision->kind) {
    case CacheDecision::Kind::kOff:
      return "off";
    case CacheDecision::Kind::kMiss:
      return "miss";
    case CacheDecision::Kind::kHit:
      return "hit";
  }
  return "";
}

std::string NearestText(const CacheExplanation& why) {
  if (!why.nearest.has_value()) {
    return "No earlier run of this node completed.\n";
  }
  const EarlierRun& nearest = *why.nearest;
  std::string text =
      absl::StrCat("nearest earlier run: execution ", nearest.execution_id,
                   ", ", nearest.differences.size(), " of ", why.fields.size(),
                   " fields differ\n");
  if (nearest.differences.empty()) return text;
  std::vector<std::vector<std::string>> rows = {
      {"  FIELD", absl::StrCat("EXECUTION ", nearest.execution_id),
       absl::StrCat("EXECUTION ", why.execution.id())}};
  for (const FieldDifference& difference : nearest.differences) {
    rows.push_back({absl::StrCat("  ", difference.name),
                    Shown(difference.before), Shown(difference.after)});
  }
  return absl::StrCat(text, ToTable(std::move(rows)));
}

json ToJson(const std::optional<std::string>& value) {
  return value.has_value() ? json(*value) : json(nullptr);
}

json NearestToJson(const EarlierRun& nearest) {
  json differences = json::array();
  for (const FieldDifference& difference : nearest.differences) {
    differences.push_back({{"field", difference.name},
                           {"before", ToJson(difference.before)},
                           {"after", ToJson(difference.after)}});
  }
  return {{"execution_id", nearest.execution_id},
          {"differences", std::move(differences)}};
}

}  // namespace

std::string ExplanationToText(const CacheExplanation& why) {
  std::string text = absl::StrCat(
      TerminalLine(ShortTypeName(why.execution.type())), "  execution ",
      why.execution.id(), "  ",
      Execution::State_Name(why.execution.last_known_state()), "\nkey ",
      CacheKeyOf(why.fields), "\n", DecisionText(why), "\n");
  if (why.decision.has_value()) {
    for (const CacheRejection& rejection : why.decision->rejected) {
      absl::StrAppend(&text, "  not execution ", rejection.execution_id, ": ",
                      TerminalLine(rejection.reason), "\n");
    }
  }
  if (why.cached_from.has_value()) return text;
  return absl::StrCat(text, NearestText(why));
}

json ExplanationToJson(const CacheExplanation& why) {
  json result = {{"execution_id", why.execution.id()},
                 {"key", CacheKeyOf(why.fields)},
                 {"decision", DecisionName(why)},
                 {"fields", why.fields},
                 {"rejected", json::array()}};
  if (why.cached_from.has_value()) result["cached_from"] = *why.cached_from;
  if (why.decision.has_value()) {
    for (const CacheRejection& rejection : why.decision->rejected) {
      result["rejected"].push_back({{"execution_id", rejection.execution_id},
                                    {"reason", rejection.reason}});
    }
  }
  if (why.nearest.has_value()) result["nearest"] = NearestToJson(*why.nearest);
  return result;
}

}  // namespace rekindle
