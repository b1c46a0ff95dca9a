#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <string>
#include <unistd.h>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/file_util.h"
#include "base/status_macros.h"
#include "base/status_util.h"
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

constexpr char kStandardStream[] = "-";
constexpr int64_t kMebibyte = 1 << 20;
constexpr mode_t kPublicFile = 0644;

absl::Status ExportToFd(int fd, const std::string& name,
                        MaintenanceStore& store) {
  Progress progress("exported MiB");
  int64_t done = 0;
  return store.Export([&](absl::string_view bytes) {
    done += static_cast<int64_t>(bytes.size());
    progress.Update(done / kMebibyte, 0);
    return WriteAll(fd, bytes, name);
  });
}

absl::Status ExportToFile(const std::string& target, bool replace,
                          MaintenanceStore& store) {
  RK_ASSIGN_OR_RETURN(UnfinishedFile file,
                      UnfinishedFile::Create(target, replace));
  const int fd = open(file.path().c_str(),
                      O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kPublicFile);
  if (fd < 0) return ErrnoStatus(errno, "write", file.path());
  const absl::Cleanup close_fd = [fd] { close(fd); };
  RK_RETURN_IF_ERROR(ExportToFd(fd, target, store));
  return file.Commit();
}

}  // namespace

int MetadataExportCommand(const Arguments& arguments) {
  StoreFlags store;
  bool force = false;
  FlagSet flags(
      "metadata export [FILE|-] [flags]",
      "Writes everything in the store as JSON lines, one type, node, event or "
      "edge each\n(docs/export-format.md), to FILE or to standard output.",
      "rekindle metadata export - | gzip > metadata.jsonl.gz");
  flags.Bool("force", &force, "replace FILE if it exists");
  store.Bind(flags);
  return RunStoreCommand(
      {flags,
       store,
       {"[FILE|-]"},
       [&](Store& opened,
           const std::vector<std::string>& positional) -> absl::StatusOr<int> {
         const std::string target =
             positional.empty() ? kStandardStream : positional[0];
         RK_RETURN_IF_ERROR(
             target == kStandardStream
                 ? ExportToFd(STDOUT_FILENO, "standard output",
                              opened.maintenance())
                 : ExportToFile(target, force, opened.maintenance()));
         return kOk;
       }},
      arguments);
}

}  // namespace rekindle
