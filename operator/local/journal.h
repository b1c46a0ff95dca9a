#ifndef REKINDLE_OPERATOR_LOCAL_JOURNAL_H_
#define REKINDLE_OPERATOR_LOCAL_JOURNAL_H_

#include <map>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"
#include "operator/pods/pod_task.h"

namespace rekindle::argo {

// What a run has achieved, on disk, so that it can go on after it failed or was
// killed: a line for what it is, and one for each pod that succeeded.
// Thread-compatible.
class Journal {
 public:
  // Begins the journal of a new run in `folder`. `run` is what Open() gives
  // back.
  static absl::StatusOr<std::unique_ptr<Journal>> Create(
      const std::string& folder, const nlohmann::json& run);

  // Goes on with the journal in `folder`. A last line that was cut off is
  // ignored.
  //
  //   NOT_FOUND         there is no run
  //   INVALID_ARGUMENT  the file is not a journal
  static absl::StatusOr<std::unique_ptr<Journal>> Open(
      const std::string& folder);

  //   NOT_FOUND  there is no run in `folder`
  static absl::Status CheckExists(const std::string& folder);

  ~Journal();

  const nlohmann::json& run() const { return run_; }

  // How the pod of this node went in an earlier run, or null.
  const PodResult* Find(const std::string& node_name) const;

  absl::Status Add(const std::string& node_name, const PodResult& result);

 private:
  Journal(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}

  // Throws nlohmann::json::exception where a line is not what Write() writes.
  void Read(absl::string_view text);
  absl::Status Write(const nlohmann::json& line) const;

  const int fd_;
  const std::string path_;
  nlohmann::json run_;
  std::map<std::string, PodResult> succeeded_;
};

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_LOCAL_JOURNAL_H_
