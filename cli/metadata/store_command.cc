#include "cli/metadata/store_command.h"

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "cli/exit_code.h"

namespace rekindle {
namespace {

absl::Status CheckArguments(const std::vector<std::string>& names,
                            const std::vector<std::string>& positional) {
  const auto required = static_cast<size_t>(std::count_if(
      names.begin(), names.end(),
      [](const std::string& name) { return !absl::StartsWith(name, "["); }));
  const bool open_end =
      !names.empty() && absl::StrContains(names.back(), "...");
  if (positional.size() >= required &&
      (open_end || positional.size() <= names.size())) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "expected ", names.empty() ? "no arguments" : absl::StrJoin(names, " "),
      ", got ", positional.empty() ? "nothing" : absl::StrJoin(positional, " "),
      "; --help shows an example"));
}

absl::StatusOr<int> Run(const StoreCommand& command,
                        const Arguments& arguments) {
  std::vector<std::string> positional;
  RK_RETURN_IF_ERROR(command.flags.Parse(arguments, &positional));
  if (command.flags.help_requested()) {
    std::cout << command.flags.Help();
    return kOk;
  }
  RK_RETURN_IF_ERROR(CheckArguments(command.argument_names, positional));
  RK_ASSIGN_OR_RETURN(const std::unique_ptr<Store> store,
                      command.store.Open(command.mode));
  return command.run(*store, positional);
}

}  // namespace

int RunStoreCommand(const StoreCommand& command, const Arguments& arguments) {
  const absl::StatusOr<int> exit_code = Run(command, arguments);
  return exit_code.ok() ? *exit_code : Fail(exit_code.status());
}

absl::StatusOr<int64_t> ParseId(const std::string& text) {
  int64_t id = 0;
  if (!absl::SimpleAtoi(text, &id) || id <= 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", text, "' is not an id; ids are whole numbers"));
  }
  return id;
}

absl::StatusOr<std::vector<int64_t>> ParseIds(
    std::vector<std::string>::const_iterator begin,
    std::vector<std::string>::const_iterator end) {
  std::vector<int64_t> ids;
  for (auto text = begin; text != end; ++text) {
    RK_ASSIGN_OR_RETURN(const int64_t id, ParseId(*text));
    ids.push_back(id);
  }
  return ids;
}

absl::Status NoSuchNode(const std::string& kind, int64_t id) {
  return absl::NotFoundError(absl::StrCat("there is no ", kind, " with id ", id,
                                          "; 'rekindle metadata list ", kind,
                                          "s' shows what is"));
}

absl::Status UnknownKind(const std::string& kind) {
  return absl::InvalidArgumentError(absl::StrCat(
      "'", kind,
      "' is not a kind of node; use artifact, execution or context"));
}

}  // namespace rekindle
