#ifndef REKINDLE_COMPONENT_LAUNCH_OUTPUT_PATHS_H_
#define REKINDLE_COMPONENT_LAUNCH_OUTPUT_PATHS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace rekindle {

// Where a node keeps its files, as TFX lays them out:
//
//   <root>/<node>/<key>/<execution id>    a published output
//   <root>/<node>/<key>/.staging-<execution id>-<token>-<store>
//                                         one being written
//   <root>/<node>/.system/executor_execution/<execution id>-<store>
//                        its log, and below attempt-<token> what it and its
//                        child tell each other
//   <root>/<node>/.system/stateful_working_dir/<hash>
//                        what a retry finds, below the key of the work and the
//                        attempt's token
//
// Stores count their executions by themselves, and several may share a root.
// What only one of them uses has its id in the name; a published output that
// finds its place taken gets a name with the id, too.
//
// Pure functions of their arguments. Thread-compatible.
class OutputPaths {
 public:
  // `store_id` is that of the claim.
  OutputPaths(absl::string_view pipeline_root, absl::string_view node_id,
              absl::string_view store_id);

  std::string NodeDir() const { return node_dir_; }
  std::string KeyDir(absl::string_view key) const;
  // Whoever comes first has it, of this store or another.
  std::string Final(absl::string_view key, int64_t execution_id) const;
  // In its stead, if that is taken. No other attempt has it.
  std::string OwnFinal(absl::string_view key, int64_t execution_id,
                       int64_t token) const;
  // Beside Final(), so that a rename makes it visible at once. The token keeps
  // attempts apart.
  std::string Staging(absl::string_view key, int64_t execution_id,
                      int64_t token) const;
  std::string ExecutionDir(int64_t execution_id) const;
  std::string AttemptDir(int64_t execution_id, int64_t token) const;
  // Above the state of all executions.
  std::string StatesDir() const;
  // The same for every attempt of an execution.
  std::string StateDir(absl::string_view external_id,
                       int64_t execution_id) const;
  // The part of it for attempts with this work.
  std::string StateDir(absl::string_view external_id, int64_t execution_id,
                       absl::string_view work_key) const;

 private:
  std::string node_dir_;
  std::string store_id_;
};

// Where a node works: OutputPaths::NodeDir().
std::string NodeDirOf(absl::string_view pipeline_root,
                      absl::string_view node_id);

// Whose folder of Staging() it is.
struct Leftover {
  int64_t execution_id = 0;
  int64_t token = 0;
  std::string store_id;
};

// Reads the last part of such a path; nullopt for any other.
std::optional<Leftover> ParseLeftoverName(absl::string_view name);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_LAUNCH_OUTPUT_PATHS_H_
