#include "tests/soak/served_database.h"

#include <array>
#include <csignal>
#include <memory>
#include <string>
#include <unistd.h>

#include "absl/memory/memory.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "base/subprocess.h"
#include "metadata/sqlite/database.h"
#include "metadata/sqlite/statement.h"

namespace rekindle::soak {

absl::StatusOr<std::unique_ptr<ServedDatabase>> ServedDatabase::Start(
    const std::string& rekindle, const std::string& db) {
  RK_ASSIGN_OR_RETURN(
      std::unique_ptr<Subprocess> process,
      Subprocess::Start({rekindle, "serve", "--db", db, "--grpc-port", "0"}));
  return absl::WrapUnique(new ServedDatabase(std::move(process)));
}

absl::StatusOr<std::string> ServedDatabase::WaitUntilListening() {
  const std::string before = "listening on grpc://";
  std::string said;
  std::array<char, 512> buffer;
  while (said.find('\n') == std::string::npos) {
    const ssize_t n = read(process_->output_fd(), buffer.data(), buffer.size());
    if (n <= 0) break;
    said.append(buffer.data(), n);
  }
  const size_t at = said.find(before);
  if (at == std::string::npos) {
    return absl::InternalError(
        absl::StrCat("the server did not start; it said: ", said));
  }
  const size_t from = at + before.size();
  return said.substr(from, said.find('\n', from) - from);
}

void ServedDatabase::Kill() {
  process_->Signal(SIGKILL);
  process_->Wait();
}

absl::Status ServedDatabase::Stop() {
  process_->Signal(SIGTERM);
  const ProcessEnd end = process_->Wait();
  if (end.ok()) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("SIGTERM ended the server with ",
                                          end.exit_code, ", signal ",
                                          end.signal));
}

absl::Status CheckIntegrity(const std::string& db) {
  RK_ASSIGN_OR_RETURN(const std::unique_ptr<Database> database,
                      Database::Open(db, Database::Mode::kReadOnly));
  RK_ASSIGN_OR_RETURN(Statement check,
                      database->Prepare("PRAGMA integrity_check"));
  RK_ASSIGN_OR_RETURN(const bool answered, check.Step());
  const std::string answer(answered ? check.Text(0) : "nothing");
  if (answer == "ok") return absl::OkStatus();
  return absl::DataLossError(
      absl::StrCat("PRAGMA integrity_check says: ", answer));
}

absl::Status LoseRow(const std::string& db, const std::string& table) {
  RK_ASSIGN_OR_RETURN(const std::unique_ptr<Database> database,
                      Database::Open(db, Database::Mode::kReadWrite));
  return database->Execute(absl::StrCat("DELETE FROM ", table,
                                        " WHERE rowid = (SELECT rowid FROM ",
                                        table, " ORDER BY random() LIMIT 1)"));
}

}  // namespace rekindle::soak
