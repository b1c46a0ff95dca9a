#ifndef REKINDLE_CLI_PARSE_OR_EXIT_H_
#define REKINDLE_CLI_PARSE_OR_EXIT_H_

#include <optional>

#include "cli/commands.h"
#include "cli/flag_set.h"

namespace rekindle {

// Parses the flags of a command that takes no positional arguments; the exit
// code when the command ends here, with --help or an error.
std::optional<int> ParseOrExit(FlagSet& flags, const Arguments& arguments);

}  // namespace rekindle

#endif  // REKINDLE_CLI_PARSE_OR_EXIT_H_
