#include "tests/histories/world.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <iostream>
#include <new>
#include <unistd.h>
#include <vector>

#include <linux/futex.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "absl/strings/str_cat.h"

namespace rekindle::histories {
namespace {

// False when it is still 0 after a second.
bool WaitForOne(std::atomic<uint32_t>& word) {
  const timespec second = {1, 0};
  while (word == 0) {
    if (syscall(SYS_futex, &word, FUTEX_WAIT, 0, &second, nullptr, 0) != 0 &&
        errno == ETIMEDOUT) {
      return word != 0;
    }
  }
  return true;
}

void SetToOne(std::atomic<uint32_t>& word) {
  word = 1;
  syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

// A lock that ends with its process: of a file that each opens for itself.
class FileLock {
 public:
  void Lock(const std::string& path) {
    mutex_.lock();
    if (process_ != getpid()) {
      file_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
      process_ = getpid();
    }
    flock(file_, LOCK_EX);
  }
  void Unlock() {
    flock(file_, LOCK_UN);
    mutex_.unlock();
  }

 private:
  std::mutex mutex_;
  pid_t process_ = 0;
  int file_ = -1;
};

FileLock& Lock() {
  static FileLock& lock = *new FileLock();
  return lock;
}

}  // namespace

uint64_t Chance::Next() {  // splitmix64
  state_ += 0x9e3779b97f4a7c15;
  uint64_t mixed = state_;
  mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
  return mixed ^ mixed >> 31;
}

World& World::Create() {
  void* const memory = mmap(nullptr, sizeof(World), PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    std::cerr << "histories: no shared memory\n";
    std::abort();
  }
  return *new (memory) World;
}

void World::Begin(uint64_t seed, bool free, const std::string& path) {
  free_ = free;
  for (std::atomic<uint32_t>& turn : turn_) turn = 0;
  for (std::atomic<bool>& running : running_) running = false;
  chance_ = Chance(seed);
  failed_ = false;
  failure_[0] = '\0';
  order_[absl::StrCat(path, "-order").copy(order_, sizeof(order_) - 1)] = '\0';
  journal_.Clear();
}

void World::Enter() {
  if (free_) Lock().Lock(order_);
}

void World::Leave() {
  if (free_) Lock().Unlock();
}

void World::Tell(const Record& record) {
  Enter();
  journal_.Append(record);
  Leave();
}

bool World::AnyRunning() const {
  return std::any_of(
      running_.begin(), running_.end(),
      [](const std::atomic<bool>& running) { return running.load(); });
}

bool World::AwaitTurn(uint32_t slot) {
  if (!WaitForOne(turn_[slot])) return false;
  turn_[slot] = 0;
  return true;
}

void World::GiveTurn(uint32_t slot) { SetToOne(turn_[slot]); }

uint32_t World::AnyRunningSlot() {
  std::vector<uint32_t> slots;
  for (uint32_t slot = 1; slot <= kSlots; ++slot) {
    if (running_[slot]) slots.push_back(slot);
  }
  return slots.empty() ? kController
                       : slots[chance_.Below(static_cast<int>(slots.size()))];
}

void World::GiveAnyTurn() { GiveTurn(AnyRunningSlot()); }

void World::LetOthersRun(uint32_t slot) {
  if (free_) return;
  const uint32_t next = AnyRunningSlot();
  if (next == slot) return;
  GiveTurn(next);
  while (!AwaitTurn(slot)) {
  }
}

void World::MaybeLetOthersRun(uint32_t slot) {
  if (!free_ && chance_.OneIn(4)) LetOthersRun(slot);
}

void World::Fail(const std::string& what) {
  if (failed_.exchange(true)) return;
  failure_[what.copy(failure_, sizeof(failure_) - 1)] = '\0';
}

std::string World::failure() const {
  return failed_ ? failure_ : std::string();
}

}  // namespace rekindle::histories
