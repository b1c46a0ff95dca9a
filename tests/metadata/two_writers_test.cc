// Two processes write to one file, and a large write of one of them fails. Once
// that took with it what the other one had been promised.
#include <csignal>
#include <functional>
#include <memory>
#include <sqlite3.h>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "metadata/api/grpc_store.h"
#include "metadata/api/open_store.h"
#include "metadata/server/metadata_server.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

constexpr int kRounds = 50;
constexpr int kPuts = 80;
// How many artifacts are a little more than SQLite keeps in memory: what it
// writes of them to the log is less than the other one writes there. More of
// them from round to round, so that it stops at another point each time.
constexpr int kLarge = 1200;

// Another process, whose input and output are pipes.
class Other {
 public:
  // `run` gets what is asked for by Ask() and returns the answer; the process
  // ends when nobody asks any more.
  explicit Other(const std::function<int(int)>& run) {
    int asked[2] = {};
    int answered[2] = {};
    EXPECT_EQ(pipe(asked) | pipe(answered), 0);
    process_ = fork();
    if (process_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      close(asked[1]);
      for (int question = 0; Read(asked[0], question);) {
        Write(answered[1], run(question));
      }
      _exit(0);
    }
    close(asked[0]);
    close(answered[1]);
    ask_ = asked[1];
    answer_ = answered[0];
  }
  ~Other() {
    close(ask_);
    waitpid(process_, nullptr, 0);
    close(answer_);
  }
  Other(const Other&) = delete;
  Other& operator=(const Other&) = delete;

  int Ask(int question) {
    Write(ask_, question);
    int answer = -1;
    EXPECT_TRUE(Read(answer_, answer));
    return answer;
  }

 private:
  static bool Read(int fd, int& number) {
    return read(fd, &number, sizeof(number)) == sizeof(number);
  }
  static void Write(int fd, int number) {
    EXPECT_EQ(write(fd, &number, sizeof(number)), ssize_t{sizeof(number)});
  }

  pid_t process_ = -1;
  int ask_ = -1;
  int answer_ = -1;
};

std::unique_ptr<Store> Open(const std::string& path) {
  return OpenSqliteStore(path, SystemClock()).value();
}

int64_t PutType(Store& store) {
  ml_metadata::PutArtifactTypeRequest request;
  request.mutable_artifact_type()->set_name("Data");
  return store.metadata().PutArtifactType(request).value().type_id();
}

bool PutOne(Store& store, int64_t type) {
  ml_metadata::PutArtifactsRequest request;
  request.add_artifacts()->set_type_id(type);
  request.mutable_artifacts(0)->set_uri(std::string(4000, 's'));
  return store.metadata().PutArtifacts(request).ok();
}

int PutMany(Store& store, int64_t type) {
  int put = 0;
  for (int i = 0; i < kPuts; ++i) put += PutOne(store, type) ? 1 : 0;
  return put;
}

// With a mistake at its end.
void FailLarge(Store& store, int64_t type, int round) {
  ml_metadata::PutArtifactsRequest request;
  for (int i = 0; i < kLarge + 10 * round; ++i) {
    request.add_artifacts()->set_type_id(type);
    request.mutable_artifacts(i)->set_uri(std::string(500, 'u'));
  }
  request.add_artifacts()->set_type_id(type + 1000);
  EXPECT_FALSE(store.metadata().PutArtifacts(request).ok());
}

int Count(Store& store) {
  ml_metadata::GetArtifactsRequest request;
  const auto artifacts = store.metadata().GetArtifacts(request);
  EXPECT_THAT(artifacts, IsOk());
  return artifacts.ok() ? artifacts->artifacts_size() : -1;
}

// Empties the log, as a server finds it that has just been started: what a
// transaction takes back is then not read from the log.
void EmptyLog(const std::string& path) {
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
  sqlite3_busy_timeout(db, 10'000);
  EXPECT_EQ(sqlite3_exec(db, "PRAGMA wal_checkpoint(TRUNCATE)", nullptr,
                         nullptr, nullptr),
            SQLITE_OK);
  sqlite3_close(db);
}

TEST(TwoWritersTest, TwoProcessesLoseNothing) {
  const TempDir folder;
  const std::string path = folder / "store.db";
  const int64_t type = PutType(*Open(path));
  int acknowledged = 0;
  for (int round = 0; round < kRounds; ++round) {
    std::unique_ptr<Store> theirs;
    Other other([&](int) {
      if (theirs == nullptr) theirs = Open(path);
      return PutMany(*theirs, type);
    });
    std::unique_ptr<Store> ours = Open(path);
    FailLarge(*ours, type, round);
    acknowledged += other.Ask(0);
    // Once it reads and writes again, once it is closed.
    if (round % 2 == 0) acknowledged += PutOne(*ours, type) ? 1 : 0;
    ours.reset();
    EXPECT_EQ(Count(*Open(path)), acknowledged) << "round " << round;
  }
  EXPECT_EQ(acknowledged, kRounds * kPuts + kRounds / 2);
}

TEST(TwoWritersTest, AServerAndAStepBesideItLoseNothing) {
  const TempDir folder;
  const std::string path = folder / "store.db";
  std::unique_ptr<Store> theirs;
  std::unique_ptr<MetadataServer> server;
  Other other([&](int) {
    theirs = Open(path);
    ServerOptions options;
    options.grpc_port = 0;
    server = StartMetadataServer(*theirs, options).value();
    return server->grpc_port();
  });
  const std::unique_ptr<Store> served =
      ConnectGrpcStore(absl::StrCat("127.0.0.1:", other.Ask(0)));
  const std::unique_ptr<Store> embedded = Open(path);
  const int64_t type = PutType(*served);
  int acknowledged = 0;
  for (int round = 0; round < kRounds; ++round) {
    Store& first = round % 2 == 0 ? *served : *embedded;
    Store& second = round % 2 == 0 ? *embedded : *served;
    EmptyLog(path);
    FailLarge(first, type, round);
    acknowledged += PutMany(second, type) + (PutOne(first, type) ? 1 : 0);
    EXPECT_EQ(Count(*embedded), acknowledged) << "round " << round;
  }
  EXPECT_EQ(acknowledged, kRounds * (kPuts + 1));
}

}  // namespace
}  // namespace rekindle
