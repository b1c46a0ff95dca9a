#include "metadata/api/open_store.h"

#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/open_database.h"
#include "base/status_macros.h"
#include "metadata/api/grpc_store.h"
#include "metadata/sqlite/database.h"
#include "metadata/sqlite/file_check.h"
#include "metadata/sqlite/schema.h"
#include "metadata/store/sqlite_maintenance_store.h"
#include "metadata/store/sqlite_metadata_store.h"
#include "metadata/store/sqlite_step_store.h"
#include "metadata/store/transactor.h"

namespace rekindle {
namespace {

constexpr char kInMemory[] = ":memory:";

class SqliteStore : public Store {
 public:
  SqliteStore(std::unique_ptr<Database> db, ReaderPool::Open open_reader,
              const std::string& path, const Clock& clock)
      : open_(path),
        transactor_(std::move(db), std::move(open_reader), path),
        metadata_(transactor_, clock),
        steps_(transactor_, clock),
        maintenance_(transactor_) {}

  MetadataStore& metadata() override { return metadata_; }
  StepStore& steps() override { return steps_; }
  MaintenanceStore& maintenance() override { return maintenance_; }

 private:
  const OpenDatabase open_;  // as long as a connection is
  Transactor transactor_;
  SqliteMetadataStore metadata_;
  SqliteStepStore steps_;
  SqliteMaintenanceStore maintenance_;
};

Database::Mode DatabaseMode(OpenOptions::Mode mode) {
  switch (mode) {
    case OpenOptions::Mode::kCreate:
      return Database::Mode::kCreate;
    case OpenOptions::Mode::kReadWrite:
      return Database::Mode::kReadWrite;
    case OpenOptions::Mode::kReadOnly:
      return Database::Mode::kReadOnly;
  }
  return Database::Mode::kReadOnly;
}

// Opens further connections for reading to the database that `mode` opened.
ReaderPool::Open ReaderOpener(const std::string& path, Database::Mode mode) {
  if (path == kInMemory) return nullptr;
  if (mode == Database::Mode::kReadOnly) {
    return [path] { return Database::Open(path, Database::Mode::kReadOnly); };
  }
  // A connection that may write can read the log even after a crash.
  return [path]() -> absl::StatusOr<std::unique_ptr<Database>> {
    RK_ASSIGN_OR_RETURN(std::unique_ptr<Database> reader,
                        Database::Open(path, Database::Mode::kReadWrite));
    RK_RETURN_IF_ERROR(reader->Execute("PRAGMA query_only = ON"));
    return reader;
  };
}

}  // namespace

absl::StatusOr<std::unique_ptr<Store>> OpenSqliteStore(
    const std::string& path, const Clock& clock, const OpenOptions& options) {
  const Database::Mode mode = DatabaseMode(options.mode);
  if (path != kInMemory) {
    RK_RETURN_IF_ERROR(CheckDatabaseFile(path, mode, options.unsafe));
  }
  RK_ASSIGN_OR_RETURN(std::unique_ptr<Database> db, Database::Open(path, mode));
  RK_RETURN_IF_ERROR(PrepareSchema(*db, path, mode));
  return std::make_unique<SqliteStore>(std::move(db), ReaderOpener(path, mode),
                                       path, clock);
}

absl::StatusOr<std::unique_ptr<Store>> OpenStore(absl::string_view where,
                                                 const Clock& clock,
                                                 const OpenOptions& options) {
  absl::string_view rest = where;
  if (absl::ConsumePrefix(&rest, "grpc://") && !rest.empty()) {
    return ConnectGrpcStore(std::string(rest));
  }
  absl::ConsumePrefix(&rest, "sqlite:");
  if (rest.empty() || absl::StrContains(rest, "://")) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", where,
                     "' is not a metadata store; write sqlite:PATH "
                     "or grpc://HOST:PORT"));
  }
  return OpenSqliteStore(std::string(rest), clock, options);
}

}  // namespace rekindle
