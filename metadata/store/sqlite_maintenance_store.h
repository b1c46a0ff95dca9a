// Internal to metadata/store.
#ifndef REKINDLE_METADATA_STORE_SQLITE_MAINTENANCE_STORE_H_
#define REKINDLE_METADATA_STORE_SQLITE_MAINTENANCE_STORE_H_

#include "metadata/api/maintenance_store.h"
#include "metadata/store/transactor.h"

namespace rekindle {

// Copies of a SQLite database. Thread-safe.
class SqliteMaintenanceStore : public MaintenanceStore {
 public:
  // `transactor` is not owned and must outlive the store.
  explicit SqliteMaintenanceStore(Transactor& transactor)
      : transactor_(transactor) {}

  absl::Status Backup(const std::string& path, Progress progress) override;
  absl::Status Export(Sink sink) override;
  absl::StatusOr<int64_t> Load(const std::string& path) override;

 private:
  Transactor& transactor_;
};

}  // namespace rekindle

#endif  // REKINDLE_METADATA_STORE_SQLITE_MAINTENANCE_STORE_H_
