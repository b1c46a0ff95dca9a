#include "component/resolve/artifact_ref.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"

namespace rekindle {
namespace {

using Direction = ArtifactRef::Direction;

absl::Status Malformed(absl::string_view text) {
  return absl::InvalidArgumentError(absl::StrCat(
      "'", text, "' does not name an artifact; use ", kArtifactRefForms));
}

// --- to text ----------------------------------------------------------------

struct Writer {
  std::string operator()(const ArtifactRef::None&) const { return "none"; }
  std::string operator()(const ArtifactRef::Ids& ref) const {
    return absl::StrCat("id:", absl::StrJoin(ref.ids, ","));
  }
  std::string operator()(const ArtifactRef::Uri& ref) const {
    return absl::StrCat("uri:", ref.uri);
  }
  std::string operator()(const ArtifactRef::RunOutput& ref) const {
    return absl::StrCat("run:", ref.node_id, ".", ref.output_key);
  }
  std::string operator()(const ArtifactRef::Latest&) const { return "latest"; }
  std::string operator()(const ArtifactRef::LatestBlessed&) const {
    return "latest-blessed";
  }
  std::string operator()(const ArtifactRef::LatestCreated& ref) const {
    return absl::StrCat("latest-created:", ref.count);
  }
  std::string operator()(const ArtifactRef::Best& ref) const {
    return absl::StrCat("best:", ref.metric,
                        ref.direction == Direction::kMax ? ":max" : ":min");
  }
  std::string operator()(const ArtifactRef::SpanRange& ref) const {
    return absl::StrCat("span:", ref.first, "-", ref.last);
  }
  std::string operator()(const ArtifactRef::NewestSpans& ref) const {
    return absl::StrCat("spans:", ref.count,
                        ref.from == 0 ? "" : absl::StrCat(":from=", ref.from));
  }
};

// --- from text --------------------------------------------------------------

// A whole number of at least `least`, written with digits alone.
std::optional<int64_t> ParseNumber(absl::string_view text, int64_t least) {
  int64_t number = 0;
  const bool digits =
      std::all_of(text.begin(), text.end(),
                  [](unsigned char c) { return absl::ascii_isdigit(c); });
  if (!digits || !absl::SimpleAtoi(text, &number) || number < least) {
    return std::nullopt;
  }
  return number;
}

std::optional<ArtifactRef::Ids> ParseIds(absl::string_view text) {
  ArtifactRef::Ids ref;
  std::set<int64_t> seen;
  for (const absl::string_view part : absl::StrSplit(text, ',')) {
    const std::optional<int64_t> id = ParseNumber(part, /*least=*/1);
    if (!id.has_value() || !seen.insert(*id).second) return std::nullopt;
    ref.ids.push_back(*id);
  }
  return ref;
}

std::optional<ArtifactRef::Uri> ParseUri(absl::string_view text) {
  if (text.empty()) return std::nullopt;
  return ArtifactRef::Uri{std::string(text)};
}

// Node ids may hold dots, keys may not.
std::optional<ArtifactRef::RunOutput> ParseRunOutput(absl::string_view text) {
  const size_t dot = text.rfind('.');
  if (dot == absl::string_view::npos || dot == 0 || dot + 1 == text.size()) {
    return std::nullopt;
  }
  return ArtifactRef::RunOutput{std::string(text.substr(0, dot)),
                                std::string(text.substr(dot + 1))};
}

std::optional<ArtifactRef::LatestCreated> ParseLatestCreated(
    absl::string_view text) {
  const std::optional<int64_t> count = ParseNumber(text, /*least=*/1);
  if (!count.has_value()) return std::nullopt;
  return ArtifactRef::LatestCreated{*count};
}

std::optional<ArtifactRef::SpanRange> ParseSpanRange(absl::string_view text) {
  const std::pair<absl::string_view, absl::string_view> ends =
      absl::StrSplit(text, absl::MaxSplits('-', 1));
  const bool single = text.find('-') == absl::string_view::npos;
  const std::optional<int64_t> first = ParseNumber(ends.first, /*least=*/0);
  const std::optional<int64_t> last =
      single ? first : ParseNumber(ends.second, /*least=*/0);
  if (!first.has_value() || !last.has_value() || *last < *first) {
    return std::nullopt;
  }
  return ArtifactRef::SpanRange{*first, *last};
}

std::optional<ArtifactRef::NewestSpans> ParseNewestSpans(
    absl::string_view text) {
  const size_t colon = text.find(':');
  const std::optional<int64_t> count =
      ParseNumber(text.substr(0, colon), /*least=*/1);
  if (!count.has_value()) return std::nullopt;
  if (colon == absl::string_view::npos) {
    return ArtifactRef::NewestSpans{*count, 0};
  }
  absl::string_view option = text.substr(colon + 1);
  if (!absl::ConsumePrefix(&option, "from=")) return std::nullopt;
  const std::optional<int64_t> from = ParseNumber(option, /*least=*/0);
  if (!from.has_value()) return std::nullopt;
  return ArtifactRef::NewestSpans{*count, *from};
}

absl::StatusOr<ArtifactRef> ParseBest(absl::string_view text) {
  absl::string_view metric = text;
  absl::ConsumePrefix(&metric, "best:");
  std::optional<Direction> given;
  if (absl::ConsumeSuffix(&metric, ":max")) {
    given = Direction::kMax;
  } else if (absl::ConsumeSuffix(&metric, ":min")) {
    given = Direction::kMin;
  }
  if (metric.empty()) return Malformed(text);
  if (!given.has_value()) {
    RK_ASSIGN_OR_RETURN(given, DirectionOf(metric));
  }
  return ArtifactRef{ArtifactRef::Best{std::string(metric), *given}};
}

template <typename Form>
absl::StatusOr<ArtifactRef> OrMalformed(std::optional<Form> form,
                                        absl::string_view text) {
  if (!form.has_value()) return Malformed(text);
  return ArtifactRef{*std::move(form)};
}

}  // namespace

std::string ArtifactRef::ToString() const { return std::visit(Writer(), form); }

absl::StatusOr<ArtifactRef> ParseArtifactRef(absl::string_view text) {
  if (text == "none") return ArtifactRef{ArtifactRef::None{}};
  if (text == "latest") return ArtifactRef{ArtifactRef::Latest{}};
  if (text == "latest-blessed") {
    return ArtifactRef{ArtifactRef::LatestBlessed{}};
  }
  absl::string_view rest = text;
  if (absl::ConsumePrefix(&rest, "id:")) {
    return OrMalformed(ParseIds(rest), text);
  }
  if (absl::ConsumePrefix(&rest, "uri:")) {
    return OrMalformed(ParseUri(rest), text);
  }
  if (absl::ConsumePrefix(&rest, "run:")) {
    return OrMalformed(ParseRunOutput(rest), text);
  }
  if (absl::ConsumePrefix(&rest, "latest-created:")) {
    return OrMalformed(ParseLatestCreated(rest), text);
  }
  if (absl::ConsumePrefix(&rest, "span:")) {
    return OrMalformed(ParseSpanRange(rest), text);
  }
  if (absl::ConsumePrefix(&rest, "spans:")) {
    return OrMalformed(ParseNewestSpans(rest), text);
  }
  if (absl::ConsumePrefix(&rest, "best:")) return ParseBest(text);
  return Malformed(text);
}

absl::StatusOr<Direction> DirectionOf(absl::string_view metric) {
  static const auto& falling = *new std::set<std::string>{
      "loss", "error", "mae", "mse", "rmse", "perplexity"};
  static const auto& rising = *new std::set<std::string>{
      "accuracy", "auc", "f1", "precision", "recall"};
  bool falls = false;
  bool rises = false;
  for (const absl::string_view word :
       absl::StrSplit(metric, absl::ByAnyChar("_-/.: "))) {
    falls = falls || falling.contains(absl::AsciiStrToLower(word));
    rises = rises || rising.contains(absl::AsciiStrToLower(word));
  }
  if (falls != rises) return falls ? Direction::kMin : Direction::kMax;
  return absl::InvalidArgumentError(absl::StrCat(
      "'best:", metric, "' does not say which way '", metric,
      "' improves; use best:", metric, ":max or best:", metric, ":min"));
}

}  // namespace rekindle
