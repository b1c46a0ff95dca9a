#include "tests/histories/worker.h"

#include <array>
#include <iterator>
#include <memory>
#include <mutex>
#include <set>
#include <sqlite3.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "metadata/sqlite/database.h"
#include "metadata/store/write_queue.h"
#include "tests/histories/file_fate.h"
#include "tests/histories/transactions.h"

namespace rekindle::histories {
namespace {

using Kind = Record::Kind;

constexpr int kSmall = 3;   // parts of a transaction
constexpr int kLarge = 80;  // more than any cache below holds

FileFate::Plan FateOf(const WorkerPlan& plan, Chance& chance) {
  FileFate::Plan fate = {plan.slot, plan.number, plan.path, plan.honest};
  if (chance.OneIn(2)) fate.kill_at = 1 + chance.Below(300);
  if (plan.synced && chance.OneIn(4)) {
    constexpr std::array kFailures = {SQLITE_FULL, SQLITE_IOERR_WRITE,
                                      SQLITE_IOERR_FSYNC};
    fate.fail_from = 1 + chance.Below(200);
    fate.fail_until = fate.fail_from + 1 + chance.Below(10);
    fate.failure = kFailures[chance.Below(std::ssize(kFailures))];
  }
  return fate;
}

// A connection of either kind.
class Connection {
 public:
  Connection(const WorkerPlan& plan, bool plain, Chance& chance) {
    if (plain) {
      sqlite3_open_v2(plan.path.c_str(), &plain_, SQLITE_OPEN_READWRITE,
                      nullptr);
      sqlite3_busy_timeout(plain_, 10'000);
    } else {
      ours_ = Database::Open(plan.path, Database::Mode::kReadWrite).value();
    }
    constexpr std::array kCheckpoints = {0, 4, 20, 1000};
    Run(db(),
        absl::StrCat(
            "PRAGMA synchronous = ", plan.synced ? "FULL" : "NORMAL",
            "; PRAGMA cache_size = ", 5 + chance.Below(20),
            "; PRAGMA wal_autocheckpoint = ", kCheckpoints[chance.Below(4)]));
  }
  ~Connection() { sqlite3_close(plain_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  sqlite3* db() { return ours_ != nullptr ? ours_->handle() : plain_; }
  Database* ours() { return ours_.get(); }

 private:
  std::unique_ptr<Database> ours_;
  sqlite3* plain_ = nullptr;
};

class Worker {
 public:
  Worker(World& world, const WorkerPlan& plan)
      : world_(world),
        plan_(plan),
        chance_(plan.seed),
        plain_(chance_.OneIn(3)),
        fate_plan_(FateOf(plan, chance_)),
        fate_(world, fate_plan_) {}

  void Run() {
    SeedRandomness(plan_.seed);
    ObserveFiles(&fate_);
    Open();
    const int steps = 2 + chance_.Below(7);
    for (int i = 0; i < steps; ++i) Step();
    connection_.reset();
    ObserveFiles(nullptr);
  }

 private:
  sqlite3* db() { return connection_->db(); }
  void Open() {
    connection_.reset();
    connection_ = std::make_unique<Connection>(plan_, plain_, chance_);
  }

  void Step() {
    using Action = void (Worker::*)();
    static constexpr std::array<Action, 20> kActions = {
        &Worker::PutSmall,      &Worker::PutSmall, &Worker::PutSmall,
        &Worker::PutSmall,      &Worker::PutLarge, &Worker::PutLarge,
        &Worker::RollBackSmall, &Worker::Group,    &Worker::RollBackLarge,
        &Worker::RollBackLarge, &Worker::Group,    &Worker::Group,
        &Worker::Delete,        &Worker::Read,     &Worker::Read,
        &Worker::Read,          &Worker::ReadLong, &Worker::Checkpoint,
        &Worker::Checkpoint,    &Worker::Open};
    if (world_.free() && connection_->ours() != nullptr && chance_.OneIn(3)) {
      PutFromThreads();
    } else {
      (this->*kActions[chance_.Below(std::ssize(kActions))])();
    }
  }

  void PutSmall() { Put(db(), 1 + chance_.Below(kSmall)); }
  void PutLarge() { Put(db(), kLarge / 2 + chance_.Below(kLarge)); }

  void Put(sqlite3* db, int parts) {
    const int64_t transaction = NewTransaction();
    Tell(Kind::kNote, 0, absl::StrCat("puts ", transaction, ": ", parts));
    if (!Good(histories::Run(db, "BEGIN IMMEDIATE")) ||
        !Good(InsertParts(db, transaction, parts))) {
      return;
    }
    Commit({transaction});
  }

  // Commits the open transaction of SQLite, in which these were put.
  void Commit(const std::vector<int64_t>& transactions) {
    for (const int64_t each : transactions) Tell(Kind::kMayChange, each);
    if (!Good(histories::Run(db(), "COMMIT"))) return;
    for (const int64_t each : transactions) {
      Tell(Kind::kPresent, each);
      ours_.push_back(each);
    }
  }

  void RollBackSmall() { RollBack(1 + chance_.Below(kSmall)); }
  void RollBackLarge() { RollBack(kLarge / 2 + chance_.Below(kLarge)); }

  void RollBack(int parts) {
    Tell(Kind::kNote, 0, absl::StrCat("rolls back ", parts));
    if (Good(histories::Run(db(), "BEGIN IMMEDIATE")) &&
        Good(InsertParts(db(), NewTransaction(), parts))) {
      Good(histories::Run(db(), "ROLLBACK"));
    }
  }

  // What the queue of writers does: each in a savepoint, one commit for all. A
  // member that fails is taken back alone, and the others go on.
  void Group() {
    // Where it may spill, SQLite itself loses what was committed this way.
    if (connection_->ours() == nullptr) return PutSmall();
    Tell(Kind::kNote, 0, "groups");
    // Without syncs nobody refuses such a commit.
    const bool spill = plan_.synced && chance_.OneIn(2);
    histories::Run(
        db(), spill ? "PRAGMA cache_spill = ON" : "PRAGMA cache_spill = OFF");
    if (!Good(histories::Run(db(), "BEGIN IMMEDIATE"))) return;
    std::vector<int64_t> kept;
    const int members = 2 + chance_.Below(3);
    for (int i = 0; i < members; ++i) {
      const int64_t transaction = NewTransaction();
      const bool keep = !chance_.OneIn(3);
      if (PutMember(transaction, keep)) kept.push_back(transaction);
      if (sqlite3_get_autocommit(db()) != 0) return;
    }
    Commit(kept);
  }

  // Whether the member is part of the transaction.
  bool PutMember(int64_t transaction, bool keep) {
    const int parts = chance_.OneIn(3) ? kLarge : 1 + chance_.Below(kSmall);
    int result = histories::Run(db(), "SAVEPOINT rk");
    if (result == SQLITE_OK) result = InsertParts(db(), transaction, parts);
    Judge(result);
    const bool kept = keep && result == SQLITE_OK;
    if (sqlite3_get_autocommit(db()) != 0) return false;
    if (!kept) result = histories::Run(db(), "ROLLBACK TO rk");
    if (result == SQLITE_OK) result = histories::Run(db(), "RELEASE rk");
    return Good(result) && kept;
  }

  // The real queue, and threads that use it.
  void PutFromThreads() {
    WriteQueue queue(*connection_->ours());
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) {
      const int parts = chance_.OneIn(4) ? kLarge : 2;
      const bool fails = chance_.OneIn(4);
      threads.emplace_back(
          [this, &queue, parts, fails] { PutThrough(queue, parts, fails); });
    }
    for (std::thread& thread : threads) thread.join();
  }

  void PutThrough(WriteQueue& queue, int parts, bool fails) {
    for (int i = 0; i < 2; ++i) {
      const int64_t transaction = NewTransaction();
      if (!fails) Tell(Kind::kMayChange, transaction);
      const absl::Status done = queue.Run([&](Database& db) {
        const int put = InsertParts(db.handle(), transaction, parts);
        if (put == SQLITE_OK && !fails) return absl::OkStatus();
        Judge(put);
        return absl::AbortedError("taken back");
      });
      if (!done.ok()) continue;
      Tell(Kind::kPresent, transaction);
      const std::lock_guard<std::mutex> lock(mutex_);
      ours_.push_back(transaction);
    }
  }

  void Delete() {
    if (ours_.empty()) return;
    const int64_t transaction = ours_.back();
    ours_.pop_back();
    Tell(Kind::kNote, 0, absl::StrCat("deletes ", transaction));
    if (!Good(histories::Run(db(), "BEGIN IMMEDIATE")) ||
        !Good(DeleteParts(db(), transaction))) {
      return;
    }
    Tell(Kind::kMayChange, transaction);
    if (Good(histories::Run(db(), "COMMIT"))) Tell(Kind::kAbsent, transaction);
  }

  void Read() {
    Tell(Kind::kNote, 0, "reads");
    const uint64_t before = world_.journal().end();
    std::set<int64_t> found;
    if (!ReadOnce(*connection_, found)) return;
    Expectations expected(world_.journal(), before);
    expected.Loosen(world_.journal(), before, world_.journal().end());
    const std::string wrong = expected.Check(found);
    if (!wrong.empty()) Fail(absl::StrCat("a reader finds that ", wrong));
  }

  bool ReadOnce(Connection& connection, std::set<int64_t>& found) {
    const bool whole = sqlite3_get_autocommit(connection.db()) != 0;
    if (whole && !Good(histories::Run(connection.db(), "BEGIN"))) return false;
    std::string wrong;
    const int read = ReadState(connection.db(), found, wrong);
    if (whole) histories::Run(connection.db(), "COMMIT");
    if (!Good(read)) return false;
    if (!wrong.empty()) Fail(absl::StrCat("a reader finds that ", wrong));
    return true;
  }

  // One view, while others and this worker write.
  void ReadLong() {
    Connection reader(plan_, plain_, chance_);
    std::set<int64_t> first;
    std::set<int64_t> second;
    histories::Run(reader.db(), "BEGIN");
    const bool read = ReadOnce(reader, first);
    PutSmall();
    Checkpoint();
    if (read && ReadOnce(reader, second) && first != second) {
      Fail("what a reader sees changes under it");
    }
    histories::Run(reader.db(), "COMMIT");
  }

  void Checkpoint() {
    constexpr std::array kKinds = {"PASSIVE", "FULL", "RESTART", "TRUNCATE"};
    const std::string kind = kKinds[chance_.Below(4)];
    Tell(Kind::kNote, 0, absl::StrCat("checkpoints ", kind));
    Judge(histories::Run(db(),
                         absl::StrCat("PRAGMA wal_checkpoint(", kind, ")")));
  }

  int64_t NewTransaction() { return plan_.number << 16 | ++transactions_; }

  void Tell(Kind kind, int64_t transaction, absl::string_view note = {}) {
    world_.Tell({kind, Record::File::kDatabase,
                 static_cast<uint8_t>(plan_.number), transaction, note});
  }
  void Fail(const std::string& what) {
    world_.Fail(absl::StrCat("worker ", plan_.number, ": ", what));
  }

  // Whether a call succeeded. If not, the open transaction is taken back.
  bool Good(int result) {
    Judge(result);
    if (result == SQLITE_OK) return true;
    if (sqlite3_get_autocommit(db()) == 0) histories::Run(db(), "ROLLBACK");
    return false;
  }

  // Others may be in the way, and the disk may have been made to fail. Anything
  // else is wrong.
  void Judge(int result) {
    const int code = result & 0xff;
    const bool disturbed = fate_plan_.fail_from > 0 &&
                           (code == SQLITE_FULL || code == SQLITE_IOERR);
    // The buffered log has found frames without a checksum.
    const bool refused = !plain_ && result == SQLITE_IOERR_WRITE;
    if (code == SQLITE_OK || code == SQLITE_BUSY || code == SQLITE_PROTOCOL ||
        disturbed || refused) {
      return;
    }
    Fail(absl::StrCat("SQLite says ", sqlite3_errstr(result), " (", result,
                      ")"));
  }

  World& world_;
  const WorkerPlan plan_;
  Chance chance_;
  const bool plain_;  // without the buffered log
  const FileFate::Plan fate_plan_;
  FileFate fate_;
  std::unique_ptr<Connection> connection_;
  std::atomic<int64_t> transactions_ = 0;
  std::mutex mutex_;           // of ours_
  std::vector<int64_t> ours_;  // acknowledged, and not deleted yet
};

}  // namespace

void RunWorker(World& world, const WorkerPlan& plan) {
  while (!world.free() && !world.AwaitTurn(plan.slot)) {
  }
  if (!plan.synced) LetCommitsBeVolatile(true);
  Worker(world, plan).Run();
  world.SetRunning(plan.slot, false);
  if (!world.free()) world.GiveTurn(World::kController);
  _exit(0);
}

}  // namespace rekindle::histories
