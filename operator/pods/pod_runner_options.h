#ifndef REKINDLE_OPERATOR_PODS_POD_RUNNER_OPTIONS_H_
#define REKINDLE_OPERATOR_PODS_POD_RUNNER_OPTIONS_H_

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace rekindle::argo {

// Whether pods get views of their own of the file system.
enum class Isolation {
  kAuto,      // those that need one, if this machine permits it
  kRequired,  // all of them
  kNone,
};

struct PodRunnerOptions {
  std::string workflow_name;
  std::string run_folder;      // absolute; logs, artifacts, pods' own files
  std::string work_folder;     // absolute; pods start here
  std::string program_folder;  // is searched for programs first
  Isolation isolation = Isolation::kAuto;
  // What claims are on this machine, by name; others are folders of ours.
  std::map<std::string, std::string> claims;
  // What images run where a template has no command, by the image's name.
  std::map<std::string, std::string> image_commands;
  std::vector<std::string> shared;          // stay visible below /tmp
  size_t max_log_bytes = size_t{64} << 20;  // of each pod's log
};

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_PODS_POD_RUNNER_OPTIONS_H_
