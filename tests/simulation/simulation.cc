// The life of a step in thousands of short histories: launchers, their
// children, a reaper and others who change the world meanwhile run as one
// program, on a simulated clock, one at a time. Who goes on at each call, who
// is killed, which answer is lost and which disk is full is chosen from a seed.
// In the end the promises of docs/life-of-a-step.md must hold.
//
//   simulation [--seed N] [--histories N | --minutes N] [--workers N]
//
// Without a limit it is 100,000 histories. History i has the seed N + i. One
// that breaks a promise is made smaller and printed; its seed, with
// --histories 1, gives it again. A single one is printed in any case.
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <limits>
#include <malloc.h>
#include <memory>
#include <sqlite3.h>
#include <stdlib.h>  // mkdtemp
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "tests/simulation/choices.h"
#include "tests/simulation/history.h"
#include "tests/simulation/world.h"

namespace rekindle::simulation {
namespace {

constexpr int kUsage = 2;
// So many see everything a step can come to.
constexpr int64_t kMany = 20'000;
constexpr int kBetweenReports = 10'000;  // histories of a worker

struct Options {
  uint64_t seed = 20261118;
  int64_t histories = 100'000;
  absl::Duration time = absl::InfiniteDuration();
  int workers = 2;
};

std::string ToText(const Totals& totals) {
  return absl::StrCat(
      totals.histories, " histories, ", totals.attempts, " attempts, ",
      totals.published, " published, ", totals.hits, " hits, ",
      totals.recovered, " recovered; ", totals.kills, " kills, ", totals.away,
      " calls while away, ", totals.lost_answers, " lost and ", totals.repeated,
      " repeated answers, ", totals.disk_errors, " disk errors, ",
      totals.clock_jumps, " clock jumps, ", totals.others, " other changes");
}

void Add(const Totals& from, Totals& to) {
  to.histories += from.histories;
  to.attempts += from.attempts;
  to.published += from.published;
  to.hits += from.hits;
  to.recovered += from.recovered;
  to.kills += from.kills;
  to.away += from.away;
  to.lost_answers += from.lost_answers;
  to.repeated += from.repeated;
  to.disk_errors += from.disk_errors;
  to.clock_jumps += from.clock_jumps;
  to.others += from.others;
}

// Promises are easily kept by steps that do nothing.
bool SawEverything(const Totals& totals) {
  return totals.histories < kMany || (totals.published > totals.histories / 4 &&
                                      totals.hits > 0 && totals.recovered > 0);
}

// Where folders cost least: what is in memory is as good as a disk here.
std::string MakeFolder() {
  const bool shared = std::filesystem::is_directory("/dev/shm");
  std::string path =
      absl::StrCat(shared ? "/dev/shm" : "/tmp", "/rekindle-simulation-XXXXXX");
  if (mkdtemp(path.data()) == nullptr) {
    std::cerr << "simulation: cannot make a folder below /dev/shm or /tmp\n";
    std::exit(kUsage);
  }
  return path;
}

// One worker's share of the histories.
class Worker {
 public:
  Worker(const Options& options, int number, Totals& totals)
      : options_(options),
        number_(number),
        totals_(totals),
        folder_(MakeFolder()) {}
  ~Worker() { std::filesystem::remove_all(folder_); }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Whether all promises were kept.
  bool Run() {
    const absl::Time end = absl::Now() + options_.time;
    for (int64_t i = number_; i < options_.histories && absl::Now() < end;
         i += options_.workers) {
      const uint64_t seed = options_.seed + i;
      Choices choices(seed);
      const Outcome outcome = RunHistory(choices, stores_, folder_, totals_,
                                         /*traced=*/options_.histories == 1);
      PrintEvents(outcome);
      if (!outcome.failure.empty()) {
        Print(seed, choices.made(), outcome.failure);
        return false;
      }
      if (totals_.histories % kBetweenReports == 0) {
        std::cerr << "worker " << number_ << ": " << ToText(totals_) << "\n";
      }
    }
    return true;
  }

 private:
  void Print(uint64_t seed, std::vector<uint16_t> choices,
             const std::string& failure) {
    choices = Shrink(std::move(choices), failure, stores_, folder_);
    Choices given(choices);
    Totals uncounted;
    const Outcome outcome =
        RunHistory(given, stores_, folder_, uncounted, /*traced=*/true);
    std::cout << "FAILED: the history of seed " << seed << " breaks " << failure
              << "\nmade smaller:\n";
    PrintEvents(outcome);
    std::cout << "again: simulation --seed " << seed << " --histories 1\n"
              << std::flush;
  }

  static void PrintEvents(const Outcome& outcome) {
    for (const std::string& event : outcome.events) {
      std::cout << "  " << event << "\n";
    }
  }

  const Options& options_;
  const int number_;
  Totals& totals_;
  const std::string folder_;
  World::Stores stores_;
};

// Not shared by threads, and counted by nobody: a history takes milliseconds.
void MakeFast() {
  sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
  sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  mallopt(M_MMAP_THRESHOLD, std::numeric_limits<int>::max());
}

[[noreturn]] void RunWorker(const Options& options, int number,
                            Totals& totals) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  bool kept = false;
  {
    MakeFast();
    kept = Worker(options, number, totals).Run();
  }
  std::cout << std::flush;
  _exit(kept ? 0 : 1);
}

int RunAll(const Options& options) {
  const absl::Time start = absl::Now();
  void* const shared =
      mmap(nullptr, sizeof(Totals) * options.workers, PROT_READ | PROT_WRITE,
           MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto* const totals = static_cast<Totals*>(shared);
  std::vector<pid_t> children;
  for (int i = 0; i < options.workers; ++i) {
    const pid_t child = fork();
    if (child == 0) RunWorker(options, i, *new (totals + i) Totals);
    children.push_back(child);
  }
  bool kept = true;
  Totals sum;
  for (int i = 0; i < options.workers; ++i) {
    int status = 0;
    waitpid(children[i], &status, 0);
    if (WIFSIGNALED(status)) {
      std::cout << "FAILED: a worker crashed: " << status << "\n";
    }
    kept = kept && status == 0;
    Add(totals[i], sum);
  }
  if (!SawEverything(sum)) {
    std::cout << "FAILED: steps hardly ever end well; nothing was tested\n";
    kept = false;
  }
  std::cout << ToText(sum) << "; seed " << options.seed << ", "
            << absl::FormatDuration(absl::Now() - start) << ": "
            << (kept ? "all promises kept" : "FAILED") << "\n";
  return kept ? 0 : 1;
}

bool ParseOptions(const std::vector<std::string>& arguments, Options& options) {
  for (size_t i = 0; i + 1 < arguments.size(); i += 2) {
    int64_t value = 0;
    if (!absl::SimpleAtoi(arguments[i + 1], &value) || value < 1) return false;
    if (arguments[i] == "--seed") {
      options.seed = value;
    } else if (arguments[i] == "--histories") {
      options.histories = value;
    } else if (arguments[i] == "--minutes") {
      options.time = absl::Minutes(value);
      options.histories = std::numeric_limits<int64_t>::max();
    } else if (arguments[i] == "--workers") {
      options.workers = static_cast<int>(value);
    } else {
      return false;
    }
  }
  return arguments.size() % 2 == 0;
}

int Main(const std::vector<std::string>& arguments) {
  Options options;
  options.workers =
      static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  if (!ParseOptions(arguments, options)) {
    std::cerr << "usage: simulation [--seed N] [--histories N | --minutes N] "
                 "[--workers N]\n";
    return kUsage;
  }
  return RunAll(options);
}

}  // namespace
}  // namespace rekindle::simulation

int main(int argc, char** argv) {
  return rekindle::simulation::Main({argv + 1, argv + argc});
}
