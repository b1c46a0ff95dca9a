#include "operator/local/journal.h"

#include <fcntl.h>
#include <memory>
#include <string>
#include <unistd.h>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "base/bounded_read.h"
#include "base/file_util.h"
#include "base/status_macros.h"
#include "base/status_util.h"
#include "nlohmann/json.hpp"
#include "operator/local/status_json.h"

namespace rekindle::argo {
namespace {

using nlohmann::json;

constexpr char kName[] = "journal.jsonl";
// A line for each step, with its outputs.
constexpr size_t kLongestJournal = size_t{1} << 30;

absl::StatusOr<int> OpenFile(const std::string& path, int flags) {
  const int fd =
      open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | flags, 0644);
  if (fd < 0) return ErrnoStatus(errno, "open", path);
  return fd;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Journal>> Journal::Create(
    const std::string& folder, const json& run) {
  const std::string path = JoinPath(folder, kName);
  RK_ASSIGN_OR_RETURN(const int fd, OpenFile(path, O_CREAT | O_EXCL));
  std::unique_ptr<Journal> journal(new Journal(fd, path));
  journal->run_ = run;
  RK_RETURN_IF_ERROR(journal->Write(run));
  return journal;
}

absl::StatusOr<std::unique_ptr<Journal>> Journal::Open(
    const std::string& folder) {
  const std::string path = JoinPath(folder, kName);
  RK_RETURN_IF_ERROR(CheckExists(folder));
  RK_ASSIGN_OR_RETURN(const std::string text,
                      ReadRegularFile(path, kLongestJournal));
  RK_ASSIGN_OR_RETURN(const int fd, OpenFile(path, 0));
  std::unique_ptr<Journal> journal(new Journal(fd, path));
  try {
    journal->Read(text);
  } catch (const json::exception& error) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, " is damaged: ", error.what()));
  }
  if (!journal->run_.contains("name")) {
    return absl::InvalidArgumentError(absl::StrCat(path, " is no journal"));
  }
  // A line that was cut off must not run into the next one.
  if (!text.empty() && text.back() != '\n') {
    RK_RETURN_IF_ERROR(WriteAll(fd, "\n", path));
  }
  return journal;
}

absl::Status Journal::CheckExists(const std::string& folder) {
  if (PathExists(JoinPath(folder, kName))) return absl::OkStatus();
  return absl::NotFoundError(
      absl::StrCat("there is no run in ", folder, " (no ", kName, ")"));
}

Journal::~Journal() { close(fd_); }

void Journal::Read(absl::string_view text) {
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    const json entry = json::parse(line, nullptr, false);
    if (!entry.is_object()) continue;
    if (run_.is_null()) {
      run_ = entry;
      continue;
    }
    PodResult& result = succeeded_[entry.value("node", "")];
    result.outputs = OutputsFromJson(entry.value("outputs", json::object()));
  }
}

const PodResult* Journal::Find(const std::string& node_name) const {
  const auto found = succeeded_.find(node_name);
  return found == succeeded_.end() ? nullptr : &found->second;
}

absl::Status Journal::Add(const std::string& node_name,
                          const PodResult& result) {
  if (result.phase != Phase::kSucceeded) return absl::OkStatus();
  return Write({{"node", node_name}, {"outputs", ToJson(result.outputs)}});
}

absl::Status Journal::Write(const json& line) const {
  return WriteAll(
      fd_,
      absl::StrCat(line.dump(-1, ' ', false, json::error_handler_t::replace),
                   "\n"),
      path_);
}

}  // namespace rekindle::argo
