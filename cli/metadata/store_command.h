#ifndef REKINDLE_CLI_METADATA_STORE_COMMAND_H_
#define REKINDLE_CLI_METADATA_STORE_COMMAND_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cli/commands.h"
#include "cli/flag_set.h"
#include "cli/store_flags.h"
#include "metadata/api/open_store.h"

namespace rekindle {

// A command that opens a store: its flags, its positional arguments, and what
// it does once the store is open.
struct StoreCommand {
  FlagSet& flags;
  const StoreFlags& store;
  // Names of the positional arguments. The last may be "ID..." for one or more;
  // in brackets it may be left out: "[FILE]", "[ID...]".
  std::vector<std::string> argument_names;
  // Answers the exit code.
  std::function<absl::StatusOr<int>(Store& store,
                                    const std::vector<std::string>& positional)>
      run;
  OpenOptions::Mode mode = OpenOptions::Mode::kReadOnly;
};

// Parses the arguments, answers --help, opens the store and runs. An error goes
// to stderr; returns the exit code.
int RunStoreCommand(const StoreCommand& command, const Arguments& arguments);

// A positional argument as an id.
//
//   INVALID_ARGUMENT  it is not a positive whole number
absl::StatusOr<int64_t> ParseId(const std::string& text);

// The same for some of them.
absl::StatusOr<std::vector<int64_t>> ParseIds(
    std::vector<std::string>::const_iterator begin,
    std::vector<std::string>::const_iterator end);

// "there is no artifact with id 9; ...", for a node that is not stored.
absl::Status NoSuchNode(const std::string& kind, int64_t id);

// "'x' is not a kind of node; ...", for a command that takes one.
absl::Status UnknownKind(const std::string& kind);

}  // namespace rekindle

#endif  // REKINDLE_CLI_METADATA_STORE_COMMAND_H_
