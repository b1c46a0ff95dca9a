#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/status_macros.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/flag_set.h"
#include "cli/metadata/store_command.h"
#include "cli/progress.h"
#include "cli/store_flags.h"
#include "cli/unfinished_file.h"
#include "metadata/api/maintenance_store.h"

namespace rekindle {
namespace {

constexpr int64_t kMebibyte = 1 << 20;

absl::Status BackUpTo(const std::string& target, bool replace,
                      MaintenanceStore& store) {
  RK_ASSIGN_OR_RETURN(UnfinishedFile file,
                      UnfinishedFile::Create(target, replace));
  {
    Progress progress("copied MiB");
    RK_RETURN_IF_ERROR(
        store.Backup(file.path(), [&progress](int64_t done, int64_t total) {
          progress.Update(done / kMebibyte, total / kMebibyte);
          return absl::OkStatus();
        }));
  }
  return file.Commit();
}

}  // namespace

int MetadataBackupCommand(const Arguments& arguments) {
  StoreFlags store;
  bool force = false;
  FlagSet flags(
      "metadata backup FILE [flags]",
      "Copies the whole store, as it is now, into a new SQLite file, while "
      "others go on\nwriting. FILE appears when it is complete.",
      "rekindle metadata backup metadata-2026-11-16.db");
  flags.Bool("force", &force, "replace FILE if it exists");
  store.Bind(flags);
  return RunStoreCommand(
      {flags,
       store,
       {"FILE"},
       [&](Store& opened,
           const std::vector<std::string>& positional) -> absl::StatusOr<int> {
         RK_RETURN_IF_ERROR(
             BackUpTo(positional[0], force, opened.maintenance()));
         return kOk;
       }},
      arguments);
}

}  // namespace rekindle
