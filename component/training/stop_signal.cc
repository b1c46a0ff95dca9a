#include "component/training/stop_signal.h"

#include <atomic>
#include <csignal>

namespace rekindle {
namespace {

std::atomic<int> stop_signal = 0;
static_assert(std::atomic<int>::is_always_lock_free);

void OnSignal(int signal) { stop_signal.store(signal); }

}  // namespace

void CatchStopSignals() {
  struct sigaction action {};
  action.sa_handler = OnSignal;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGINT, &action, nullptr);
}

int StopSignal() { return stop_signal.load(); }

}  // namespace rekindle
