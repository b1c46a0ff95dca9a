#ifndef REKINDLE_TESTS_HISTORIES_WORLD_H_
#define REKINDLE_TESTS_HISTORIES_WORLD_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

#include "tests/histories/journal.h"

namespace rekindle::histories {

// A small generator whose whole state is one number, so that processes can
// share it.
class Chance {
 public:
  explicit Chance(uint64_t seed) : state_(seed) {}

  uint64_t Next();
  // A number below `bound`.
  int Below(int bound) { return static_cast<int>(Next() % bound); }
  // Whether one chance in `of` comes true.
  bool OneIn(int of) { return Below(of) == 0; }

 private:
  uint64_t state_;
};

// What the processes of a history share, in memory that outlives each of them.
//
// They take turns, so that a seed gives the same history again: only who has
// the turn runs, and hands it on at calls to the file system. The first turn is
// the controller's, who starts the others and collects them. Or they run free,
// and only what the journal records is put in order.
class World {
 public:
  static constexpr int kSlots = 6;
  static constexpr uint32_t kController = 0;  // workers are 1 to kSlots

  // In shared memory; never freed.
  static World& Create();

  // For a new history. `path` is its database.
  void Begin(uint64_t seed, bool free, const std::string& path);

  bool free() const { return free_; }
  Journal& journal() { return journal_; }

  // Records, in order with what other processes do.
  void Tell(const Record& record);

  // Nobody else records anything between these. Of the calling thread.
  void Enter();
  void Leave();

  // --- turns ---

  void SetRunning(uint32_t slot, bool running) { running_[slot] = running; }
  bool running(uint32_t slot) const { return running_[slot]; }
  bool AnyRunning() const;

  // Waits for the turn of `slot`; false if it did not come for a second.
  bool AwaitTurn(uint32_t slot);
  // Gives the turn, which the caller has, to `slot`.
  void GiveTurn(uint32_t slot);
  // Gives the turn to anybody who runs.
  void GiveAnyTurn();
  // Lets others run first, or maybe so.
  void LetOthersRun(uint32_t slot);
  void MaybeLetOthersRun(uint32_t slot);

  // --- what went wrong ---

  // Keeps the first one. Thread-safe.
  void Fail(const std::string& what);
  std::string failure() const;

 private:
  uint32_t AnyRunningSlot();

  bool free_ = false;
  std::array<std::atomic<uint32_t>, kSlots + 1> turn_ = {};  // 1 for one slot
  std::array<std::atomic<bool>, kSlots + 1> running_ = {};
  Chance chance_ = Chance(0);  // of who has the turn
  std::atomic<bool> failed_ = false;
  char failure_[1000] = {};
  char order_[500] = {};  // the file whose lock orders free processes
  Journal journal_;
};

}  // namespace rekindle::histories

#endif  // REKINDLE_TESTS_HISTORIES_WORLD_H_
