#ifndef REKINDLE_METADATA_API_MAINTENANCE_STORE_H_
#define REKINDLE_METADATA_API_MAINTENANCE_STORE_H_

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace rekindle {

// What keeps a store safe: copies of it, while it is in use. Thread-safe.
class MaintenanceStore {
 public:
  virtual ~MaintenanceStore() = default;

  // Told how far long work has come, in bytes; `total` is 0 while it is not
  // known. An error stops the work and is its answer.
  using Progress = absl::FunctionRef<absl::Status(int64_t done, int64_t total)>;

  // Takes the next bytes of a file. An error stops the work and is its answer.
  using Sink = absl::FunctionRef<absl::Status(absl::string_view bytes)>;

  // Copies the whole store, as it is now, into a new SQLite file at `path` on
  // this machine, and flushes it to the disk. Writers are not held up. After an
  // error a part of the file may be left.
  //
  //   FAILED_PRECONDITION  the store is in memory only
  //   RESOURCE_EXHAUSTED   the disk is full
  virtual absl::Status Backup(const std::string& path, Progress progress) = 0;

  // Writes everything in the store, as it is now, as JSON lines
  // (docs/export-format.md). Memory is bounded.
  virtual absl::Status Export(Sink sink) = 0;

  // Puts the export in the file at `path`, on this machine, into the store,
  // which must be empty: the same ids and times, all of it or nothing. Returns
  // how many records it had.
  //
  //   INVALID_ARGUMENT     the file is not a whole export; names the line
  //   FAILED_PRECONDITION  the store is not empty
  virtual absl::StatusOr<int64_t> Load(const std::string& path) = 0;
};

}  // namespace rekindle

#endif  // REKINDLE_METADATA_API_MAINTENANCE_STORE_H_
