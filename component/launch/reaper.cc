#include "component/launch/reaper.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/file_util.h"
#include "base/path_fence.h"
#include "base/status_macros.h"
#include "component/contract/executor_output.h"
#include "component/launch/attempts.h"
#include "component/launch/failure.h"
#include "component/launch/output_paths.h"
#include "component/launch/step_log.h"
#include "metadata/api/filter_text.h"
#include "metadata/api/open_store.h"
#include "metadata/api/values.h"
#include "ml_metadata/proto/metadata_store.pb.h"
#include "ml_metadata/proto/metadata_store_service.pb.h"
#include "rekindle/v1/step_service.pb.h"

namespace rekindle {
namespace {

namespace fs = std::filesystem;

using ml_metadata::Execution;

constexpr int kPageSize = 100;

// An execution, as far as its folders are concerned.
struct Owner {
  Execution::State state = Execution::UNKNOWN;
  int64_t attempt = 0;
  std::string node_dir;
};

OutputPaths PathsOf(const std::string& node_dir, const std::string& store_id) {
  const fs::path path(node_dir);
  return {path.parent_path().string(), path.filename().string(), store_id};
}

std::string TailOf(const std::string& log_path) {
  std::ifstream log(log_path, std::ios::binary | std::ios::ate);
  const std::streamoff size = log.tellg();
  if (size < 0) return "";
  log.seekg(std::max<std::streamoff>(
      0, size - static_cast<std::streamoff>(kLogTailBytes)));
  LogTail tail(kLogTailBytes);
  for (std::string line; std::getline(log, line);) tail.Add(line);
  return tail.Text();
}

bool IsRegularFile(const std::string& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

// When something at or below the path changed last.
fs::file_time_type LastChange(const fs::path& path) {
  std::error_code error;
  fs::file_time_type newest = fs::last_write_time(path, error);
  for (fs::recursive_directory_iterator entry(path, error), end;
       !error && entry != end; entry.increment(error)) {
    std::error_code gone;
    const auto changed = fs::last_write_time(entry->path(), gone);
    if (!gone) newest = std::max(newest, changed);
  }
  return newest;
}

std::vector<fs::path> FoldersIn(const fs::path& folder) {
  std::vector<fs::path> folders;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code gone;
    const bool is_link = entry->is_symlink(gone);
    if (!is_link && entry->is_directory(gone)) folders.push_back(entry->path());
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

class Reaper {
 public:
  Reaper(const ReapOptions& options, Store& store)
      : options_(options), store_(store), fence_(options.roots) {}

  absl::StatusOr<ReapReport> Run() {
    RK_RETURN_IF_ERROR(FindOutWhoWeAre());
    RK_RETURN_IF_ERROR(VisitExecutions());
    for (const std::string& node_dir : node_dirs_) {
      RK_RETURN_IF_ERROR(CleanNode(node_dir));
    }
    return std::move(report_);
  }

 private:
  // A store that does not say which it is has no folders.
  absl::Status FindOutWhoWeAre() {
    const absl::StatusOr<v1::IdentifyResponse> identity =
        store_.steps().Identify({});
    if (absl::IsUnimplemented(identity.status())) return absl::OkStatus();
    RK_RETURN_IF_ERROR(identity.status());
    store_id_ = identity->store_id();
    return absl::OkStatus();
  }

  absl::Status VisitExecutions() {
    ml_metadata::GetExecutionsRequest request;
    auto& list = *request.mutable_options();
    list.set_max_result_size(kPageSize);
    list.mutable_order_by_field()->set_field(
        ml_metadata::ListOperationOptions::OrderByField::ID);
    list.mutable_order_by_field()->set_is_asc(true);
    list.set_filter_query(Filter());
    while (true) {
      RK_ASSIGN_OR_RETURN(const auto page,
                          store_.metadata().GetExecutions(request));
      for (const Execution& execution : page.executions()) {
        RK_RETURN_IF_ERROR(Visit(execution));
      }
      if (page.next_page_token().empty()) return absl::OkStatus();
      list.set_next_page_token(page.next_page_token());
    }
  }

  std::string Filter() const {
    std::vector<std::string> conditions;
    const auto in_context = [&](const char* type, const std::string& name) {
      if (name.empty()) return;
      conditions.push_back(absl::StrCat("contexts_", type, ".type = '", type,
                                        "' AND contexts_", type,
                                        ".name = ", QuoteForFilter(name)));
    };
    in_context("pipeline", options_.pipeline);
    in_context("pipeline_run", options_.run_id);
    return absl::StrJoin(conditions, " AND ");
  }

  absl::Status Visit(const Execution& execution) {
    const Attempt attempt = AttemptInside(execution);
    Owner owner{execution.last_known_state(), attempt.number, attempt.node_dir};
    if (owner.state == Execution::RUNNING && MayClose(execution, attempt)) {
      RK_ASSIGN_OR_RETURN(const bool closed, Close(execution, attempt));
      if (closed) owner.state = Execution::FAILED;
    }
    report_.still_running += owner.state == Execution::RUNNING ? 1 : 0;
    if (owner.node_dir.empty()) return absl::OkStatus();
    node_dirs_.insert(owner.node_dir);
    if (owner.state == Execution::COMPLETE ||
        owner.state == Execution::CACHED) {
      state_dirs_of_finished_.insert(
          PathsOf(owner.node_dir, store_id_)
              .StateDir(execution.external_id(), execution.id()));
    }
    owners_[execution.id()] = std::move(owner);
    return absl::OkStatus();
  }

  // The last attempt; where it worked is empty if that is not ours to look at.
  Attempt AttemptInside(const Execution& execution) {
    Attempt attempt = LastAttempt(execution);
    if (!attempt.node_dir.empty() && !fence_.Holds(attempt.node_dir)) {
      report_.outside.insert(attempt.node_dir);
      attempt.node_dir.clear();
    }
    return attempt;
  }

  bool MayClose(const Execution& execution, const Attempt& attempt) const {
    if (attempt.number > 0) return true;  // The store knows its lease.
    const absl::Time changed =
        absl::FromUnixMillis(execution.last_update_time_since_epoch());
    return absl::Now() - changed > options_.older_than;
  }

  // False if it turned out to be alive after all.
  absl::StatusOr<bool> Close(const Execution& execution,
                             const Attempt& attempt) {
    const absl::Status cause = CauseOf(execution, attempt);
    v1::FinishRequest request;
    request.set_execution_id(execution.id());
    request.set_token(attempt.number);
    request.set_state(v1::FinishRequest::FAILED);
    request.set_if_abandoned(true);
    request.set_dry_run(options_.dry_run);
    request.set_reason(std::string(cause.message()));
    request.set_failure_reason(std::string(FailureReasonName(ReasonOf(cause))));
    auto& properties = *request.mutable_custom_properties();
    properties[kExecutionResultProperty] =
        StringValue(ExecutionResultJson(cause));
    const std::string tail = TailOf(FileOf(execution, attempt, "log.txt"));
    if (!tail.empty()) properties[kFailureLogTailProperty] = StringValue(tail);

    const absl::Status closed = store_.steps().Finish(request).status();
    // Renewed, retried or finished since we looked.
    if (absl::IsFailedPrecondition(closed) || absl::IsAborted(closed)) {
      return false;
    }
    RK_RETURN_IF_ERROR(closed);
    report_.closed.push_back({execution.id(), execution.external_id(),
                              ReasonOf(cause), std::string(cause.message())});
    return true;
  }

  // A file in the execution's folder; empty if there is none, or only something
  // that leads elsewhere or cannot be read to its end.
  std::string FileOf(const Execution& execution, const Attempt& attempt,
                     const std::string& name) const {
    if (attempt.node_dir.empty()) return "";
    std::string path = JoinPath(PathsOf(attempt.node_dir, attempt.store_id)
                                    .ExecutionDir(execution.id()),
                                name);
    return IsRegularFile(path) && fence_.Holds(path) ? path : "";
  }

  // Whatever can still be found out about how it ended.
  absl::Status CauseOf(const Execution& execution,
                       const Attempt& attempt) const {
    std::string message = attempt.number == 0
                              ? "its writer has not been heard of for too long"
                              : absl::StrCat("the process that ran it, ",
                                             attempt.owner, ", vanished");
    FailureReason reason = FailureReason::kLauncherLost;
    if (!options_.previous_failure.empty()) {
      reason = ReasonOfVanished(options_.previous_failure);
      absl::StrAppend(&message, ": ", options_.previous_failure);
    }
    const absl::StatusOr<ExecutorOutput> answer = ReadExecutorOutput(FileOf(
        execution, attempt,
        absl::StrCat("attempt-", attempt.number, "/", "executor_output.json")));
    if (answer.ok() && answer->error.has_value()) {
      absl::StrAppend(&message,
                      "; its child had said: ", answer->error->message);
    }
    return WithReason(reason, absl::UnavailableError(message));
  }

  absl::Status CleanNode(const std::string& node_dir) {
    for (const fs::path& key_dir : FoldersIn(node_dir)) {
      for (const fs::path& folder : FoldersIn(key_dir)) {
        if (IsLeftover(folder, node_dir)) RK_RETURN_IF_ERROR(Remove(folder));
      }
    }
    for (const fs::path& folder :
         FoldersIn(PathsOf(node_dir, store_id_).StatesDir())) {
      if (state_dirs_of_finished_.contains(folder.string())) {
        RK_RETURN_IF_ERROR(Remove(folder));
      }
    }
    return absl::OkStatus();
  }

  // Of an attempt that has ended. A folder of another store, or of an execution
  // that is not stored or works elsewhere, is not ours.
  bool IsLeftover(const fs::path& folder, const std::string& node_dir) const {
    const std::optional<Leftover> leftover =
        ParseLeftoverName(folder.filename().string());
    if (!leftover.has_value() || leftover->store_id != store_id_) return false;
    const auto owner = owners_.find(leftover->execution_id);
    if (owner == owners_.end() || owner->second.node_dir != node_dir) {
      return false;
    }
    return owner->second.state != Execution::RUNNING ||
           leftover->token < owner->second.attempt;
  }

  absl::Status Remove(const fs::path& folder) {
    // Something between the node's folder and this one may be a link.
    if (!fence_.Holds(folder.string())) return absl::OkStatus();
    const auto age = fs::file_time_type::clock::now() - LastChange(folder);
    if (absl::FromChrono(age) < options_.folder_age) return absl::OkStatus();
    if (!options_.dry_run) RK_RETURN_IF_ERROR(RemoveTree(folder.string()));
    report_.removed.push_back(folder.string());
    return absl::OkStatus();
  }

  const ReapOptions& options_;
  Store& store_;
  const PathFence fence_;
  std::string store_id_;
  ReapReport report_;
  std::map<int64_t, Owner> owners_;  // by execution id
  std::set<std::string> node_dirs_;
  std::set<std::string> state_dirs_of_finished_;
};

}  // namespace

absl::StatusOr<ReapReport> Reap(const ReapOptions& options, Store& store) {
  return Reaper(options, store).Run();
}

}  // namespace rekindle
