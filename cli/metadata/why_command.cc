#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "cli/cache/cache_reason.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/flag_set.h"
#include "cli/metadata/input_choices.h"
#include "cli/metadata/lineage_view.h"
#include "cli/metadata/store_command.h"
#include "cli/output.h"
#include "cli/store_flags.h"
#include "component/cache/cache_history.h"
#include "metadata/api/metadata_store.h"

namespace rekindle {
namespace {

// "6" or "execution:6".
absl::StatusOr<int64_t> ParseExecution(const std::string& text) {
  absl::string_view id = text;
  absl::ConsumePrefix(&id, "execution:");
  return ParseId(std::string(id));
}

// The executions that the arguments ask about, and the input, if only one.
struct Question {
  std::vector<int64_t> executions;
  std::string input;  // empty: all of them
};

absl::StatusOr<Question> ToQuestion(const std::vector<std::string>& positional,
                                    const MetadataStore& store) {
  Question question;
  if (positional.size() == 2) {
    RK_ASSIGN_OR_RETURN(const int64_t id, ParseExecution(positional[1]));
    question.executions = {id};
    question.input = absl::StrReplaceAll(positional[0], {{"-", "_"}});
    return question;
  }
  RK_ASSIGN_OR_RETURN(const LineageRoot root, ParseLineageRoot(positional[0]));
  if (root.kind == LineageRoot::Kind::kExecution) {
    question.executions = {root.id};
    return question;
  }
  // What was chosen to make an artifact.
  RK_ASSIGN_OR_RETURN(
      const LineageView view,
      LoadLineage(root, LineageDirection::kUpstream, /*max_hops=*/1, store));
  for (const auto& [id, execution] : view.executions) {
    question.executions.push_back(id);
  }
  if (question.executions.empty()) {
    return absl::NotFoundError(
        absl::StrCat("no execution is recorded that made artifact ", root.id));
  }
  return question;
}

absl::StatusOr<int> ExplainCacheOf(const std::string& execution,
                                   const std::string& format,
                                   const MetadataStore& store) {
  RK_ASSIGN_OR_RETURN(const int64_t id, ParseExecution(execution));
  RK_ASSIGN_OR_RETURN(const CacheExplanation why, ExplainCache(id, store));
  std::cout << (format == "table" ? ExplanationToText(why)
                                  : Render(ExplanationToJson(why), format));
  return kOk;
}

}  // namespace

int MetadataWhyCommand(const Arguments& arguments) {
  StoreFlags store;
  std::string format;
  FlagSet flags(
      "metadata why [INPUT] ID|execution:ID [flags]",
      "Says what an execution took as its inputs, which candidates it looked "
      "at and why it\ntook them or not, as it recorded them then. An "
      "artifact's id asks about the execution\nthat made it; with INPUT, ID is "
      "an execution's. 'why cache' says why it computed its\noutputs, or whose "
      "it reused.",
      "rekindle metadata why base-model 6");
  flags.Format(kOutputFormats, &format);
  store.Bind(flags);
  return RunStoreCommand(
      {flags,
       store,
       {"[INPUT]", "ID|execution:ID"},
       [&](Store& opened,
           const std::vector<std::string>& positional) -> absl::StatusOr<int> {
         if (positional.size() == 2 && positional[0] == "cache") {
           return ExplainCacheOf(positional[1], format, opened.metadata());
         }
         RK_ASSIGN_OR_RETURN(const Question question,
                             ToQuestion(positional, opened.metadata()));
         std::vector<ExecutionChoices> choices;
         for (const int64_t id : question.executions) {
           RK_ASSIGN_OR_RETURN(
               choices.emplace_back(),
               FindInputChoices(id, question.input, opened.metadata()));
         }
         std::cout << (format == "table"
                           ? ChoicesToText(choices)
                           : Render(ChoicesToJson(choices), format));
         return kOk;
       }},
      arguments);
}

}  // namespace rekindle
