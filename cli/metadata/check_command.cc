#include <cstdint>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/flag_set.h"
#include "cli/metadata/node_calls.h"
#include "cli/metadata/store_command.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/store_flags.h"
#include "cli/table.h"
#include "component/resolve/artifact_roots.h"
#include "component/resolve/digest_check.h"
#include "metadata/api/metadata_store.h"
#include "metadata/api/step_store.h"
#include "metadata/api/values.h"
#include "ml_metadata/proto/metadata_store.pb.h"
#include "nlohmann/json.hpp"
#include "rekindle/v1/step_service.pb.h"

namespace rekindle {
namespace {

using ml_metadata::Artifact;
using nlohmann::json;

struct CheckFlags {
  bool full = false;
  bool files_only = false;
  std::string format;
};

struct Problem {
  std::string kind;
  int64_t id = 0;
  std::string message;
};

// What a check found.
struct CheckReport {
  int64_t checked = 0;
  int64_t without_digest = 0;  // of those checked: they only exist
  int64_t skipped = 0;         // not on a path of this machine
  std::vector<Problem> problems;
  bool truncated = false;  // the store has more problems than it listed
};

// Whether its files should be there.
bool ShouldExist(const Artifact& artifact) {
  return artifact.state() == Artifact::LIVE ||
         artifact.state() == Artifact::UNKNOWN;
}

// s3:// and the like cannot be looked at from here.
bool IsLocal(const Artifact& artifact) {
  return !artifact.uri().empty() && !absl::StrContains(artifact.uri(), "://");
}

void CheckOne(const Artifact& artifact, const CheckFlags& flags,
              CheckReport& report) {
  if (!IsLocal(artifact)) {
    ++report.skipped;
    return;
  }
  ++report.checked;
  if (CustomString(artifact, kDigestProperty).empty()) ++report.without_digest;
  const FilesVerdict files = CheckFiles(
      artifact, {ArtifactRoots::Anywhere(),
                 flags.full ? FileCheck::kAll : FileCheck::kTouched});
  if (files.usable) return;
  report.problems.push_back(
      {"FILES", artifact.id(),
       absl::StrCat("artifact ", artifact.id(), ": ", files.reason)});
}

absl::Status CheckArtifacts(const MetadataStore& store,
                            const std::vector<int64_t>& ids,
                            const CheckFlags& flags, CheckReport& report) {
  Progress progress("checking files of artifact");
  if (!ids.empty()) {
    RK_ASSIGN_OR_RETURN(const std::vector<Artifact> artifacts,
                        GetNodes<Artifact>(store, ids));
    for (const Artifact& artifact : artifacts) {
      CheckOne(artifact, flags, report);
      progress.Update(report.checked, static_cast<int64_t>(ids.size()));
    }
    return absl::OkStatus();
  }
  NodeQuery everything;
  everything.options.mutable_order_by_field()->set_field(
      ml_metadata::ListOperationOptions::OrderByField::ID);
  return ForEachNode<Artifact>(store, everything,
                               [&](const Artifact& artifact) {
                                 if (ShouldExist(artifact))
                                   CheckOne(artifact, flags, report);
                                 progress.Update(report.checked, 0);
                                 return absl::OkStatus();
                               });
}

absl::Status CheckStore(StepStore& store, CheckReport& report) {
  RK_ASSIGN_OR_RETURN(const auto verdict, store.Verify({}));
  for (const v1::Problem& problem : verdict.problems()) {
    report.problems.push_back({v1::Problem::Kind_Name(problem.kind()),
                               problem.id(), problem.message()});
  }
  report.truncated = verdict.truncated();
  return absl::OkStatus();
}

json ToJson(const CheckReport& report) {
  json result = {{"checked", report.checked},
                 {"without_digest", report.without_digest},
                 {"skipped", report.skipped},
                 {"truncated", report.truncated},
                 {"problems", json::array()}};
  for (const Problem& problem : report.problems) {
    result["problems"].push_back({{"kind", problem.kind},
                                  {"id", problem.id},
                                  {"message", problem.message}});
  }
  return result;
}

std::string ToText(const CheckReport& report) {
  std::string text;
  if (!report.problems.empty()) {
    std::vector<std::vector<std::string>> rows = {{"KIND", "ID", "PROBLEM"}};
    for (const Problem& problem : report.problems) {
      rows.push_back({problem.kind, absl::StrCat(problem.id), problem.message});
    }
    text = ToTable(std::move(rows));
  }
  absl::StrAppend(&text, report.checked, " artifacts checked");
  if (report.without_digest > 0) {
    absl::StrAppend(&text, " (", report.without_digest,
                    " have no digest: only that they exist)");
  }
  if (report.skipped > 0) {
    absl::StrAppend(&text, ", ", report.skipped, " not on a local path");
  }
  const size_t problems = report.problems.size();
  return absl::StrCat(text, ", ", problems,
                      problems == 1 ? " problem" : " problems",
                      report.truncated ? " and more" : "", "\n");
}

}  // namespace

int MetadataCheckCommand(const Arguments& arguments) {
  StoreFlags store;
  CheckFlags check;
  FlagSet flags(
      "metadata check [ID...] [flags]",
      "Checks that the files of artifacts are on this machine as they were "
      "recorded, and\nthat the store itself is sound. With ids, the files of "
      "these artifacts only.\nExit status: 0 all good, 1 there are problems.",
      "rekindle metadata check --full");
  flags.Bool("full", &check.full,
             "read and hash every file, also those that look untouched");
  flags.Bool("files-only", &check.files_only,
             "leave out the store itself, which only an admin may check");
  flags.Format(kOutputFormats, &check.format);
  store.Bind(flags);
  return RunStoreCommand(
      {flags,
       store,
       {"[ID...]"},
       [&](Store& opened,
           const std::vector<std::string>& positional) -> absl::StatusOr<int> {
         RK_ASSIGN_OR_RETURN(const std::vector<int64_t> ids,
                             ParseIds(positional.begin(), positional.end()));
         CheckReport report;
         if (ids.empty() && !check.files_only) {
           RK_RETURN_IF_ERROR(CheckStore(opened.steps(), report));
         }
         RK_RETURN_IF_ERROR(
             CheckArtifacts(opened.metadata(), ids, check, report));
         std::cout << (check.format == "table"
                           ? ToText(report)
                           : Render(ToJson(report), check.format));
         return report.problems.empty() ? kOk : kFailed;
       }},
      arguments);
}

}  // namespace rekindle
