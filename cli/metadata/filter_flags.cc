#include "cli/metadata/filter_flags.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "base/utf8.h"
#include "cli/flag_set.h"
#include "metadata/api/filter_text.h"
#include "metadata/query/filter_parser.h"

namespace rekindle {
namespace {

// How the store's message about a filter begins; the number counts from one.
constexpr absl::string_view kFilterError = "filter_query, character ";

// A neighbouring context of that type and name. The alias is one that a user's
// own filter hardly has.
std::string IsIn(absl::string_view contexts, absl::string_view type,
                 const std::string& name) {
  const std::string alias = absl::StrCat(contexts, "rekindle_", type);
  return absl::StrCat(alias, ".type = ", QuoteForFilter(type), " AND ", alias,
                      ".name = ", QuoteForFilter(name));
}

// The filter on a line of its own, and a caret below the byte at `position`.
std::string PointAt(absl::string_view filter, size_t position) {
  const std::string line =
      absl::StrReplaceAll(filter, {{"\n", " "}, {"\r", " "}, {"\t", " "}});
  const size_t columns =
      CountCharacters(absl::string_view(line).substr(0, position));
  return absl::StrCat("\n  ", line, "\n  ", std::string(columns, ' '), "^");
}

// A message "filter_query, character N, REST" as "--filter, character N, REST"
// with a caret; `shift` is how much earlier the character is in `filter`.
absl::Status Point(const absl::Status& status, absl::string_view filter,
                   int64_t shift) {
  absl::string_view message = status.message();
  if (!absl::ConsumePrefix(&message, kFilterError)) return status;
  const size_t comma = message.find(',');
  int64_t character = 0;
  if (comma == absl::string_view::npos ||
      !absl::SimpleAtoi(message.substr(0, comma), &character) ||
      character <= shift) {
    return status;
  }
  const int64_t own = character - shift;
  return {status.code(),
          absl::StrCat("--filter, character ", own, message.substr(comma),
                       PointAt(filter, static_cast<size_t>(own - 1)))};
}

}  // namespace

void FilterFlags::Bind(FlagSet& flags) {
  flags.String("filter", "QUERY", &filter,
               "only nodes that pass, as \"state = LIVE AND "
               "properties.span.int_value > 3\"; docs/filter-language.md");
  flags.OptionalInt("context", "ID", &context,
                    "only nodes in this context, or contexts below it");
  flags.String("pipeline", "NAME", &pipeline, "only nodes of this pipeline");
  flags.String("run", "NAME", &run, "only nodes of this run of a pipeline");
}

bool FilterFlags::empty() const { return filter.empty() && !HasShortForms(); }

bool FilterFlags::HasShortForms() const {
  return context.has_value() || !pipeline.empty() || !run.empty();
}

absl::StatusOr<std::string> FilterFlags::ToQuery(NodeKind kind) const {
  std::vector<std::string> conditions;
  if (!filter.empty()) {
    // On its own first: in parentheses it could close them and go on.
    const absl::Status parsed = ParseFilter(filter).status();
    if (!parsed.ok()) return Point(parsed, filter, 0);
    if (!HasShortForms()) return filter;
    conditions.push_back(absl::StrCat("(", filter, ")"));
  }
  const absl::string_view contexts =
      kind == NodeKind::kContext ? "parent_contexts_" : "contexts_";
  if (context.has_value()) {
    conditions.push_back(absl::StrCat(contexts, "rekindle_id.id = ", *context));
  }
  if (!pipeline.empty()) {
    conditions.push_back(IsIn(contexts, "pipeline", pipeline));
  }
  if (!run.empty()) conditions.push_back(IsIn(contexts, "pipeline_run", run));
  return absl::StrJoin(conditions, " AND ");
}

absl::Status FilterFlags::Explain(const absl::Status& answer) const {
  if (filter.empty()) return answer;
  // ToQuery puts a parenthesis before it when others follow.
  return Point(answer, filter, HasShortForms() ? 1 : 0);
}

}  // namespace rekindle
