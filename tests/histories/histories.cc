// Several processes on one database, in thousands of short histories: they
// write, take back, read and checkpoint, are killed, see their disk fail; and
// for each history the power goes at some moments of it. Nothing that was
// acknowledged may be lost, nothing else may be there, and every access to the
// files keeps SQLite's rules (tests/metadata/checking_vfs.h).
//
//   histories [--seed N] [--histories N | --seconds N | --minutes N]
//             [--break synchronous|sync]
//
// Without a limit it is 2000 histories. History i has the seed N + i. One that
// fails is printed; its seed, with
// --histories 1, gives it again, unless its processes ran free. --break has the
// store or the disk not keep what it promises: the run must then fail, which
// shows that it can.
#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <limits>
#include <stdlib.h>  // mkdtemp
#include <string>
#include <unistd.h>
#include <vector>

#include <sys/prctl.h>
#include <sys/wait.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "tests/histories/disk.h"
#include "tests/histories/transactions.h"
#include "tests/histories/worker.h"
#include "tests/histories/world.h"
#include "tests/metadata/checking_vfs.h"

namespace rekindle::histories {
namespace {

constexpr int kPowerLosses = 3;
constexpr int kMaxRestarts = 3;
constexpr int kMaxSecondsWithoutTurn = 120;
constexpr size_t kMaxShownRecords = 400;

struct Options {
  uint64_t seed = 20261118;
  int64_t histories = 2000;
  absl::Duration time = absl::InfiniteDuration();
  std::string broken;
};

struct Totals {
  int64_t histories = 0;
  int64_t free = 0;
  int64_t workers = 0;
  int64_t kills = 0;
  int64_t power_losses = 0;
  int64_t acknowledged = 0;
  int64_t writes = 0;
};

// One history, from an empty database.
class History {
 public:
  History(World& world, uint64_t seed, const Options& options,
          const std::string& folder, Totals& totals)
      : world_(world),
        options_(options),
        chance_(seed),
        path_(folder + "/history.db"),
        totals_(totals) {}

  // What is wrong, empty if nothing.
  std::string Run() {
    for (const char* suffix : {"", "-wal", "-shm"}) {
      std::filesystem::remove(path_ + suffix);
    }
    const std::string first = MakeDatabase(path_);
    world_.Begin(chance_.Next(), /*free=*/chance_.OneIn(8), path_);
    StartWorkers();
    world_.free() ? CollectFree() : CollectInTurns();
    Count();
    std::string wrong = world_.failure();
    if (wrong.empty()) wrong = CheckAfterPowerLosses(first);
    if (!wrong.empty()) return wrong;
    const Expectations all(world_.journal(), world_.journal().end());
    wrong = CheckFiles(path_, all);
    return wrong.empty() ? "" : absl::StrCat("in the end: ", wrong);
  }

 private:
  void StartWorkers() {
    const int workers = 2 + chance_.Below(3);
    for (int slot = 1; slot <= workers; ++slot) Start(slot);
  }

  void Start(uint32_t slot) {
    WorkerPlan plan;
    plan.slot = slot;
    plan.number = ++started_;
    plan.seed = chance_.Next();
    plan.path = path_;
    plan.synced = options_.broken != "synchronous";
    plan.honest = options_.broken != "sync";
    world_.SetRunning(slot, true);
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != parent) _exit(1);
      RunWorker(world_, plan);
    }
    children_[slot] = child;
  }

  // A slot whose worker has ended, 0 if there is none.
  uint32_t EndedSlot() {
    for (uint32_t slot = 1; slot <= World::kSlots; ++slot) {
      if (children_[slot] > 0 && !world_.running(slot)) return slot;
    }
    return 0;
  }

  void CollectInTurns() {
    do {
      world_.GiveAnyTurn();
      AwaitMyTurn();
      const uint32_t slot = EndedSlot();
      if (slot == 0) return;  // somebody crashed, which was told
      int status = 0;
      waitpid(children_[slot], &status, 0);
      Ended(slot, status);
    } while (world_.AnyRunning());
  }

  void AwaitMyTurn() {
    for (int waited = 0; !world_.AwaitTurn(World::kController); ++waited) {
      int status = 0;
      const pid_t child = waitpid(-1, &status, WNOHANG);
      if (child <= 0 && waited < kMaxSecondsWithoutTurn) continue;
      world_.Fail(child > 0 ? absl::StrCat("a worker crashed: ", status)
                            : "the workers hang");
      KillAll();
      return;
    }
  }

  void CollectFree() {
    int status = 0;
    for (pid_t child; (child = waitpid(-1, &status, 0)) > 0;) {
      const auto slot = std::find(children_.begin(), children_.end(), child);
      if (slot == children_.end()) continue;
      world_.SetRunning(slot - children_.begin(), false);
      Ended(slot - children_.begin(), status);
    }
  }

  void Ended(uint32_t slot, int status) {
    children_[slot] = 0;
    const bool killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    totals_.kills += killed ? 1 : 0;
    if (!killed && status != 0) {
      world_.Fail(absl::StrCat("a worker crashed: ", status));
    }
    if (killed && restarts_ < kMaxRestarts && chance_.OneIn(2)) {
      ++restarts_;
      Start(slot);
    }
  }

  void KillAll() {
    for (pid_t& child : children_) {
      if (child <= 0) continue;
      kill(child, SIGKILL);
      waitpid(child, nullptr, 0);
      child = 0;
    }
    for (uint32_t slot = 1; slot <= World::kSlots; ++slot) {
      world_.SetRunning(slot, false);
    }
  }

  std::string CheckAfterPowerLosses(const std::string& first) {
    const std::vector<uint64_t> cuts = world_.journal().Positions();
    for (int i = 0; i < kPowerLosses; ++i) {
      const uint64_t cut =
          i == 0 ? cuts.back()
                 : cuts[chance_.Below(static_cast<int>(cuts.size()))];
      const std::string path = path_ + "-after";
      WriteWhatSurvives(world_.journal(), cut, first, chance_, path);
      const std::string wrong =
          CheckFiles(path, Expectations(world_.journal(), cut));
      ++totals_.power_losses;
      if (wrong.empty()) continue;
      return absl::StrCat(
          "after a loss of power at record ",
          std::lower_bound(cuts.begin(), cuts.end(), cut) - cuts.begin(), ": ",
          wrong);
    }
    return "";
  }

  void Count() {
    ++totals_.histories;
    totals_.free += world_.free() ? 1 : 0;
    totals_.workers += started_;
    for (uint64_t at = 0; at < world_.journal().end();) {
      const Record::Kind kind = world_.journal().Read(at).kind;
      totals_.acknowledged +=
          kind == Record::Kind::kPresent || kind == Record::Kind::kAbsent;
      totals_.writes += kind == Record::Kind::kWrite;
    }
  }

  World& world_;
  const Options& options_;
  Chance chance_;
  const std::string path_;
  Totals& totals_;
  std::array<pid_t, World::kSlots + 1> children_ = {};
  int started_ = 0;
  int restarts_ = 0;
};

void PrintFailure(World& world, uint64_t seed, const std::string& wrong) {
  const std::vector<uint64_t> positions = world.journal().Positions();
  const size_t records = positions.size() - 1;
  for (size_t i = records - std::min(records, kMaxShownRecords); i < records;
       ++i) {
    uint64_t position = positions[i];
    std::cerr << i << ": " << Describe(world.journal().Read(position)) << '\n';
  }
  std::cerr << "FAILED: the history of seed " << seed
            << (world.free() ? ", whose processes ran free: " : ": ") << wrong
            << "\nhistories --seed " << seed << " --histories 1\n";
}

void PrintTotals(const Totals& totals, uint64_t seed, absl::Duration took) {
  std::cout << "histories " << totals.histories << " (" << totals.free
            << " free), seed " << seed << ", processes " << totals.workers
            << ", kills " << totals.kills << ", losses of power "
            << totals.power_losses << ", acknowledged " << totals.acknowledged
            << ", writes to files " << totals.writes << ", "
            << absl::FormatDuration(absl::Trunc(took, absl::Seconds(1)))
            << std::endl;
}

// In memory if possible: a sync costs nothing there, and this is not about what
// a real disk does.
std::string MakeFolder() {
  const bool memory = access("/dev/shm", W_OK) == 0;
  std::string pattern = (memory ? std::filesystem::path("/dev/shm")
                                : std::filesystem::temp_directory_path()) /
                        "rekindle-histories-XXXXXX";
  return mkdtemp(pattern.data());
}

bool RunAll(const Options& options, const std::string& folder) {
  World& world = World::Create();
  const absl::Time start = absl::Now();
  absl::Time told = start;
  Totals totals;
  bool good = true;
  for (int64_t i = 0;
       good && i < options.histories && absl::Now() - start < options.time;
       ++i) {
    const uint64_t seed = options.seed + i;
    History history(world, seed, options, folder, totals);
    const std::string wrong = history.Run();
    if (!wrong.empty()) PrintFailure(world, seed, wrong);
    good = wrong.empty();
    if (absl::Now() - told < absl::Minutes(5)) continue;
    told = absl::Now();
    PrintTotals(totals, options.seed, told - start);
  }
  PrintTotals(totals, options.seed, absl::Now() - start);
  return good;
}

absl::Status ParseFlag(const std::string& flag, const std::string& value,
                       Options& options) {
  if (flag == "--break") {
    options.broken = value;
    return value == "synchronous" || value == "sync"
               ? absl::OkStatus()
               : absl::InvalidArgumentError("--break synchronous|sync");
  }
  int64_t number = 0;
  if (!absl::SimpleAtoi(value, &number) || number < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(flag, ": '", value, "' is not a whole number"));
  }
  if (flag == "--seed") {
    options.seed = number;
  } else if (flag == "--histories") {
    options.histories = number;
  } else if (flag == "--seconds" || flag == "--minutes") {
    options.histories = std::numeric_limits<int64_t>::max();
    options.time =
        number * (flag == "--minutes" ? absl::Minutes(1) : absl::Seconds(1));
  } else {
    return absl::InvalidArgumentError(absl::StrCat("unknown flag ", flag));
  }
  return absl::OkStatus();
}

absl::StatusOr<Options> ParseOptions(const std::vector<std::string>& words) {
  Options options;
  for (size_t i = 0; i < words.size(); i += 2) {
    if (i + 1 == words.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat(words[i], " needs a value"));
    }
    RK_RETURN_IF_ERROR(ParseFlag(words[i], words[i + 1], options));
  }
  return options;
}

}  // namespace
}  // namespace rekindle::histories

int main(int argc, char** argv) {
  namespace histories = rekindle::histories;
  const auto options =
      histories::ParseOptions(std::vector<std::string>(argv + 1, argv + argc));
  if (!options.ok()) {
    std::cerr << "histories: " << options.status().message() << '\n';
    return 2;
  }
  rekindle::RegisterCheckingVfs();
  const std::string folder = histories::MakeFolder();
  const bool good = histories::RunAll(*options, folder);
  std::filesystem::remove_all(folder);
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
