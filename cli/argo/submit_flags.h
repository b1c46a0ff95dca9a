#ifndef REKINDLE_CLI_ARGO_SUBMIT_FLAGS_H_
#define REKINDLE_CLI_ARGO_SUBMIT_FLAGS_H_

#include <string>

#include "absl/status/statusor.h"
#include "cli/argo/cluster_flags.h"
#include "cli/argo/parameter_flags.h"
#include "cli/flag_set.h"
#include "operator/submit/submission.h"

namespace rekindle {

// The flags of `submit`, before they are understood. A plain value.
struct SubmitFlags {
  ParameterFlags parameters;
  std::string name;
  std::string generate_name;
  std::string entrypoint;
  std::string service_account;
  std::string labels;
  std::string from;
  bool wait = false;
  bool watch = false;
  bool log = false;
  bool dry_run = false;
  bool server_dry_run = false;
  std::string format;
  ClusterFlags cluster;

  // Declares them; this must outlive `flags`.
  void Bind(FlagSet& flags);

  //   INVALID_ARGUMENT  flags that exclude each other, or a malformed value
  //   NOT_FOUND         there is no such parameter file
  absl::StatusOr<argo::SubmitOptions> Options() const;
};

}  // namespace rekindle

#endif  // REKINDLE_CLI_ARGO_SUBMIT_FLAGS_H_
