#include <cerrno>
#include <cstdint>
#include <iostream>
#include <string>
#include <unistd.h>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/status_macros.h"
#include "base/status_util.h"
#include "base/temporary_file.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/flag_set.h"
#include "cli/metadata/store_command.h"
#include "cli/output.h"
#include "cli/store_flags.h"
#include "metadata/api/maintenance_store.h"
#include "metadata/api/open_store.h"

namespace rekindle {
namespace {

// What comes on standard input, as a file: a load reads it as often as needed.
absl::StatusOr<TemporaryFile> ReadStandardInput() {
  constexpr size_t kBufferBytes = 1 << 20;
  RK_ASSIGN_OR_RETURN(TemporaryFile file, TemporaryFile::Create());
  file.HideName();
  std::string buffer(kBufferBytes, '\0');
  while (true) {
    const ssize_t n = read(STDIN_FILENO, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return ErrnoStatus(errno, "read", "standard input");
    if (n == 0) return file;
    RK_RETURN_IF_ERROR(file.Append({buffer.data(), static_cast<size_t>(n)}));
  }
}

absl::StatusOr<int64_t> Load(const std::string& source,
                             MaintenanceStore& store) {
  if (source == "-") {
    RK_ASSIGN_OR_RETURN(const TemporaryFile file, ReadStandardInput());
    return store.Load(file.path());
  }
  absl::StatusOr<int64_t> records = store.Load(source);
  if (absl::IsInvalidArgument(records.status())) {
    return WithContext(records.status(), source);
  }
  return records;
}

}  // namespace

int MetadataLoadCommand(const Arguments& arguments) {
  StoreFlags store;
  std::string format;
  FlagSet flags(
      "metadata load FILE|- [flags]",
      "Puts what 'metadata export' wrote into an empty store, with the same "
      "ids "
      "and times,\nall of it or nothing. A store that does not exist is "
      "created.",
      "rekindle metadata load metadata.jsonl --db=new.db");
  flags.Format(kOutputFormats, &format);
  store.Bind(flags);
  return RunStoreCommand(
      {flags,
       store,
       {"FILE|-"},
       [&](Store& opened,
           const std::vector<std::string>& positional) -> absl::StatusOr<int> {
         RK_ASSIGN_OR_RETURN(const int64_t records,
                             Load(positional[0], opened.maintenance()));
         std::cout << Render({{"records", records}}, format);
         return kOk;
       },
       OpenOptions::Mode::kCreate},
      arguments);
}

}  // namespace rekindle
