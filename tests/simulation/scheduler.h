#ifndef REKINDLE_TESTS_SIMULATION_SCHEDULER_H_
#define REKINDLE_TESTS_SIMULATION_SCHEDULER_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "base/clock.h"
#include "component/launch/step_time.h"
#include "tests/simulation/choices.h"
#include "tests/simulation/fiber.h"

namespace rekindle::simulation {

// One of those who share the world. It is killed by taking all effect from what
// it does: it finds that nothing works any more, and comes to its end.
struct Process {
  std::string name;
  bool alive = true;
  std::unique_ptr<Fiber> fiber;
  absl::Duration wakes_at;      // since the beginning; in the past: awake
  std::function<bool()> ready;  // unset: it waits for nothing else
};

// Lets processes run in one thread, one at a time. Who goes on at each point
// where one may be interrupted is a choice, as is how long it takes: time
// passes only when somebody waits. Thread-compatible.
class Scheduler {
 public:
  // `choices` is not owned and must outlive this.
  explicit Scheduler(Choices& choices);
  ~Scheduler();

  // Adds a process; it begins when it is chosen.
  Process& Start(std::string name, std::function<void()> body);

  // Runs them until all have ended. False if some wait for ever.
  bool Run();

  // --- for processes ---

  // Who runs; null outside of Run().
  Process* current() const { return current_; }
  // A point at which others may go on.
  void Pass();
  // False if it was killed, or is.
  bool Sleep(absl::Duration duration);
  // Waits until it is so.
  void Await(std::function<bool()> ready);
  // Whether what happens now is a tick: nobody else goes on meanwhile.
  bool ticking() const { return ticking_; }

  // --- time ---

  const Clock& clock() const { return clock_; }
  // Sets the clock of the day; what was waited for is not any closer.
  void SetClock(absl::Duration by) { clock_.Advance(by); }
  // What a step of the current process lives in.
  StepTime TimeOfStep();

 private:
  class SimulatedTicker;

  std::vector<Process*> Runnable() const;
  Process* Choose();
  Process* NextToWake() const;
  void Run(Process& process);
  void AdvanceTo(absl::Duration time, const Process* but_for);
  SimulatedTicker* NextTick(absl::Duration until) const;
  void Elapse(absl::Duration until);

  Choices& choices_;
  FakeClock clock_;
  absl::Duration now_;  // since the beginning
  std::vector<std::unique_ptr<Process>> processes_;
  std::vector<SimulatedTicker*> tickers_;  // not owned
  Process* current_ = nullptr;
  Process* last_ = nullptr;
  bool ticking_ = false;
};

}  // namespace rekindle::simulation

#endif  // REKINDLE_TESTS_SIMULATION_SCHEDULER_H_
