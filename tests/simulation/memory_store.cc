#include "tests/simulation/memory_store.h"

#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "base/status_macros.h"
#include "metadata/sqlite/database.h"
#include "metadata/sqlite/schema.h"
#include "metadata/sqlite/statement.h"
#include "ml_metadata/proto/metadata_store_service.pb.h"

namespace rekindle::simulation {
namespace {

constexpr char kInMemory[] = ":memory:";

// The simulation itself cannot go on.
void Require(const absl::Status& status) {
  if (status.ok()) return;
  std::cerr << "simulation: " << status << "\n";
  std::exit(2);
}

std::unique_ptr<Database> OpenDatabase() {
  auto db = Database::Open(kInMemory, Database::Mode::kCreate);
  Require(db.status());
  Require(PrepareSchema(**db, kInMemory, Database::Mode::kCreate));
  return *std::move(db);
}

// SQL that empties all tables but those that say what a store is. Indexes of
// ours first: their triggers then find nothing to do.
absl::Status DescribeClearing(Database& db, std::vector<std::string>& sql) {
  RK_ASSIGN_OR_RETURN(
      Statement tables,
      db.Prepare("SELECT name FROM sqlite_master WHERE type = 'table' "
                 "AND name NOT IN ('Type', 'TypeProperty', 'ParentType', "
                 "'MLMDEnv', 'sqlite_sequence', 'rk_store') "
                 "ORDER BY name LIKE 'rk%' DESC"));
  while (true) {
    RK_ASSIGN_OR_RETURN(const bool more, tables.Step());
    if (!more) break;
    sql.push_back(absl::StrCat("DELETE FROM `", tables.Text(0), "`"));
  }
  sql.emplace_back("DELETE FROM sqlite_sequence WHERE name != 'Type'");
  return absl::OkStatus();
}

absl::Status RunEach(const std::vector<std::string>& statements, Database& db) {
  for (const std::string& sql : statements) {
    RK_ASSIGN_OR_RETURN(Statement statement, db.Prepare(sql));
    RK_RETURN_IF_ERROR(statement.Run());
  }
  return absl::OkStatus();
}

}  // namespace

MemoryStore::MemoryStore()
    : transactor_(OpenDatabase(), nullptr, kInMemory),
      metadata_(transactor_, clock_),
      steps_(transactor_, clock_),
      maintenance_(transactor_) {
  DeclareTypes();
  Require(transactor_
              .Write<std::string>([this](Database& db, std::string&) {
                return DescribeClearing(db, clearing_);
              })
              .status());
}

void MemoryStore::DeclareTypes() {
  ml_metadata::PutTypesRequest request;
  request.add_artifact_types()->set_name("Dataset");
  request.add_execution_types()->set_name("Import");
  request.add_context_types()->set_name("pipeline");
  const auto types = metadata_.PutTypes(request);
  Require(types.status());
  types_ = {types->artifact_type_ids(0), types->execution_type_ids(0),
            types->context_type_ids(0)};
}

void MemoryStore::Clear(const Clock& clock) {
  clock_.clock = &clock;
  Require(transactor_
              .Write<std::string>([this](Database& db, std::string&) {
                return RunEach(clearing_, db);
              })
              .status());
}

}  // namespace rekindle::simulation
