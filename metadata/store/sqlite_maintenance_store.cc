#include "metadata/store/sqlite_maintenance_store.h"

#include <cerrno>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "base/status_util.h"
#include "metadata/sqlite/backup.h"
#include "metadata/store/export_rows.h"
#include "metadata/store/load_rows.h"
#include "metadata/store/record_json.h"

namespace rekindle {
namespace {

// A transaction that answers nothing.
struct Nothing {};

// Writes records as lines, some of them at a time.
class LineWriter {
 public:
  explicit LineWriter(MaintenanceStore::Sink sink) : sink_(sink) {}

  absl::Status Write(const v1::ExportRecord& record) {
    RK_ASSIGN_OR_RETURN(const std::string line, RecordToJson(record));
    absl::StrAppend(&buffer_, line, "\n");
    return buffer_.size() < kBufferBytes ? absl::OkStatus() : Flush();
  }

  absl::Status Flush() {
    RK_RETURN_IF_ERROR(sink_(buffer_));
    buffer_.clear();
    return absl::OkStatus();
  }

 private:
  static constexpr size_t kBufferBytes = 256 << 10;

  MaintenanceStore::Sink sink_;
  std::string buffer_;
};

// Reads records from a file, line by line.
class RecordFile {
 public:
  explicit RecordFile(const std::string& path) : file_(path) {}

  bool opened() const { return file_.is_open(); }

  // The next record; nullopt at the end of the file.
  absl::StatusOr<std::optional<v1::ExportRecord>> Next() {
    if (!std::getline(file_, text_)) return std::nullopt;
    ++line_;
    absl::StatusOr<v1::ExportRecord> record = RecordFromJson(text_);
    if (!record.ok()) {
      return Explain(absl::InvalidArgumentError(absl::StrCat(
          "not a record of an export (", record.status().message(), ")")));
    }
    return *std::move(record);
  }

  // What went wrong with the last record, with its place.
  absl::Status Explain(const absl::Status& status) const {
    return WithContext(status, absl::StrCat("line ", line_));
  }

 private:
  std::ifstream file_;
  std::string text_;
  int64_t line_ = 0;
};

absl::Status LoadFile(Database& db, RecordFile& file, int64_t& records) {
  Loader loader(db);
  RK_RETURN_IF_ERROR(loader.Begin());
  while (true) {
    RK_ASSIGN_OR_RETURN(const std::optional<v1::ExportRecord> record,
                        file.Next());
    if (!record.has_value()) break;
    RK_RETURN_IF_ERROR(file.Explain(loader.Add(*record)));
  }
  RK_RETURN_IF_ERROR(loader.Finish());
  records = loader.records();
  return absl::OkStatus();
}

}  // namespace

absl::Status SqliteMaintenanceStore::Backup(const std::string& path,
                                            Progress progress) {
  if (transactor_.in_memory()) {
    return absl::FailedPreconditionError(
        "a store in memory has no file to copy; export it instead");
  }
  return transactor_
      .Read<Nothing>(
          [&](Database& db, Nothing&) { return BackUp(db, path, progress); })
      .status();
}

absl::Status SqliteMaintenanceStore::Export(Sink sink) {
  LineWriter lines(sink);
  return transactor_
      .Read<Nothing>([&](Database& db, Nothing&) -> absl::Status {
        RK_RETURN_IF_ERROR(
            ExportRecords(db, [&lines](const v1::ExportRecord& record) {
              return lines.Write(record);
            }));
        return lines.Flush();
      })
      .status();
}

absl::StatusOr<int64_t> SqliteMaintenanceStore::Load(const std::string& path) {
  RecordFile file(path);
  if (!file.opened()) return ErrnoStatus(errno, "read", path);
  return transactor_.WriteAlone<int64_t>([&](Database& db, int64_t& records) {
    return LoadFile(db, file, records);
  });
}

}  // namespace rekindle
