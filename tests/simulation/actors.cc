#include "tests/simulation/actors.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/file_util.h"
#include "component/cache/content_digest.h"
#include "component/launch/launcher.h"
#include "component/launch/reaper.h"
#include "component/launch/step.h"
#include "metadata/api/values.h"
#include "ml_metadata/proto/metadata_store.pb.h"
#include "ml_metadata/proto/metadata_store_service.pb.h"
#include "rekindle/v1/step_service.pb.h"
#include "tests/simulation/simulated_executor.h"
#include "tests/simulation/simulated_store.h"
#include "tests/simulation/world.h"

namespace rekindle::simulation {
namespace {

using ml_metadata::Artifact;
using ml_metadata::Execution;

constexpr int kMaxAttempts = 2;

StepSpec DescribeStep(World& world, const Arguments& arguments) {
  StepSpec spec;
  spec.pipeline = arguments.pipeline;
  spec.run_id = arguments.run;
  spec.node_id = "node";
  spec.pipeline_root = world.root();
  spec.execution_type.set_name("Work");
  InputSpec& input = spec.inputs.emplace_back();
  input.key = "data";
  input.type_name = "Dataset";
  input.ref = {ArtifactRef::Latest{}};
  OutputSpec& output = spec.outputs.emplace_back();
  output.key = "result";
  output.type.set_name("Result");
  spec.parameters["v"] = StringValue(arguments.v);
  const std::string digest = ContentDigest({world.WatchedFile()}, spec.watched);
  world.NoteWatched(digest);
  spec.key_fields["script"] = digest;
  return spec;
}

LaunchOptions DescribeLaunch(World& world) {
  LaunchOptions options;
  options.owner = world.scheduler().current()->name;
  options.lease = absl::Seconds(3);
  options.claim_timeout = absl::Seconds(5);
  options.store_timeout = absl::Seconds(2);
  options.cache.look_up = world.choices().Below(8) != 7;
  options.time = world.scheduler().TimeOfStep();
  if (world.traced()) {
    options.on_stage = [&world](Stage stage) {
      world.Tell("is ", StageName(stage));
    };
  }
  return options;
}

void CountEnd(const StepReport& report, const SimulatedExecutor& executor,
              Totals& totals) {
  if (report.state == Execution::CACHED) ++totals.hits;
  if (report.state == Execution::COMPLETE && !report.finished_before &&
      executor.calls() == 0) {
    ++totals.recovered;
  }
}

// What a person does next.
enum class Next { kDone, kTryAgain, kThinkAgain };

// One attempt of a step.
Next TryStep(World& world, const Arguments& arguments, Ending ending) {
  SimulatedStore store(world, arguments.store);
  SimulatedExecutor executor(world, arguments.v, ending);
  world.Tell("starts run ", arguments.run, " of ", arguments.pipeline,
             " with v=", arguments.v, " on store ", arguments.store);
  ++world.totals().attempts;
  const StepSpec spec = DescribeStep(world, arguments);
  const absl::StatusOr<StepReport> report =
      Launcher(store, DescribeLaunch(world)).Run(spec, executor);
  if (!world.scheduler().current()->alive) return Next::kTryAgain;
  world.Tell("ends ",
             report.ok() ? Execution::State_Name(report->state) : "without",
             " ", (report.ok() ? report->error : report.status()).ToString());
  if (!report.ok()) return Next::kThinkAgain;
  if (absl::IsUnavailable(report->error)) return Next::kTryAgain;
  if (!report->error.ok()) return Next::kThinkAgain;
  CountEnd(*report, executor, world.totals());
  Acknowledged acknowledged = {arguments, report->execution_id, {}};
  for (const StepReport::Output& output : report->outputs) {
    acknowledged.artifact_ids.insert(output.artifact.id());
  }
  world.Acknowledge(std::move(acknowledged));
  return Next::kDone;
}

Ending ChooseEnding(Choices& choices) {
  const int choice = choices.Below(12);
  return choice < 9 ? Ending::kWell : static_cast<Ending>(choice - 8);
}

std::string ChooseParameter(Choices& choices) {
  return choices.Below(3) == 2 ? "B" : "A";
}

// What a step has put out; sometimes what steps read.
std::optional<Artifact> ChooseArtifact(World& world, SimulatedStore& store) {
  const char* const type = world.choices().OneIn(4) ? "Dataset" : "Result";
  const auto all = store.GetArtifacts({});
  if (!all.ok()) return std::nullopt;
  std::vector<Artifact> found;
  for (const Artifact& artifact : all->artifacts()) {
    if (artifact.type() == type) found.push_back(artifact);
  }
  if (found.empty()) return std::nullopt;
  return found[world.choices().Below(static_cast<int>(found.size()))];
}

absl::Status PutBack(MetadataStore& store, const Artifact& artifact,
                     bool if_unchanged) {
  ml_metadata::PutArtifactsRequest request;
  *request.add_artifacts() = artifact;
  request.mutable_options()->set_abort_if_latest_updated_time_changed(
      if_unchanged);
  return store.PutArtifacts(request).status();
}

// The artifact as it is now; nobody goes on meanwhile.
std::optional<Artifact> ReadNow(World& world, int store, int64_t id) {
  ml_metadata::GetArtifactsByIDRequest by_id;
  by_id.add_artifact_ids(id);
  const auto now = world.store(store).metadata().GetArtifactsByID(by_id);
  if (!now.ok() || now->artifacts().empty()) return std::nullopt;
  return now->artifacts(0);
}

bool AreSame(const Artifact& a, const Artifact& b) {
  return a.state() == b.state() &&
         CustomString(a, "note") == CustomString(b, "note") &&
         CustomString(a, "mark") == CustomString(b, "mark");
}

// Writes to the artifact, whatever others do.
void Mark(World& world, int store, int64_t id) {
  std::optional<Artifact> artifact = ReadNow(world, store, id);
  if (!artifact.has_value()) return;
  (*artifact->mutable_custom_properties())["mark"] = StringValue("marked");
  const absl::Status put = PutBack(world.store(store).metadata(), *artifact,
                                   /*if_unchanged=*/false);
  world.Tell("marks artifact ", id, ": ", put.ToString());
}

}  // namespace

void RunStep(World& world, int store, std::string pipeline, std::string run) {
  const absl::Cleanup ended = [&world] { world.StepEnded(); };
  Arguments arguments = {store, std::move(pipeline), std::move(run),
                         ChooseParameter(world.choices())};
  for (int attempt = 1; attempt <= kMaxAttempts; ++attempt) {
    const Next next = TryStep(world, arguments, ChooseEnding(world.choices()));
    world.AttemptEnded();
    if (next == Next::kDone) return;
    if (next == Next::kThinkAgain && world.choices().Below(2) == 0) return;
    Process& self = *world.scheduler().current();
    if (!self.alive) {
      if (world.choices().Below(4) == 3) return;  // nobody tries again
      self.alive = true;
      world.Tell("is a new process");
    }
    if (world.choices().OneIn(3)) {
      arguments.v = ChooseParameter(world.choices());
    }
    world.scheduler().Pass();
  }
}

void PublishDataset(World& world, int store) {
  ++world.totals().others;
  SimulatedStore simulated(world, store);
  world.PutDataset(simulated, store);
}

void ReplaceWatched(World& world) {
  ++world.totals().others;
  world.WriteWatchedFile();
}

void TidyUp(World& world, int store) {
  ++world.totals().others;
  SimulatedStore simulated(world, store);
  ReapOptions options;
  options.roots = {world.root()};
  options.folder_age = absl::ZeroDuration();
  const auto report = Reap(options, simulated);
  if (!report.ok()) return;
  world.Tell("closed ", report->closed.size(), " executions, removed ",
             report->removed.size(), " folders");
}

void DeleteRecord(World& world, int store) {
  ++world.totals().others;
  SimulatedStore simulated(world, store);
  v1::DeleteRequest request;
  request.set_break_lineage(true);
  if (world.choices().Below(2) == 0) {
    const auto all = simulated.GetExecutions({});
    if (!all.ok() || all->executions().empty()) return;
    const int back = world.choices().Below(all->executions_size());
    request.add_execution_ids(
        all->executions(all->executions_size() - 1 - back).id());
  } else {
    const std::optional<Artifact> artifact = ChooseArtifact(world, simulated);
    if (!artifact.has_value()) return;
    request.add_artifact_ids(artifact->id());
  }
  simulated.Delete(request).IgnoreError();
}

void RetireArtifact(World& world, int store) {
  ++world.totals().others;
  SimulatedStore simulated(world, store);
  std::optional<Artifact> artifact = ChooseArtifact(world, simulated);
  if (!artifact.has_value()) return;
  artifact->set_state(Artifact::DELETED);
  if (!PutBack(simulated.metadata(), *artifact, /*if_unchanged=*/true).ok())
    return;
  world.Tell("artifact ", artifact->id(), " is DELETED");
  RemoveTree(artifact->uri()).IgnoreError();
}

void Annotate(World& world, int store) {
  ++world.totals().others;
  SimulatedStore simulated(world, store);
  std::optional<Artifact> artifact = ChooseArtifact(world, simulated);
  if (!artifact.has_value()) return;
  const Artifact as_read = *artifact;
  world.scheduler().Start("marker", [&world, store, id = artifact->id()] {
    Mark(world, store, id);
  });
  (*artifact->mutable_custom_properties())["note"] = StringValue("seen");
  world.scheduler().Pass();
  const std::optional<Artifact> before = ReadNow(world, store, artifact->id());
  const absl::Status put = PutBack(world.store(store).metadata(), *artifact,
                                   /*if_unchanged=*/true);
  world.Tell("notes on artifact ", artifact->id(), ": ", put.ToString());
  if (!before.has_value() || !put.ok() || AreSame(*before, as_read)) return;
  world.Fail(kAcknowledgedIsThere,
             absl::StrCat("what was written to artifact ", artifact->id(),
                          " is gone: somebody who had read it before wrote it "
                          "back, and was to be refused"));
}

void SetClock(World& world) {
  ++world.totals().clock_jumps;
  static constexpr absl::Duration kJumps[] = {
      absl::Seconds(10), -absl::Seconds(10), absl::Hours(2), -absl::Hours(2)};
  const absl::Duration by = kJumps[world.choices().Below(4)];
  world.Tell("sets the clock by ", absl::FormatDuration(by));
  world.scheduler().SetClock(by);
}

}  // namespace rekindle::simulation
