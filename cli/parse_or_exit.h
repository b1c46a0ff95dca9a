#ifndef REKINDLE_CLI_PARSE_OR_EXIT_H_
#define REKINDLE_CLI_PARSE_OR_EXIT_H_

#include <optional>

#include "absl/strings/string_view.h"
#include "cli/commands.h"
#include "cli/flag_set.h"

namespace rekindle {

// Parses the flags of a command that takes no positional arguments; the exit
// code when the command ends here, with --help or an error. `hint` is what to
// do about an argument that is none.
std::optional<int> ParseOrExit(
    FlagSet& flags, const Arguments& arguments,
    absl::string_view hint = "every value needs its flag");

}  // namespace rekindle

#endif  // REKINDLE_CLI_PARSE_OR_EXIT_H_
