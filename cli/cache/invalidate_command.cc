#include <cstdint>
#include <iostream>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "cli/cache/cache_entries.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/flag_set.h"
#include "cli/metadata/node_calls.h"
#include "cli/metadata/store_command.h"
#include "cli/output.h"
#include "cli/store_flags.h"
#include "component/cache/cache.h"
#include "metadata/api/metadata_store.h"
#include "metadata/api/open_store.h"
#include "metadata/api/values.h"
#include "ml_metadata/proto/metadata_store.pb.h"
#include "ml_metadata/proto/metadata_store_service.pb.h"
#include "nlohmann/json.hpp"

namespace rekindle {
namespace {

using ml_metadata::Execution;

// A shorter prefix of a key is more likely a slip than a wish.
constexpr size_t kShortestPrefix = 4;

struct InvalidateFlags {
  EntryFilter filter;
  bool all = false;
  bool dry_run = false;
  std::string format;
};

absl::Status CheckSelection(const std::vector<std::string>& executions,
                            const InvalidateFlags& flags) {
  const EntryFilter& filter = flags.filter;
  const int ways = (executions.empty() ? 0 : 1) + (flags.all ? 1 : 0) +
                   (filter.node.empty() ? 0 : 1) +
                   (filter.key_prefix.empty() ? 0 : 1);
  if (ways != 1) {
    return absl::InvalidArgumentError(
        "say what to invalidate in one way: executions by id, --key=PREFIX, "
        "--node=NAME, or --all --pipeline=NAME");
  }
  if (flags.all && filter.pipeline.empty()) {
    return absl::InvalidArgumentError(
        "--all needs --pipeline=NAME: it takes all results of one pipeline");
  }
  if (!filter.key_prefix.empty() &&
      filter.key_prefix.size() < kShortestPrefix) {
    return absl::InvalidArgumentError(
        absl::StrCat("--key: '", filter.key_prefix, "' is too short; give ",
                     kShortestPrefix, " characters or more"));
  }
  return absl::OkStatus();
}

// The execution whose mark counts: the one that computed, while it is stored.
absl::StatusOr<int64_t> FindComputer(const CacheEntry& entry,
                                     const MetadataStore& store) {
  ml_metadata::GetExecutionsByIDRequest request;
  request.add_execution_ids(entry.ComputedBy());
  RK_ASSIGN_OR_RETURN(const auto found, store.GetExecutionsByID(request));
  return found.executions().empty() ? entry.execution.id() : entry.ComputedBy();
}

// The executions that computed what the named ones put out.
absl::StatusOr<std::vector<int64_t>> ComputersOf(
    const std::vector<std::string>& arguments, const MetadataStore& store) {
  RK_ASSIGN_OR_RETURN(const std::vector<int64_t> ids,
                      ParseIds(arguments.begin(), arguments.end()));
  RK_ASSIGN_OR_RETURN(const std::vector<Execution> executions,
                      GetNodes<Execution>(store, ids));
  std::set<int64_t> computers;
  for (const Execution& execution : executions) {
    RK_ASSIGN_OR_RETURN(const auto entry, LoadCacheEntry(execution, store));
    if (!entry.has_value()) {
      return absl::FailedPreconditionError(absl::StrCat(
          "execution ", execution.id(),
          " is not in the cache: it is not finished, or has no cache key; "
          "'rekindle cache ls' shows what is"));
    }
    RK_ASSIGN_OR_RETURN(const int64_t computer, FindComputer(*entry, store));
    computers.insert(computer);
  }
  return std::vector<int64_t>(computers.begin(), computers.end());
}

absl::StatusOr<std::vector<int64_t>> Select(
    const std::vector<std::string>& arguments, const InvalidateFlags& flags,
    const MetadataStore& store) {
  RK_RETURN_IF_ERROR(CheckSelection(arguments, flags));
  if (!arguments.empty()) return ComputersOf(arguments, store);
  RK_ASSIGN_OR_RETURN(const std::vector<ListedEntry> entries,
                      ListCacheEntries(flags.filter, absl::Now(), store));
  std::vector<int64_t> ids;
  for (const ListedEntry& listed : entries) {
    if (listed.entry.invalidated.empty()) {
      ids.push_back(listed.entry.execution.id());
    }
  }
  return ids;
}

// Marks the executions, and touches nothing else of them.
absl::Status Mark(const std::vector<int64_t>& ids, MetadataStore& store) {
  if (ids.empty()) return absl::OkStatus();
  RK_ASSIGN_OR_RETURN(const std::vector<Execution> executions,
                      GetNodes<Execution>(store, ids));
  const std::string now =
      absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", absl::Now(), absl::UTCTimeZone());
  ml_metadata::PutExecutionsRequest request;
  request.mutable_update_mask()->add_paths(
      absl::StrCat("custom_properties.", kCacheInvalidatedProperty));
  for (const Execution& execution : executions) {
    Execution& marked = *request.add_executions();
    marked.set_id(execution.id());
    marked.set_type_id(execution.type_id());
    (*marked.mutable_custom_properties())[kCacheInvalidatedProperty] =
        StringValue(now);
  }
  return store.PutExecutions(request).status();
}

}  // namespace

int CacheInvalidateCommand(const Arguments& arguments) {
  StoreFlags store;
  InvalidateFlags invalidate;
  FlagSet flags(
      "cache invalidate [EXECUTION...] [flags]",
      "Keeps steps from reusing results: those of the executions, of the keys "
      "that begin with\n--key, of a --node, or --all of a --pipeline. Nothing "
      "is deleted. Prints how many.",
      "rekindle cache invalidate --node=Trainer --pipeline=penguin --dry-run");
  invalidate.filter.Bind(flags);
  flags.Bool("all", &invalidate.all, "all results of --pipeline");
  flags.Bool("dry-run", &invalidate.dry_run,
             "print which would be, and leave them as they are");
  flags.Format(kOutputFormats, &invalidate.format);
  store.Bind(flags);
  return RunStoreCommand(
      {flags,
       store,
       {"[EXECUTION...]"},
       [&](Store& opened,
           const std::vector<std::string>& positional) -> absl::StatusOr<int> {
         RK_ASSIGN_OR_RETURN(const std::vector<int64_t> ids,
                             Select(positional, invalidate, opened.metadata()));
         if (!invalidate.dry_run) {
           RK_RETURN_IF_ERROR(Mark(ids, opened.metadata()));
         }
         std::cout << Render(nlohmann::json{{"dry_run", invalidate.dry_run},
                                            {"invalidated", ids.size()},
                                            {"execution_ids", ids}},
                             invalidate.format);
         return kOk;
       },
       OpenOptions::Mode::kReadWrite},
      arguments);
}

}  // namespace rekindle
