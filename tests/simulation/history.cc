#include "tests/simulation/history.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "tests/simulation/actors.h"
#include "tests/simulation/choices.h"
#include "tests/simulation/invariants.h"
#include "tests/simulation/world.h"

namespace rekindle::simulation {
namespace {

// Calls of which one in so many goes wrong.
constexpr std::array<int, 4> kKillRates = {0, 80, 40, 0};
constexpr std::array<int, 4> kStoreRates = {0, 20, 0, 60};
constexpr std::array<int, 4> kDiskRates = {0, 0, 0, 40};

FaultRates ChooseRates(Choices& choices) {
  FaultRates rates;
  rates.kill = kKillRates[choices.Below(4)];
  const int store = kStoreRates[choices.Below(4)];
  rates.away = rates.lost = rates.repeated = store;
  rates.disk = kDiskRates[choices.Below(4)];
  return rates;
}

// Names who they are by what they do.
void StartStep(World& world, int number, int store) {
  Choices& choices = world.choices();
  const std::string pipeline = choices.Below(8) == 7 ? "q" : "p";
  const std::string run = choices.Below(2) == 1 ? "r2" : "r1";
  // The first one waits for nobody: the others may wait for it.
  const int after = number == 1 ? 0 : choices.Below(2);
  world.StepStarted();
  world.scheduler().Start(absl::StrCat("step ", number),
                          [&world, store, pipeline, run, after] {
                            world.AwaitAttempts(after);
                            RunStep(world, store, pipeline, run);
                          });
}

void StartOther(World& world, int number, int store) {
  struct Other {
    const char* name;
    std::function<void(World&, int store)> body;
  };
  static const auto& kOthers = *new std::vector<Other>{
      {"publisher", PublishDataset},
      {"editor", [](World& w, int) { ReplaceWatched(w); }},
      {"reaper", TidyUp},
      {"deleter", DeleteRecord},
      {"retirer", RetireArtifact},
      {"annotator", Annotate},
      {"clock", [](World& w, int) { SetClock(w); }},
  };
  const Other& other =
      kOthers[world.choices().Below(static_cast<int>(kOthers.size()))];
  const int after = world.choices().Below(3);
  world.scheduler().Start(absl::StrCat(other.name, " ", number),
                          [&world, &other, store, after] {
                            world.AwaitAttempts(after);
                            other.body(world, store);
                          });
}

// Who takes part.
void StartAll(World& world) {
  Choices& choices = world.choices();
  const int stores = choices.Below(6) == 5 ? 2 : 1;
  world.UseStores(stores);
  world.WriteWatchedFile();
  for (int store = 0; store < stores; ++store) {
    world.PutDataset(world.store(store), store);
  }
  const int others = choices.Below(3);
  const int steps = 1 + choices.Below(5) / 3 + choices.Below(9) / 8;
  for (int i = 1; i <= steps; ++i) StartStep(world, i, choices.Below(stores));
  for (int i = 1; i <= others; ++i) StartOther(world, i, choices.Below(stores));
}

void MakeEmpty(const std::string& folder) {
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
}

// Which promise it was.
absl::string_view PromiseOf(absl::string_view failure) {
  return failure.substr(0, failure.find(':'));
}

}  // namespace

Outcome RunHistory(Choices& choices, World::Stores& stores,
                   const std::string& folder, Totals& totals, bool traced) {
  const std::string root = absl::StrCat(folder, "/root");
  MakeEmpty(root);
  World world(choices, stores, root, totals, traced);
  World::SetCurrent(&world);
  world.rates() = ChooseRates(choices);
  StartAll(world);
  if (!world.scheduler().Run()) world.Fail("stuck", "processes wait for ever");
  World::SetCurrent(nullptr);
  CheckPromises(world);
  ++totals.histories;
  return {world.failure(), world.events()};
}

std::vector<uint16_t> Shrink(std::vector<uint16_t> choices,
                             const std::string& failure, World::Stores& stores,
                             const std::string& folder) {
  const absl::string_view promise = PromiseOf(failure);
  Totals uncounted;
  const auto still_fails = [&](const std::vector<uint16_t>& fewer,
                               std::vector<uint16_t>& used) {
    Choices given(fewer);
    const Outcome outcome =
        RunHistory(given, stores, folder, uncounted, /*traced=*/false);
    used = given.made();
    return PromiseOf(outcome.failure) == promise;
  };
  const auto dull = [](const std::vector<uint16_t>& all) {
    return std::count(all.begin(), all.end(), 0);
  };
  // Blocks of choices are taken out or made dull, large ones first, until no
  // single one can be.
  for (size_t block = choices.size(); block > 0;) {
    bool better = false;
    for (size_t at = 0; at < choices.size(); at += block) {
      const size_t end = std::min(at + block, choices.size());
      const auto first = choices.begin() + static_cast<ptrdiff_t>(at);
      const auto last = choices.begin() + static_cast<ptrdiff_t>(end);
      std::vector<uint16_t> removed(choices.begin(), first);
      removed.insert(removed.end(), last, choices.end());
      std::vector<uint16_t> zeroed = choices;
      std::fill(zeroed.begin() + static_cast<ptrdiff_t>(at),
                zeroed.begin() + static_cast<ptrdiff_t>(end), 0);
      for (const auto& fewer : {removed, zeroed}) {
        std::vector<uint16_t> used;
        if (fewer == choices || !still_fails(fewer, used)) continue;
        while (!used.empty() && used.back() == 0) used.pop_back();
        const bool smaller =
            used.size() < choices.size() ||
            (used.size() == choices.size() && dull(used) > dull(choices));
        if (!smaller) continue;
        choices = std::move(used);
        better = true;
        break;
      }
    }
    if (!better) block /= 2;
  }
  return choices;
}

}  // namespace rekindle::simulation
