#ifndef REKINDLE_TESTS_SIMULATION_WORLD_H_
#define REKINDLE_TESTS_SIMULATION_WORLD_H_

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "component/launch/step.h"
#include "metadata/api/open_store.h"
#include "ml_metadata/proto/metadata_store.pb.h"
#include "rekindle/v1/step_service.pb.h"
#include "tests/simulation/choices.h"
#include "tests/simulation/memory_store.h"
#include "tests/simulation/scheduler.h"

namespace rekindle::simulation {

// How often something happened, over all histories.
struct Totals {
  int64_t histories = 0;
  int64_t attempts = 0;
  int64_t published = 0;
  int64_t hits = 0;
  int64_t recovered = 0;
  int64_t kills = 0;
  int64_t away = 0;
  int64_t lost_answers = 0;
  int64_t repeated = 0;
  int64_t disk_errors = 0;
  int64_t clock_jumps = 0;
  int64_t others = 0;  // what else changed the world
};

// How often things go wrong in a history: one call in so many; 0 for never.
struct FaultRates {
  int kill = 0;
  int away = 0;
  int lost = 0;
  int repeated = 0;
  int disk = 0;
};

// What a call to a store comes to.
enum class StoreFate {
  kAnswered,
  kDead,      // the caller is
  kAway,      // not made
  kLost,      // made, and the answer is lost
  kRepeated,  // made twice; the second answer counts
};

// The promises of docs/life-of-a-step.md, by the names they have there.
inline constexpr char kRecordIsWhatWasRead[] = "record-is-what-was-read";
inline constexpr char kEqualKeysEqualWork[] = "equal-keys-equal-work";
inline constexpr char kOneWinner[] = "one-winner";
inline constexpr char kVisibleIsWhole[] = "visible-is-whole";
inline constexpr char kOthersAreUntouched[] = "others-are-untouched";
inline constexpr char kAcknowledgedIsThere[] = "acknowledged-is-there";
inline constexpr char kRunHasOnePipeline[] = "run-has-one-pipeline";

// What a step was told to do.
struct Arguments {
  int store = 0;
  std::string pipeline;
  std::string run;
  std::string v;
};

// A step that ended well, and was there to say so.
struct Acknowledged {
  Arguments arguments;
  int64_t execution_id = 0;
  std::set<int64_t> artifact_ids;
};

// What all processes of a history share: stores, a folder, time, and whatever
// goes wrong; and what must be remembered to judge it in the end.
class World {
 public:
  static constexpr int kStores = 2;
  using Stores = std::array<MemoryStore, kStores>;
  using Node = std::pair<int, int64_t>;  // store and id

  // None is owned; all must outlive this. `root` is an empty folder.
  World(Choices& choices, Stores& stores, std::string root, Totals& totals,
        bool traced);

  // The one that the calls of the running thread belong to; null if none.
  static World* Current();
  // Makes it so; null for none.
  static void SetCurrent(World* world);

  Choices& choices() { return choices_; }
  Scheduler& scheduler() { return scheduler_; }
  MemoryStore& store(int number) { return stores_[number]; }
  // Only the first so many stores, empty from now on, are used.
  void UseStores(int count);
  int stores_used() const { return stores_used_; }
  Totals& totals() { return totals_; }
  const std::string& root() const { return root_; }
  FaultRates& rates() { return rates_; }

  // --- what goes wrong ---

  // Before each call to a store; others may go on.
  StoreFate BeforeStoreCall(absl::string_view call, bool changes);
  // Before each call that changes files: 0, or the errno it fails with.
  int BeforeFileCall(absl::string_view call, absl::string_view path);
  void Kill(Process& process);

  // --- what is told ---

  bool traced() const { return traced_; }
  // An event, by the process that runs.
  template <typename... Parts>
  void Tell(const Parts&... parts) {
    if (traced_) Append(absl::StrCat(parts...));
  }
  const std::vector<std::string>& events() const { return events_; }

  // A promise is broken; the first counts.
  void Fail(absl::string_view promise, absl::string_view how);
  const std::string& failure() const { return failure_; }

  // --- what is remembered ---

  // Steps that have not come to their end, and how many attempts they made.
  void StepStarted() { ++steps_left_; }
  void StepEnded() { --steps_left_; }
  void AttemptEnded() { ++attempts_ended_; }
  // Waits until so many attempts have ended, or there will be no more.
  void AwaitAttempts(int count);

  // The file that steps read beside their inputs. Each version has a content of
  // its own, and a time.
  std::string WatchedFile() const { return absl::StrCat(root_, "/script"); }
  void WriteWatchedFile();
  // What it holds, under the digest that a step has computed.
  void NoteWatched(const std::string& digest);
  std::string WatchedContent(const std::string& digest) const;

  // Puts a new dataset into a store; the pipelines find it as the latest.
  void PutDataset(Store& store, int number);

  void SawPublish(int store, const v1::PublishRequest& request);
  void SawDelete(int store, const v1::DeleteRequest& request);
  void Acknowledge(Acknowledged acknowledged);

  const std::vector<Acknowledged>& acknowledged() const {
    return acknowledged_;
  }
  bool WasDeleted(const Node& execution) const {
    return deleted_.contains(execution);
  }
  bool anything_deleted() const { return !deleted_.empty(); }

 private:
  void Append(std::string event);
  bool MayFail() const;

  Choices& choices_;
  Stores& stores_;
  Scheduler scheduler_;
  const std::string root_;
  Totals& totals_;
  const bool traced_;
  FaultRates rates_;
  int stores_used_ = 0;
  std::vector<std::string> events_;
  std::string failure_;
  int steps_left_ = 0;
  int attempts_ended_ = 0;
  int versions_ = 0;                         // of the watched file
  int datasets_ = 0;                         // in all stores
  std::map<std::string, std::string> seen_;  // contents by digest
  std::map<Node, int64_t> winners_;          // tokens by execution
  std::set<Node> deleted_;                   // executions
  std::vector<Acknowledged> acknowledged_;
};

// What work comes to, of what it reads.
std::string ResultOf(absl::string_view pipeline, absl::string_view v,
                     absl::string_view input, absl::string_view watched);

}  // namespace rekindle::simulation

#endif  // REKINDLE_TESTS_SIMULATION_WORLD_H_
