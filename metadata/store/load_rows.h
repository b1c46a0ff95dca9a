// Internal to metadata/store.
#ifndef REKINDLE_METADATA_STORE_LOAD_ROWS_H_
#define REKINDLE_METADATA_STORE_LOAD_ROWS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "metadata/sqlite/database.h"
#include "metadata/store/declared_types.h"
#include "rekindle/v1/maintenance_service.pb.h"

namespace rekindle {

// Puts the records of an export into an empty store, inside a transaction:
// Begin, Add for each record in order, Finish. Thread-compatible.
class Loader {
 public:
  // `db` is not owned and must outlive this.
  explicit Loader(Database& db) : db_(db), types_(db) {}

  //   FAILED_PRECONDITION  the store is not empty
  absl::Status Begin();

  //   INVALID_ARGUMENT  the record is out of place, incomplete, or names what
  //                     did not come before it
  absl::Status Add(const v1::ExportRecord& record);

  //   INVALID_ARGUMENT  the end of the export did not come
  absl::Status Finish();

  // How many were added, header and end aside.
  int64_t records() const { return records_; }

 private:
  absl::Status AddItem(const v1::ExportRecord& record);
  absl::Status AddHeader(const v1::ExportHeader& header);
  absl::Status AddEnd(const v1::ExportEnd& end);

  Database& db_;
  DeclaredTypes types_;  // Types come before nodes.
  v1::ExportHeader header_;
  bool begun_ = false;
  bool ended_ = false;
  int64_t records_ = 0;
};

}  // namespace rekindle

#endif  // REKINDLE_METADATA_STORE_LOAD_ROWS_H_
