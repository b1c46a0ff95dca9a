#ifndef REKINDLE_METADATA_API_OPEN_STORE_H_
#define REKINDLE_METADATA_API_OPEN_STORE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/clock.h"
#include "metadata/api/maintenance_store.h"
#include "metadata/api/metadata_store.h"
#include "metadata/api/step_store.h"

namespace rekindle {

// An open store: the catalogue, the steps' side of it, and what keeps it safe.
// Thread-safe.
class Store {
 public:
  virtual ~Store() = default;

  // They live as long as the store.
  virtual MetadataStore& metadata() = 0;
  virtual StepStore& steps() = 0;
  virtual MaintenanceStore& maintenance() = 0;
};

struct OpenOptions {
  enum class Mode {
    kCreate,     // opens the file, creating it and its tables if absent
    kReadWrite,  // the file must exist
    kReadOnly,   // the file must exist; it is never written
  };
  Mode mode = Mode::kCreate;

  // Accept a network file system. SQLite's locks are unreliable there: two
  // writers can destroy the database.
  bool unsafe = false;
};

// Opens the store in the SQLite file at `path`; ":memory:" is one that is gone
// when closed. A file that is not a store is left untouched. `clock` is not
// owned and must outlive the store.
//
//   NOT_FOUND            no such file, or no folder to create it in
//   FAILED_PRECONDITION  a folder; not a SQLite database; a database of
//                        something else; another schema version; a network
//                        file system
//   PERMISSION_DENIED    the file or its folder cannot be read or written
//   DATA_LOSS            the database is damaged
//   ABORTED              another process holds the file locked
absl::StatusOr<std::unique_ptr<Store>> OpenSqliteStore(
    const std::string& path, const Clock& clock,
    const OpenOptions& options = {});

// Opens the store that `where` names, as a user writes it:
//
//   sqlite:PATH       a SQLite file; PATH alone is the same
//   grpc://HOST:PORT  a server; `options` do not matter
//
//   INVALID_ARGUMENT  neither of these
absl::StatusOr<std::unique_ptr<Store>> OpenStore(
    absl::string_view where, const Clock& clock,
    const OpenOptions& options = {});

}  // namespace rekindle

#endif  // REKINDLE_METADATA_API_OPEN_STORE_H_
