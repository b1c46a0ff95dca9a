#include "metadata/sqlite/schema.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "metadata/sqlite/store_id.h"
#include "metadata/sqlite/transaction.h"

namespace rekindle {
namespace {

// ML Metadata's tables and indexes, version 10.
constexpr char kTables[] = R"sql(
CREATE TABLE `Type` (
  `id` INTEGER PRIMARY KEY AUTOINCREMENT,
  `name` VARCHAR(255) NOT NULL,
  `version` VARCHAR(255),
  `type_kind` TINYINT(1) NOT NULL,
  `description` TEXT,
  `input_type` TEXT,
  `output_type` TEXT,
  `external_id` VARCHAR(255) UNIQUE
);
CREATE TABLE `TypeProperty` (
  `type_id` INT NOT NULL,
  `name` VARCHAR(255) NOT NULL,
  `data_type` INT NULL,
  PRIMARY KEY (`type_id`, `name`)
);
CREATE TABLE `ParentType` (
  `type_id` INT NOT NULL,
  `parent_type_id` INT NOT NULL,
  PRIMARY KEY (`type_id`, `parent_type_id`)
);
CREATE TABLE `Artifact` (
  `id` INTEGER PRIMARY KEY AUTOINCREMENT,
  `type_id` INT NOT NULL,
  `uri` TEXT,
  `state` INT,
  `name` VARCHAR(255),
  `external_id` VARCHAR(255) UNIQUE,
  `create_time_since_epoch` INT NOT NULL DEFAULT 0,
  `last_update_time_since_epoch` INT NOT NULL DEFAULT 0,
  UNIQUE(`type_id`, `name`)
);
CREATE TABLE `ArtifactProperty` (
  `artifact_id` INT NOT NULL,
  `name` VARCHAR(255) NOT NULL,
  `is_custom_property` TINYINT(1) NOT NULL,
  `int_value` INT,
  `double_value` DOUBLE,
  `string_value` TEXT,
  `byte_value` BLOB,
  `proto_value` BLOB,
  `bool_value` BOOLEAN,
  PRIMARY KEY (`artifact_id`, `name`, `is_custom_property`)
);
CREATE TABLE `Execution` (
  `id` INTEGER PRIMARY KEY AUTOINCREMENT,
  `type_id` INT NOT NULL,
  `last_known_state` INT,
  `name` VARCHAR(255),
  `external_id` VARCHAR(255) UNIQUE,
  `create_time_since_epoch` INT NOT NULL DEFAULT 0,
  `last_update_time_since_epoch` INT NOT NULL DEFAULT 0,
  UNIQUE(`type_id`, `name`)
);
CREATE TABLE `ExecutionProperty` (
  `execution_id` INT NOT NULL,
  `name` VARCHAR(255) NOT NULL,
  `is_custom_property` TINYINT(1) NOT NULL,
  `int_value` INT,
  `double_value` DOUBLE,
  `string_value` TEXT,
  `byte_value` BLOB,
  `proto_value` BLOB,
  `bool_value` BOOLEAN,
  PRIMARY KEY (`execution_id`, `name`, `is_custom_property`)
);
CREATE TABLE `Event` (
  `id` INTEGER PRIMARY KEY AUTOINCREMENT,
  `artifact_id` INT NOT NULL,
  `execution_id` INT NOT NULL,
  `type` INT NOT NULL,
  `milliseconds_since_epoch` INT,
  UNIQUE(`artifact_id`, `execution_id`, `type`)
);
CREATE TABLE `EventPath` (
  `event_id` INT NOT NULL,
  `is_index_step` TINYINT(1) NOT NULL,
  `step_index` INT,
  `step_key` TEXT
);
CREATE TABLE `MLMDEnv` (
  `schema_version` INTEGER PRIMARY KEY
);
CREATE TABLE `Context` (
  `id` INTEGER PRIMARY KEY AUTOINCREMENT,
  `type_id` INT NOT NULL,
  `name` VARCHAR(255) NOT NULL,
  `external_id` VARCHAR(255) UNIQUE,
  `create_time_since_epoch` INT NOT NULL DEFAULT 0,
  `last_update_time_since_epoch` INT NOT NULL DEFAULT 0,
  UNIQUE(`type_id`, `name`)
);
CREATE TABLE `ContextProperty` (
  `context_id` INT NOT NULL,
  `name` VARCHAR(255) NOT NULL,
  `is_custom_property` TINYINT(1) NOT NULL,
  `int_value` INT,
  `double_value` DOUBLE,
  `string_value` TEXT,
  `byte_value` BLOB,
  `proto_value` BLOB,
  `bool_value` BOOLEAN,
  PRIMARY KEY (`context_id`, `name`, `is_custom_property`)
);
CREATE TABLE `ParentContext` (
  `context_id` INT NOT NULL,
  `parent_context_id` INT NOT NULL,
  PRIMARY KEY (`context_id`, `parent_context_id`)
);
CREATE TABLE `Association` (
  `id` INTEGER PRIMARY KEY AUTOINCREMENT,
  `context_id` INT NOT NULL,
  `execution_id` INT NOT NULL,
  UNIQUE(`context_id`, `execution_id`)
);
CREATE TABLE `Attribution` (
  `id` INTEGER PRIMARY KEY AUTOINCREMENT,
  `context_id` INT NOT NULL,
  `artifact_id` INT NOT NULL,
  UNIQUE(`context_id`, `artifact_id`)
);
CREATE INDEX `idx_artifact_uri`
  ON `Artifact`(`uri`);
CREATE INDEX `idx_artifact_create_time_since_epoch`
  ON `Artifact`(`create_time_since_epoch`);
CREATE INDEX `idx_artifact_last_update_time_since_epoch`
  ON `Artifact`(`last_update_time_since_epoch`);
CREATE INDEX `idx_event_execution_id`
  ON `Event`(`execution_id`);
CREATE INDEX `idx_parentcontext_parent_context_id`
  ON `ParentContext`(`parent_context_id`);
CREATE INDEX `idx_type_name`
  ON `Type`(`name`);
CREATE INDEX `idx_execution_create_time_since_epoch`
  ON `Execution`(`create_time_since_epoch`);
CREATE INDEX `idx_execution_last_update_time_since_epoch`
  ON `Execution`(`last_update_time_since_epoch`);
CREATE INDEX `idx_context_create_time_since_epoch`
  ON `Context`(`create_time_since_epoch`);
CREATE INDEX `idx_context_last_update_time_since_epoch`
  ON `Context`(`last_update_time_since_epoch`);
CREATE INDEX `idx_eventpath_event_id`
  ON `EventPath`(`event_id`);
CREATE INDEX `idx_artifact_property_int`
  ON `ArtifactProperty`(`name`, `is_custom_property`, `int_value`)
  WHERE `int_value` IS NOT NULL;
CREATE INDEX `idx_artifact_property_double`
  ON `ArtifactProperty`(`name`, `is_custom_property`, `double_value`)
  WHERE `double_value` IS NOT NULL;
CREATE INDEX `idx_artifact_property_string`
  ON `ArtifactProperty`(`name`, `is_custom_property`, `string_value`)
  WHERE `string_value` IS NOT NULL;
CREATE INDEX `idx_execution_property_int`
  ON `ExecutionProperty`(`name`, `is_custom_property`, `int_value`)
  WHERE `int_value` IS NOT NULL;
CREATE INDEX `idx_execution_property_double`
  ON `ExecutionProperty`(`name`, `is_custom_property`, `double_value`)
  WHERE `double_value` IS NOT NULL;
CREATE INDEX `idx_execution_property_string`
  ON `ExecutionProperty`(`name`, `is_custom_property`, `string_value`)
  WHERE `string_value` IS NOT NULL;
CREATE INDEX `idx_context_property_int`
  ON `ContextProperty`(`name`, `is_custom_property`, `int_value`)
  WHERE `int_value` IS NOT NULL;
CREATE INDEX `idx_context_property_double`
  ON `ContextProperty`(`name`, `is_custom_property`, `double_value`)
  WHERE `double_value` IS NOT NULL;
CREATE INDEX `idx_context_property_string`
  ON `ContextProperty`(`name`, `is_custom_property`, `string_value`)
  WHERE `string_value` IS NOT NULL;
CREATE INDEX `idx_type_external_id`
  ON `Type`(`external_id`);
CREATE INDEX `idx_artifact_external_id`
  ON `Artifact`(`external_id`);
CREATE INDEX `idx_execution_external_id`
  ON `Execution`(`external_id`);
CREATE INDEX `idx_context_external_id`
  ON `Context`(`external_id`);
)sql";

// The types that system-defined base types stand for. Kinds as in Type:
// 0 execution, 1 artifact, 2 context.
constexpr char kSimpleTypes[] = R"sql(
INSERT INTO `Type` (`name`, `type_kind`) VALUES
  ('mlmd.Dataset', 1),
  ('mlmd.Model', 1),
  ('mlmd.Metrics', 1),
  ('mlmd.Statistics', 1),
  ('mlmd.Train', 0),
  ('mlmd.Transform', 0),
  ('mlmd.Process', 0),
  ('mlmd.Evaluate', 0),
  ('mlmd.Deploy', 0);
)sql";

// What ML Metadata lacks: finding the contexts of a node without a scan, who
// owns a running execution, and which one does work that several ask for. A
// lease that is lost has merely ended; work that is lost is done twice.
constexpr char kIndexesAndLeases[] = R"sql(
CREATE INDEX IF NOT EXISTS rk_attribution_artifact
  ON Attribution(artifact_id, context_id);
CREATE INDEX IF NOT EXISTS rk_association_execution
  ON Association(execution_id, context_id);
CREATE TABLE IF NOT EXISTS rk_lease (
  execution_id INTEGER PRIMARY KEY,
  token INTEGER NOT NULL,
  expires_millis INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS rk_work (
  work_key TEXT PRIMARY KEY,
  execution_id INTEGER NOT NULL,
  token INTEGER NOT NULL
) WITHOUT ROWID;
)sql";

struct LatestPart {
  const char* drop;  // but for the name
  const char* name;
  const char* create;
};

// The artifacts of each context by type, state and age: finding the latest of a
// kind is one step, however many there are and whichever are LIVE. The triggers
// keep it right whoever writes, ML Metadata included.
constexpr LatestPart kLatest[] = {
    {"DROP TABLE IF EXISTS ", kLatestTable, R"sql(CREATE TABLE rk_latest (
  context_id INTEGER NOT NULL,
  type_id INTEGER NOT NULL,
  state INTEGER NOT NULL,
  create_time INTEGER NOT NULL,
  artifact_id INTEGER NOT NULL,
  PRIMARY KEY (context_id, type_id, state, create_time, artifact_id)
) WITHOUT ROWID)sql"},
    {"DROP TRIGGER IF EXISTS ", "rk_latest_attributed",
     R"sql(CREATE TRIGGER rk_latest_attributed AFTER INSERT ON Attribution BEGIN
  INSERT OR IGNORE INTO rk_latest
    SELECT NEW.context_id, type_id, ifnull(state, 0), create_time_since_epoch, id
    FROM Artifact WHERE id = NEW.artifact_id;
END)sql"},
    {"DROP TRIGGER IF EXISTS ", "rk_latest_unattributed",
     R"sql(CREATE TRIGGER rk_latest_unattributed AFTER DELETE ON Attribution BEGIN
  DELETE FROM rk_latest
    WHERE (context_id, type_id, state, create_time, artifact_id) IN (
      SELECT OLD.context_id, type_id, ifnull(state, 0),
             create_time_since_epoch, id
      FROM Artifact WHERE id = OLD.artifact_id);
END)sql"},
    {"DROP TRIGGER IF EXISTS ", "rk_latest_changed",
     R"sql(CREATE TRIGGER rk_latest_changed
  AFTER UPDATE OF type_id, state, create_time_since_epoch ON Artifact
  WHEN OLD.type_id IS NOT NEW.type_id OR OLD.state IS NOT NEW.state OR
       OLD.create_time_since_epoch IS NOT NEW.create_time_since_epoch
BEGIN
  DELETE FROM rk_latest
    WHERE (context_id, type_id, state, create_time, artifact_id) IN (
      SELECT context_id, OLD.type_id, ifnull(OLD.state, 0),
             OLD.create_time_since_epoch, OLD.id
      FROM Attribution WHERE artifact_id = OLD.id);
  INSERT OR IGNORE INTO rk_latest
    SELECT context_id, NEW.type_id, ifnull(NEW.state, 0),
           NEW.create_time_since_epoch, NEW.id
    FROM Attribution WHERE artifact_id = NEW.id;
END)sql"},
    {"DROP TRIGGER IF EXISTS ", "rk_latest_deleted",
     R"sql(CREATE TRIGGER rk_latest_deleted AFTER DELETE ON Artifact BEGIN
  DELETE FROM rk_latest
    WHERE (context_id, type_id, state, create_time, artifact_id) IN (
      SELECT context_id, OLD.type_id, ifnull(OLD.state, 0),
             OLD.create_time_since_epoch, OLD.id
      FROM Attribution WHERE artifact_id = OLD.id);
END)sql"},
};

constexpr char kFillLatest[] = R"sql(
INSERT INTO rk_latest
  SELECT t.context_id, a.type_id, ifnull(a.state, 0),
         a.create_time_since_epoch, a.id
  FROM Attribution t JOIN Artifact a ON a.id = t.artifact_id
)sql";

absl::StatusOr<bool> IsEmpty(Database& db) {
  RK_ASSIGN_OR_RETURN(const int64_t tables,
                      db.QueryInt("SELECT count(*) FROM sqlite_master "
                                  "WHERE type = 'table'"));
  return tables == 0;
}

// An empty database becomes a store; creating is one transaction, so that two
// processes that start together do not both create.
absl::Status CreateIfEmpty(Database& db) {
  // A commit writes whole pages, of which a put touches many: small ones.
  RK_RETURN_IF_ERROR(db.Execute("PRAGMA page_size = 2048"));
  RK_ASSIGN_OR_RETURN(Transaction transaction, Transaction::BeginWrite(db));
  RK_ASSIGN_OR_RETURN(const bool empty, IsEmpty(db));
  if (!empty) return absl::OkStatus();
  RK_RETURN_IF_ERROR(db.Execute(kTables));
  RK_RETURN_IF_ERROR(db.Execute(kSimpleTypes));
  RK_RETURN_IF_ERROR(db.Execute(
      absl::StrCat("INSERT INTO MLMDEnv VALUES (", kSchemaVersion, ")")));
  return transaction.Commit();
}

absl::Status CheckIsStore(Database& db, const std::string& path) {
  RK_ASSIGN_OR_RETURN(const bool is_store, HasTable(db, "MLMDEnv"));
  if (is_store) return absl::OkStatus();
  RK_ASSIGN_OR_RETURN(const bool empty, IsEmpty(db));
  return absl::FailedPreconditionError(
      absl::StrCat(path,
                   empty ? " is an empty database"
                         : " is a database, but not a metadata database",
                   "; name a metadata database, or a new file to create one"));
}

absl::Status CheckVersion(Database& db, const std::string& path) {
  RK_ASSIGN_OR_RETURN(const int64_t version,
                      db.QueryInt("SELECT schema_version FROM MLMDEnv"));
  if (version == kSchemaVersion) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "metadata database ", path, " has schema version ", version,
      ", this program needs version ", kSchemaVersion,
      version > kSchemaVersion
          ? "; use a newer program"
          : "; upgrade it with ml_metadata 1.17 (enable_upgrade_migration)"));
}

// Whether the table is there with all that keeps it right. SQLite keeps the
// text of a statement as it was written.
absl::StatusOr<bool> HasLatest(Database& db) {
  for (const LatestPart& part : kLatest) {
    RK_ASSIGN_OR_RETURN(
        Statement find,
        db.Prepare("SELECT 1 FROM sqlite_master WHERE name = ? AND sql = ?"));
    find.Bind(part.name, part.create);
    RK_ASSIGN_OR_RETURN(const bool found, find.Step());
    if (!found) return false;
  }
  return true;
}

// Fills the table from what is stored: the first time, and when somebody
// dropped a part of it, or another version of this program made it. One
// transaction: two processes that start together do not both fill it.
absl::Status CreateLatest(Database& db) {
  RK_ASSIGN_OR_RETURN(bool has, HasLatest(db));
  if (has) return absl::OkStatus();
  RK_ASSIGN_OR_RETURN(Transaction transaction, Transaction::BeginWrite(db));
  RK_ASSIGN_OR_RETURN(has, HasLatest(db));
  if (has) return absl::OkStatus();
  for (const LatestPart& part : kLatest) {
    RK_RETURN_IF_ERROR(db.Execute(absl::StrCat(part.drop, part.name)));
  }
  for (const LatestPart& part : kLatest) {
    RK_RETURN_IF_ERROR(db.Execute(part.create));
  }
  RK_RETURN_IF_ERROR(db.Execute(kFillLatest));
  return transaction.Commit();
}

// FULL makes a commit survive a loss of power. SQLite says nothing when it does
// not take a setting, as a build without it does not.
absl::Status SyncEveryCommit(Database& db) {
  constexpr int64_t kFull = 2;
  RK_RETURN_IF_ERROR(db.Execute("PRAGMA synchronous = FULL"));
  RK_ASSIGN_OR_RETURN(const int64_t level, db.QueryInt("PRAGMA synchronous"));
  if (level >= kFull) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "SQLite keeps synchronous=", level, " instead of ", kFull,
      " (FULL), so that a loss of power would lose commits; use a SQLite that "
      "can sync"));
}

// Write-ahead logging is a property of the file: it is set once it is known to
// be a store.
absl::Status SetUpWriting(Database& db, const std::string& path) {
  RK_RETURN_IF_ERROR(db.Execute("PRAGMA journal_mode = WAL"));
  RK_RETURN_IF_ERROR(SyncEveryCommit(db));
  // Less often than by default: fewer pages are copied more than once.
  RK_RETURN_IF_ERROR(db.Execute("PRAGMA wal_autocheckpoint = 10000"));
  RK_RETURN_IF_ERROR(db.Execute(kIndexesAndLeases));
  RK_RETURN_IF_ERROR(CreateLatest(db));
  return EnsureStoreId(db, path);
}

absl::Status PrepareTables(Database& db, const std::string& path,
                           Database::Mode mode) {
  RK_ASSIGN_OR_RETURN(const bool empty, IsEmpty(db));
  if (empty && mode == Database::Mode::kCreate) {
    RK_RETURN_IF_ERROR(CreateIfEmpty(db));
  }
  RK_RETURN_IF_ERROR(CheckIsStore(db, path));
  RK_RETURN_IF_ERROR(CheckVersion(db, path));
  return mode == Database::Mode::kReadOnly ? absl::OkStatus()
                                           : SetUpWriting(db, path);
}

}  // namespace

absl::StatusOr<bool> HasTable(Database& db, absl::string_view name) {
  RK_ASSIGN_OR_RETURN(Statement find,
                      db.Prepare("SELECT 1 FROM sqlite_master "
                                 "WHERE type = 'table' AND name = ?"));
  find.Bind(name);
  return find.Step();
}

absl::Status PrepareSchema(Database& db, const std::string& path,
                           Database::Mode mode) {
  absl::Status prepared = PrepareTables(db, path, mode);
  if (prepared.ok() || absl::StrContains(prepared.message(), path)) {
    return prepared;
  }
  if (absl::IsDataLoss(prepared)) {
    return absl::DataLossError(absl::StrCat(
        "metadata database ", path, " is damaged; restore it from a backup (",
        prepared.message(), ")"));
  }
  return {prepared.code(),
          absl::StrCat("metadata database ", path, ": ", prepared.message())};
}

}  // namespace rekindle
