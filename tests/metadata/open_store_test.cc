#include "metadata/api/open_store.h"

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sqlite3.h>
#include <sstream>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "base/deadline.h"
#include "base/digest.h"
#include "tests/support/status_matchers.h"

namespace rekindle {
namespace {

using ::absl::StatusCode;
using ::testing::AllOf;
using ::testing::HasSubstr;
using Mode = OpenOptions::Mode;

class OpenStoreTest : public ::testing::Test {
 protected:
  OpenStoreTest() {
    std::string pattern = std::filesystem::temp_directory_path() / "rk.XXXXXX";
    folder_ = mkdtemp(pattern.data());
    path_ = folder_ / "metadata.db";
  }
  ~OpenStoreTest() override {
    std::filesystem::permissions(folder_, std::filesystem::perms::owner_all);
    std::filesystem::remove_all(folder_);
  }

  absl::StatusOr<std::unique_ptr<Store>> Open(Mode mode) {
    return OpenSqliteStore(path_, SystemClock(), {.mode = mode});
  }
  void Write(const std::string& bytes) { std::ofstream(path_) << bytes; }
  std::string Read() {
    std::stringstream bytes;
    bytes << std::ifstream(path_, std::ios::binary).rdbuf();
    return bytes.str();
  }
  void Execute(const std::string& sql) {
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open(path_.c_str(), &db), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr),
              SQLITE_OK)
        << sqlite3_errmsg(db);
    sqlite3_close(db);
  }

  // The first value that the query returns.
  std::string Query(const std::string& sql) {
    std::string value;
    sqlite3* db = nullptr;
    EXPECT_EQ(sqlite3_open(path_.c_str(), &db), SQLITE_OK);
    sqlite3_stmt* query = nullptr;
    EXPECT_EQ(sqlite3_prepare_v2(db, sql.c_str(), -1, &query, nullptr),
              SQLITE_OK);
    if (sqlite3_step(query) == SQLITE_ROW) {
      value = reinterpret_cast<const char*>(sqlite3_column_text(query, 0));
    }
    sqlite3_finalize(query);
    sqlite3_close(db);
    return value;
  }

  void ReadInAnotherProcess() {
    const std::string other = absl::StrCat(
        "python3 -c 'import sqlite3; c = sqlite3.connect(\"", path_.string(),
        "\"); c.execute(\"SELECT * FROM Type\").fetchall(); c.close()'");
    ASSERT_EQ(std::system(other.c_str()), 0);
  }

  static int64_t PutType(Store& store) {
    ml_metadata::PutArtifactTypeRequest request;
    request.mutable_artifact_type()->set_name("Data");
    const auto put = store.metadata().PutArtifactType(request);
    EXPECT_THAT(put, IsOk());
    return put.ok() ? put->type_id() : 0;
  }
  static absl::Status PutArtifact(Store& store, int64_t type,
                                  const std::string& uri) {
    ml_metadata::PutArtifactsRequest request;
    request.add_artifacts()->set_type_id(type);
    request.mutable_artifacts(0)->set_uri(uri);
    return store.metadata().PutArtifacts(request).status();
  }
  static int CountArtifacts(Store& store) {
    const auto artifacts = store.metadata().GetArtifacts({});
    EXPECT_THAT(artifacts, IsOk());
    return artifacts.ok() ? artifacts->artifacts_size() : -1;
  }

  std::filesystem::path folder_;
  std::filesystem::path path_;
};

TEST_F(OpenStoreTest, CreatesAFileAndOpensItAgain) {
  EXPECT_THAT(Open(Mode::kCreate), IsOk());
  EXPECT_THAT(Open(Mode::kReadWrite), IsOk());
  EXPECT_THAT(Open(Mode::kReadOnly), IsOk());
}

TEST_F(OpenStoreTest, FillsAnEmptyFile) {
  Write("");
  EXPECT_THAT(Open(Mode::kReadWrite),
              StatusIs(StatusCode::kFailedPrecondition));
  EXPECT_THAT(Open(Mode::kCreate), IsOk());
}

TEST_F(OpenStoreTest, AMissingFileIsNotCreatedUnlessAsked) {
  EXPECT_THAT(Open(Mode::kReadWrite),
              StatusIs(StatusCode::kNotFound, HasSubstr(path_.string())));
  EXPECT_THAT(Open(Mode::kReadOnly), StatusIs(StatusCode::kNotFound));
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(OpenStoreTest, AMissingFolderIsNamed) {
  path_ = folder_ / "absent" / "metadata.db";
  EXPECT_THAT(Open(Mode::kCreate),
              StatusIs(StatusCode::kNotFound, HasSubstr("there is no folder")));
}

TEST_F(OpenStoreTest, AFolderIsNamedWholeHoweverThePathIsGiven) {
  const auto absent = std::filesystem::current_path() / "absent.folder";
  path_ = "absent.folder/metadata.db";
  EXPECT_THAT(Open(Mode::kCreate),
              StatusIs(StatusCode::kNotFound, HasSubstr(absent.string())));
}

TEST_F(OpenStoreTest, AFolderIsNotADatabase) {
  path_ = folder_;
  EXPECT_THAT(Open(Mode::kCreate), StatusIs(StatusCode::kFailedPrecondition,
                                            AllOf(HasSubstr(path_.string()),
                                                  HasSubstr("is a folder"))));
}

TEST_F(OpenStoreTest, AFileOfSomethingElseIsLeftUntouched) {
  Write("species,island\nAdelie,Torgersen\n");
  EXPECT_THAT(Open(Mode::kCreate),
              StatusIs(StatusCode::kFailedPrecondition,
                       HasSubstr("is not a SQLite database")));
  EXPECT_EQ(Read(), "species,island\nAdelie,Torgersen\n");
}

TEST_F(OpenStoreTest, ADatabaseOfSomethingElseIsLeftUntouched) {
  Execute("CREATE TABLE songs (title TEXT)");
  const std::string before = Read();
  EXPECT_THAT(Open(Mode::kCreate),
              StatusIs(StatusCode::kFailedPrecondition,
                       HasSubstr("not a metadata database")));
  EXPECT_EQ(Read(), before);
}

TEST_F(OpenStoreTest, AnotherSchemaVersionIsRefused) {
  EXPECT_THAT(Open(Mode::kCreate), IsOk());
  Execute("UPDATE MLMDEnv SET schema_version = 11");
  EXPECT_THAT(Open(Mode::kReadWrite),
              StatusIs(StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("version 11"),
                             HasSubstr("use a newer program"))));
  Execute("UPDATE MLMDEnv SET schema_version = 7");
  EXPECT_THAT(Open(Mode::kReadWrite),
              StatusIs(StatusCode::kFailedPrecondition, HasSubstr("upgrade")));
}

TEST_F(OpenStoreTest, ADamagedDatabaseIsDataLoss) {
  EXPECT_THAT(Open(Mode::kCreate), IsOk());
  std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(100);
  file << std::string(2000, 'x');
  file.close();
  EXPECT_THAT(Open(Mode::kReadWrite),
              StatusIs(StatusCode::kDataLoss,
                       AllOf(HasSubstr(path_.string()),
                             HasSubstr("restore it from a backup"))));
}

constexpr uid_t kNobody = 65534;

// Root may write everywhere: the child becomes nobody first.
int OpenAsNobody(const std::string& path, Mode mode) {
  if (geteuid() == 0 && setresuid(kNobody, kNobody, kNobody) != 0) return 1;
  const auto store = OpenSqliteStore(path, SystemClock(), {.mode = mode});
  std::cerr << store.status();
  return store.ok() ? 0 : 2;
}

// Who may not is named: in a container that is rarely who one thinks.
std::string NotAllowed(absl::string_view what) {
  return absl::StrCat("PERMISSION_DENIED.*not ", what, " by user ",
                      geteuid() == 0 ? kNobody : geteuid(), ";");
}

TEST_F(OpenStoreTest, AnUnwritableFolderIsNamedAndTheUserWhoMayNot) {
  std::filesystem::permissions(folder_,
                               static_cast<std::filesystem::perms>(0555));
  EXPECT_EXIT(std::exit(OpenAsNobody(path_, Mode::kCreate)),
              ::testing::ExitedWithCode(2), NotAllowed("writable"));
}

TEST_F(OpenStoreTest, AnUnreadableFileIsNamedAndTheUserWhoMayNot) {
  EXPECT_THAT(Open(Mode::kCreate), IsOk());
  std::filesystem::permissions(folder_,
                               static_cast<std::filesystem::perms>(0777));
  std::filesystem::permissions(path_, static_cast<std::filesystem::perms>(0));
  EXPECT_EXIT(std::exit(OpenAsNobody(path_, Mode::kReadOnly)),
              ::testing::ExitedWithCode(2), NotAllowed("readable"));
}

TEST_F(OpenStoreTest, AReadOnlyStoreAnswersAndRefusesToWrite) {
  EXPECT_THAT(Open(Mode::kCreate), IsOk());
  RK_ASSERT_OK_AND_ASSIGN(const auto store, Open(Mode::kReadOnly));
  EXPECT_THAT(store->metadata().GetArtifacts({}), IsOk());
  EXPECT_THAT(store->metadata().PutArtifacts({}),
              StatusIs(StatusCode::kPermissionDenied));
}

TEST_F(OpenStoreTest, AReadPastItsDeadlineIsGivenUp) {
  RK_ASSERT_OK_AND_ASSIGN(const auto store, Open(Mode::kCreate));
  ml_metadata::PutArtifactTypeRequest type;
  type.mutable_artifact_type()->set_name("Model");
  RK_ASSERT_OK_AND_ASSIGN(const auto type_id,
                          store->metadata().PutArtifactType(type));
  ml_metadata::PutArtifactsRequest artifacts;
  for (int i = 0; i < 5000; ++i) {
    artifacts.add_artifacts()->set_type_id(type_id.type_id());
  }
  EXPECT_THAT(store->metadata().PutArtifacts(artifacts), IsOk());
  {
    const ScopedDeadline over(absl::InfinitePast());
    EXPECT_THAT(store->metadata().GetArtifacts({}),
                StatusIs(StatusCode::kDeadlineExceeded));
    // Writes are finished.
    EXPECT_THAT(store->metadata().PutArtifacts(artifacts), IsOk());
  }
  RK_ASSERT_OK_AND_ASSIGN(const auto all, store->metadata().GetArtifacts({}));
  EXPECT_EQ(all.artifacts_size(), 10000);
}

TEST_F(OpenStoreTest, ALockedDatabaseIsAbortedAndUnchanged) {
  RK_ASSERT_OK_AND_ASSIGN(const auto store, Open(Mode::kCreate));
  const int64_t type = PutType(*store);
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(path_.c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr),
            SQLITE_OK);
  EXPECT_THAT(PutArtifact(*store, type, "u"),
              StatusIs(StatusCode::kAborted, HasSubstr("is locked")));
  EXPECT_EQ(CountArtifacts(*store), 0);
  sqlite3_close(other);
  EXPECT_THAT(PutArtifact(*store, type, "u"), IsOk());
}

// While it lives, no file of this process grows beyond `bytes`: every write
// past it fails as on a full disk.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit = {bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, SIG_DFL);
  }

 private:
  rlimit before_ = {};
};

TEST_F(OpenStoreTest, AFullDiskLosesNothingThatWasAcknowledged) {
  RK_ASSERT_OK_AND_ASSIGN(auto store, Open(Mode::kCreate));
  const int64_t type = PutType(*store);
  const std::string uri(100'000, 'u');
  int put = 0;
  {
    const FullDisk full(1'000'000);
    absl::Status status;
    while (put < 100 && (status = PutArtifact(*store, type, uri)).ok()) ++put;
    EXPECT_THAT(status, StatusIs(StatusCode::kResourceExhausted,
                                 HasSubstr("free some space")));
    EXPECT_GT(put, 0);
    EXPECT_EQ(CountArtifacts(*store), put);
  }
  EXPECT_THAT(PutArtifact(*store, type, uri), IsOk());
  store.reset();
  RK_ASSERT_OK_AND_ASSIGN(store, Open(Mode::kReadOnly));
  EXPECT_EQ(CountArtifacts(*store), put + 1);
  EXPECT_EQ(Query("PRAGMA integrity_check"), "ok");
}

TEST_F(OpenStoreTest, ADamagedTableIsDataLossNotSilence) {
  RK_ASSERT_OK_AND_ASSIGN(auto store, Open(Mode::kCreate));
  const int64_t type = PutType(*store);
  for (int i = 0; i < 50; ++i) {
    EXPECT_THAT(PutArtifact(*store, type, std::string(500, 'u')), IsOk());
  }
  store.reset();
  // Everything but the first pages, which hold the schema.
  std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(-40'000, std::ios::end);
  file << std::string(40'000, 'x');
  file.close();
  store = *Open(Mode::kReadOnly);
  EXPECT_THAT(store->metadata().GetArtifacts({}),
              StatusIs(StatusCode::kDataLoss, HasSubstr("is damaged")));
}

// Whoever closes a database last removes its log. A process that has it open
// keeps others from being last by a lock, which it would lose with the closing
// of any descriptor of the file.
TEST_F(OpenStoreTest, OpeningItAgainDoesNotGiveUpTheLocksOfTheFirst) {
  RK_ASSERT_OK_AND_ASSIGN(const auto store, Open(Mode::kCreate));
  const int64_t type = PutType(*store);
  RK_ASSERT_OK_AND_ASSIGN(auto second, Open(Mode::kReadWrite));
  second.reset();
  ReadInAnotherProcess();
  EXPECT_TRUE(std::filesystem::exists(path_.string() + "-wal"));
  EXPECT_THAT(PutArtifact(*store, type, "u"), IsOk());
  EXPECT_EQ(Query("SELECT count(*) FROM Artifact"), "1");
}

TEST_F(OpenStoreTest, AFileThatIsReplacedIsNoticedByWritersAndReaders) {
  RK_ASSERT_OK_AND_ASSIGN(const auto store, Open(Mode::kCreate));
  const int64_t type = PutType(*store);
  const std::filesystem::path aside = folder_ / "aside.db";
  std::filesystem::rename(path_, aside);
  const auto deleted =
      StatusIs(StatusCode::kUnavailable,
               AllOf(HasSubstr(path_.string()), HasSubstr("was deleted")));
  EXPECT_THAT(PutArtifact(*store, type, "u"), deleted);
  EXPECT_THAT(store->metadata().GetArtifacts({}), deleted);
  std::filesystem::copy_file(aside, path_);
  EXPECT_THAT(PutArtifact(*store, type, "u"),
              StatusIs(StatusCode::kUnavailable, HasSubstr("was replaced")));
  std::filesystem::rename(aside, path_);
  EXPECT_THAT(PutArtifact(*store, type, "u"), IsOk());
  EXPECT_EQ(CountArtifacts(*store), 1);
}

TEST_F(OpenStoreTest, AllThatIsOursMayBeDroppedEachAloneAndAllAtOnce) {
  EXPECT_THAT(Open(Mode::kCreate), IsOk());
  const std::string list =
      "SELECT group_concat(type || ' ' || name, ';') FROM (SELECT type, name "
      "FROM sqlite_master WHERE name LIKE 'rk!_%' ESCAPE '!' ORDER BY name)";
  const std::string ours = Query(list);
  const std::vector<std::string> parts = absl::StrSplit(ours, ';');
  ASSERT_GE(parts.size(), 9);
  for (const std::string& part : parts) {
    Execute(absl::StrCat("DROP ", part));
    EXPECT_THAT(Open(Mode::kReadWrite), IsOk()) << part;
    EXPECT_EQ(Query(list), ours) << part;
  }
  for (const std::string& part : parts) Execute(absl::StrCat("DROP ", part));
  EXPECT_THAT(Open(Mode::kReadWrite), IsOk());
  EXPECT_EQ(Query(list), ours);
}

TEST_F(OpenStoreTest, ItsFilesAreNotDigestedWhileItIsOpen) {
  RK_ASSERT_OK_AND_ASSIGN(auto store, Open(Mode::kCreate));
  const int64_t type = PutType(*store);
  std::filesystem::create_hard_link(path_, folder_ / "link");
  for (const std::string& path :
       {folder_.string(), path_.string(), path_.string() + "-wal",
        path_.string() + "-shm", (folder_ / "link").string()}) {
    EXPECT_THAT(DigestTree(path),
                StatusIs(StatusCode::kFailedPrecondition,
                         HasSubstr("belongs to the metadata database")))
        << path;
  }
  ReadInAnotherProcess();
  EXPECT_TRUE(std::filesystem::exists(path_.string() + "-wal"))
      << "its locks are lost";
  EXPECT_THAT(PutArtifact(*store, type, "u"), IsOk());
  store.reset();
  EXPECT_THAT(DigestTree(folder_), IsOk());
}

}  // namespace
}  // namespace rekindle
