#include "tests/simulation/world.h"

#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <string>
#include <utility>

#include <sys/stat.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "base/digest.h"
#include "base/file_util.h"
#include "component/resolve/digest_check.h"
#include "metadata/api/values.h"
#include "ml_metadata/proto/metadata_store_service.pb.h"
#include "tests/simulation/scheduler.h"

namespace rekindle::simulation {
namespace {

using ml_metadata::Artifact;
using ml_metadata::Event;

World* current_world = nullptr;

// Files that differ in size differ for whoever looks at no more than that.
std::string Version(int number) {
  return absl::StrCat("script-", number, std::string(number, '+'));
}

}  // namespace

World::World(Choices& choices, Stores& stores, std::string root, Totals& totals,
             bool traced)
    : choices_(choices),
      stores_(stores),
      scheduler_(choices),
      root_(std::move(root)),
      totals_(totals),
      traced_(traced) {}

void World::UseStores(int count) {
  stores_used_ = count;
  for (int i = 0; i < count; ++i) stores_[i].Clear(scheduler_.clock());
}

World* World::Current() { return current_world; }

void World::SetCurrent(World* world) { current_world = world; }

// Ticks come at their own time, and fail in a way of their own.
bool World::MayFail() const {
  return scheduler_.current() != nullptr && !scheduler_.ticking();
}

StoreFate World::BeforeStoreCall(absl::string_view call, bool changes) {
  Process* const process = scheduler_.current();
  if (process == nullptr) return StoreFate::kAnswered;
  scheduler_.Pass();
  if (!process->alive) return StoreFate::kDead;
  if (choices_.OneIn(rates_.away)) {
    ++totals_.away;
    Tell(call, ": the store is away");
    return StoreFate::kAway;
  }
  if (!MayFail()) return StoreFate::kAnswered;
  if (choices_.OneIn(rates_.kill)) {
    Tell("is killed before ", call);
    Kill(*process);
    return StoreFate::kDead;
  }
  if (!changes) return StoreFate::kAnswered;
  if (choices_.OneIn(rates_.lost)) {
    ++totals_.lost_answers;
    return StoreFate::kLost;
  }
  if (!choices_.OneIn(rates_.repeated)) return StoreFate::kAnswered;
  ++totals_.repeated;
  return StoreFate::kRepeated;
}

int World::BeforeFileCall(absl::string_view call, absl::string_view path) {
  Process* const process = scheduler_.current();
  if (process == nullptr || scheduler_.ticking()) return 0;
  scheduler_.Pass();
  if (!process->alive) return EIO;
  absl::ConsumePrefix(&path, root_);
  if (choices_.OneIn(rates_.kill)) {
    Tell("is killed before ", call, " ", path);
    Kill(*process);
    return EIO;
  }
  if (choices_.OneIn(rates_.disk)) {
    ++totals_.disk_errors;
    const bool full = choices_.Below(2) == 0;
    Tell(call, " ", path, full ? ": the disk is full" : ": the disk fails");
    return full ? ENOSPC : EIO;
  }
  if (!path.empty()) Tell(call, " ", path);
  return 0;
}

void World::Kill(Process& process) {
  ++totals_.kills;
  process.alive = false;
}

void World::Append(std::string event) {
  const Process* const process = scheduler_.current();
  const absl::Duration since =
      scheduler_.clock().Now() - absl::FromUnixSeconds(1'800'000'000);
  events_.push_back(absl::StrCat(absl::FormatDuration(since), "\t",
                                 process == nullptr ? "-" : process->name,
                                 scheduler_.ticking() ? " (lease)" : "", "\t",
                                 event));
}

void World::Fail(absl::string_view promise, absl::string_view how) {
  Tell("BROKEN ", promise, ": ", how);
  if (failure_.empty()) failure_ = absl::StrCat(promise, ": ", how);
}

void World::AwaitAttempts(int count) {
  scheduler_.Await(
      [this, count] { return attempts_ended_ >= count || steps_left_ == 0; });
}

void World::WriteWatchedFile() {
  const std::string temporary = absl::StrCat(root_, "/new-script");
  const int version = ++versions_;
  if (!WriteFileAtomically(temporary, Version(version)).ok()) return;
  // Versions have times of their own, however fast they follow each other.
  const timespec time = {1'700'000'000 + version, 0};
  const timespec times[] = {time, time};
  utimensat(AT_FDCWD, temporary.c_str(), times, 0);
  if (RenameReplacing(temporary, WatchedFile()).ok()) {
    Tell("the script is version ", version);
  }
}

void World::NoteWatched(const std::string& digest) {
  seen_[digest] = ReadFile(WatchedFile()).value_or("");
}

std::string World::WatchedContent(const std::string& digest) const {
  const auto found = seen_.find(digest);
  return found == seen_.end() ? "" : found->second;
}

void World::PutDataset(Store& store, int number) {
  const MemoryStore::Types& types = stores_[number].types();
  const std::string content = absl::StrCat("dataset-", ++datasets_);
  const std::string folder = absl::StrCat(root_, "/", content);
  if (!MakeDirs(folder).ok() ||
      !WriteFileAtomically(JoinPath(folder, "data"), content).ok()) {
    return;
  }
  ml_metadata::PutExecutionRequest request;
  request.mutable_execution()->set_type_id(types.import);
  request.mutable_execution()->set_last_known_state(
      ml_metadata::Execution::COMPLETE);
  auto& pair = *request.add_artifact_event_pairs();
  Artifact& artifact = *pair.mutable_artifact();
  artifact.set_type_id(types.dataset);
  artifact.set_uri(folder);
  artifact.set_state(Artifact::LIVE);
  (*artifact.mutable_custom_properties())["content"] = StringValue(content);
  if (const auto digest = DigestTree(folder); digest.ok()) {
    RecordDigest(*digest, artifact);
  }
  pair.mutable_event()->set_type(Event::OUTPUT);
  for (const char* pipeline : {"p", "q"}) {
    auto& context = *request.add_contexts();
    context.set_type_id(types.pipeline);
    context.set_name(pipeline);
  }
  request.mutable_options()->set_reuse_context_if_already_exist(true);
  const auto put = store.metadata().PutExecution(request);
  if (put.ok()) {
    Tell("store ", number, ": ", content, " is artifact ",
         put->artifact_ids(0));
  }
}

void World::SawPublish(int store, const v1::PublishRequest& request) {
  const Node execution = {store, request.execution_id()};
  const auto [winner, first] = winners_.insert({execution, request.token()});
  if (winner->second != request.token()) {
    Fail(kOneWinner, absl::StrCat("execution ", request.execution_id(),
                                  " was published by attempt ", winner->second,
                                  " and by attempt ", request.token()));
  }
  if (!first) return;
  ++totals_.published;
  ml_metadata::GetArtifactsByIDRequest by_id;
  for (const v1::OutputArtifact& output : request.outputs()) {
    if (output.artifact().has_id()) {
      by_id.add_artifact_ids(output.artifact().id());
    }
  }
  if (by_id.artifact_ids().empty()) return;
  const auto reused = stores_[store].metadata().GetArtifactsByID(by_id);
  if (!reused.ok()) return;
  for (const Artifact& artifact : reused->artifacts()) {
    if (artifact.state() == Artifact::LIVE) continue;
    Fail(kVisibleIsWhole,
         absl::StrCat("execution ", request.execution_id(),
                      " put out artifact ", artifact.id(), ", which is ",
                      Artifact::State_Name(artifact.state())));
  }
}

void World::SawDelete(int store, const v1::DeleteRequest& request) {
  for (const int64_t id : request.execution_ids()) deleted_.insert({store, id});
  // What used or made a deleted artifact has lost part of its record.
  if (!request.artifact_ids().empty()) deleted_.insert({store, 0});
}

void World::Acknowledge(Acknowledged acknowledged) {
  acknowledged_.push_back(std::move(acknowledged));
}

std::string ResultOf(absl::string_view pipeline, absl::string_view v,
                     absl::string_view input, absl::string_view watched) {
  return absl::StrCat("pipeline=", pipeline, ";v=", v, ";in=", input,
                      ";script=", watched);
}

}  // namespace rekindle::simulation
