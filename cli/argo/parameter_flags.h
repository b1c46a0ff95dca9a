#ifndef REKINDLE_CLI_ARGO_PARAMETER_FLAGS_H_
#define REKINDLE_CLI_ARGO_PARAMETER_FLAGS_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/flag_set.h"

namespace rekindle {

// --parameter and --parameter-file: a workflow's arguments, the same wherever
// it runs. A plain value.
struct ParameterFlags {
  std::vector<std::string> parameters;
  std::string file;

  // Declares them; this must outlive `flags`.
  void Bind(FlagSet& flags);

  bool empty() const { return parameters.empty() && file.empty(); }
  // Names and values: what the flags say, and then what only the file does.
  //
  //   INVALID_ARGUMENT  a flag is not NAME=VALUE, or the file is not a map
  //   NOT_FOUND         there is no such file
  absl::StatusOr<std::vector<std::pair<std::string, std::string>>> Values()
      const;
};

}  // namespace rekindle

#endif  // REKINDLE_CLI_ARGO_PARAMETER_FLAGS_H_
