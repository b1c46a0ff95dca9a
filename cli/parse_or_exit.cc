#include "cli/parse_or_exit.h"

#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "cli/exit_code.h"
#include "cli/flag_set.h"

namespace rekindle {

std::optional<int> ParseOrExit(FlagSet& flags, const Arguments& arguments,
                               absl::string_view hint) {
  std::vector<std::string> positional;
  absl::Status parsed = flags.Parse(arguments, &positional);
  if (parsed.ok() && !positional.empty()) {
    parsed = absl::InvalidArgumentError(
        absl::StrCat("unexpected argument '", positional.front(), "'; ", hint));
  }
  if (!parsed.ok()) return Fail(parsed);
  if (!flags.help_requested()) return std::nullopt;
  std::cout << flags.Help();
  return kOk;
}

}  // namespace rekindle
