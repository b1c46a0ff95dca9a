#include "tests/histories/file_fate.h"

#include <csignal>
#include <sqlite3.h>
#include <unistd.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace rekindle::histories {
namespace {

using Kind = FileCall::Kind;

// SQLite sleeps for milliseconds when another one has a lock.
int SleepShortly() {
  usleep(100);
  return 1;
}

bool Changes(const FileCall& call) {
  return call.kind == Kind::kWrite || call.kind == Kind::kTruncate ||
         call.kind == Kind::kSync;
}

}  // namespace

int FileFate::Before(FileCall& call) {
  if (call.kind == Kind::kSleep) {
    world_.LetOthersRun(plan_.slot);
    return SleepShortly();
  }
  if (call.kind == Kind::kRead || !IsOurs(call)) return SQLITE_OK;
  const int64_t number = ++calls_;
  world_.MaybeLetOthersRun(plan_.slot);
  if (number == plan_.kill_at &&
      (call.kind != Kind::kWrite || plan_.kill_at % 3 == 0)) {
    Die();
  }
  if (Fails(call, number)) return plan_.failure;
  if (IsRecorded(call)) BeforeChange(call, number);
  return SQLITE_OK;
}

// Recorded before it is done: whoever is killed in between may have done it.
void FileFate::BeforeChange(FileCall& call, int64_t number) {
  world_.Enter();
  if (call.kind == Kind::kWrite) {
    if (number == plan_.kill_at) {
      call.bytes = call.bytes.substr(0, call.bytes.size() / (1 + number % 3));
      dying_ = true;
    }
    Append(call, Record::Kind::kWrite);
  } else if (call.kind == Kind::kTruncate) {
    Append(call, Record::Kind::kTruncate);
  }
}

void FileFate::After(const FileCall& call, int result) {
  if (call.kind == Kind::kRead || !IsOurs(call) || !IsRecorded(call)) return;
  if (dying_) Die();
  if (result == SQLITE_OK && call.kind == Kind::kSync && plan_.honest) {
    Append(call, Record::Kind::kSync);
  } else if (result == SQLITE_OK && call.kind == Kind::kDelete) {
    Append(call, Record::Kind::kDelete);
  } else if (result == SQLITE_OK && call.kind == Kind::kOpen && call.created) {
    Append(call, Record::Kind::kCreate);
  }
  world_.Leave();
}

void FileFate::Violated(const std::string& what) {
  world_.Fail(absl::StrCat("worker ", plan_.worker, ": ", what));
  world_.Tell({Record::Kind::kNote, Record::File::kDatabase,
               static_cast<uint8_t>(plan_.worker), 0, what});
}

bool FileFate::IsOurs(const FileCall& call) const {
  return absl::StartsWith(call.path, plan_.path);
}

bool FileFate::IsRecorded(const FileCall& call) const {
  return Changes(call) || call.kind == Kind::kOpen ||
         call.kind == Kind::kDelete;
}

bool FileFate::Fails(const FileCall& call, int64_t number) const {
  return Changes(call) && number >= plan_.fail_from &&
         number < plan_.fail_until;
}

void FileFate::Append(const FileCall& call, Record::Kind kind) {
  const auto file = absl::EndsWith(call.path, "-wal") ? Record::File::kLog
                                                      : Record::File::kDatabase;
  world_.journal().Append({kind, file, static_cast<uint8_t>(plan_.worker),
                           call.offset, call.bytes});
}

void FileFate::Die() {
  world_.SetRunning(plan_.slot, false);
  if (!world_.free()) world_.GiveTurn(World::kController);
  while (true) kill(getpid(), SIGKILL);
}

}  // namespace rekindle::histories
