#include "tests/simulation/scheduler.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "component/launch/step_time.h"
#include "tests/simulation/choices.h"
#include "tests/simulation/fiber.h"

namespace rekindle::simulation {
namespace {

// How often a process is interrupted where it may be.
constexpr int kInterruption = 6;
// How often somebody who waits comes before those who could go on: these are
// slow.
constexpr int kSlowness = 8;
// How often the slow ones stand still meanwhile, and renew no lease.
constexpr int kStandstill = 2;

constexpr double kShare = 0.5;

const absl::Time kBeginning = absl::FromUnixSeconds(1'800'000'000);

}  // namespace

class Scheduler::SimulatedTicker : public Ticker {
 public:
  SimulatedTicker(Scheduler& scheduler, absl::Duration first, Tick tick)
      : owner(scheduler.current_),
        due(scheduler.now_ + first),
        scheduler_(scheduler),
        tick_(std::move(tick)) {
    scheduler_.tickers_.push_back(this);
  }
  ~SimulatedTicker() override { std::erase(scheduler_.tickers_, this); }

  // As the process whose ticker it is.
  void DoTick() {
    std::optional<absl::Duration> pause;
    if (owner->alive) {
      Process* const current = std::exchange(scheduler_.current_, owner);
      scheduler_.ticking_ = true;
      pause = tick_();
      scheduler_.ticking_ = false;
      scheduler_.current_ = current;
    }
    due = pause.has_value() ? due + *pause : absl::InfiniteDuration();
  }

  Process* const owner;
  absl::Duration due;

 private:
  Scheduler& scheduler_;
  const Tick tick_;
};

Scheduler::Scheduler(Choices& choices)
    : choices_(choices), clock_(kBeginning) {}

Scheduler::~Scheduler() = default;

Process& Scheduler::Start(std::string name, std::function<void()> body) {
  auto process = std::make_unique<Process>();
  process->name = std::move(name);
  process->fiber = std::make_unique<Fiber>(std::move(body));
  processes_.push_back(std::move(process));
  return *processes_.back();
}

bool Scheduler::Run() {
  while (true) {
    const bool all_ended = std::all_of(
        processes_.begin(), processes_.end(),
        [](const auto& process) { return process->fiber->ended(); });
    if (all_ended) return true;
    Process* const chosen = Choose();
    if (chosen == nullptr) return false;
    Run(*chosen);
  }
}

void Scheduler::Run(Process& process) {
  current_ = last_ = &process;
  process.fiber->Resume();
  current_ = nullptr;
}

// Who ran last comes first.
std::vector<Process*> Scheduler::Runnable() const {
  std::vector<Process*> runnable;
  for (const auto& process : processes_) {
    if (process->fiber->ended()) continue;
    const bool dead = !process->alive;
    const bool waits =
        process->wakes_at > now_ || (process->ready && !process->ready());
    if (waits && !dead) continue;
    runnable.insert(process.get() == last_ ? runnable.begin() : runnable.end(),
                    process.get());
  }
  return runnable;
}

Process* Scheduler::NextToWake() const {
  Process* next = nullptr;
  for (const auto& process : processes_) {
    if (process->fiber->ended() || process->wakes_at <= now_) continue;
    if (next == nullptr || process->wakes_at < next->wakes_at) {
      next = process.get();
    }
  }
  return next;
}

Process* Scheduler::Choose() {
  const std::vector<Process*> runnable = Runnable();
  Process* const next = NextToWake();
  if (!runnable.empty() && (next == nullptr || !choices_.OneIn(kSlowness))) {
    return runnable[choices_.Below(static_cast<int>(runnable.size()))];
  }
  if (next != nullptr) {
    const bool standstill = !runnable.empty() && choices_.OneIn(kStandstill);
    AdvanceTo(next->wakes_at, standstill ? next : nullptr);
    return next;
  }
  // Somebody waits for what only a tick can tell.
  SimulatedTicker* const tick = NextTick(absl::InfiniteDuration());
  if (tick == nullptr) return nullptr;
  AdvanceTo(tick->due, nullptr);
  return Choose();
}

Scheduler::SimulatedTicker* Scheduler::NextTick(absl::Duration until) const {
  SimulatedTicker* next = nullptr;
  for (SimulatedTicker* ticker : tickers_) {
    if (ticker->due > until || ticker->due == absl::InfiniteDuration())
      continue;
    if (next == nullptr || ticker->due < next->due) next = ticker;
  }
  return next;
}

void Scheduler::Elapse(absl::Duration until) {
  if (until <= now_) return;
  clock_.Advance(until - now_);
  now_ = until;
}

// With `but_for` all others stand still, and their ticks come late.
void Scheduler::AdvanceTo(absl::Duration time, const Process* but_for) {
  while (SimulatedTicker* const ticker = NextTick(time)) {
    Elapse(ticker->due);
    if (but_for != nullptr && ticker->owner != but_for) {
      ticker->due = time + absl::Milliseconds(1);
    } else {
      ticker->DoTick();
    }
  }
  Elapse(time);
}

void Scheduler::Pass() {
  if (current_ == nullptr || !current_->alive || ticking_) return;
  if (choices_.OneIn(kInterruption)) current_->fiber->Pause();
}

bool Scheduler::Sleep(absl::Duration duration) {
  Process& process = *current_;
  if (!process.alive) return false;
  // A pause of nothing is one, too: nobody may wait without end.
  process.wakes_at = now_ + std::max(duration, absl::Milliseconds(1));
  process.fiber->Pause();
  process.wakes_at = absl::ZeroDuration();
  return process.alive;
}

void Scheduler::Await(std::function<bool()> ready) {
  Process& process = *current_;
  if (!process.alive || ready()) return;
  process.ready = std::move(ready);
  process.fiber->Pause();
  process.ready = nullptr;
}

StepTime Scheduler::TimeOfStep() {
  StepTime time;
  time.clock = &clock_;
  time.wait = [this](absl::Duration duration, const std::vector<int>& /*fds*/) {
    return Sleep(duration);
  };
  time.start_ticker = [this](absl::Duration first, Tick tick) {
    return std::make_unique<SimulatedTicker>(*this, first, std::move(tick));
  };
  time.share = [] { return kShare; };
  return time;
}

}  // namespace rekindle::simulation
