#include "tests/simulation/simulated_executor.h"

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "base/file_util.h"
#include "base/status_macros.h"
#include "component/launch/step.h"
#include "metadata/api/values.h"
#include "tests/simulation/world.h"

namespace rekindle::simulation {
namespace {

// A few words by name, in a file.
using Message = std::map<std::string, std::string>;

constexpr char kInputFile[] = "executor_input.json";
constexpr char kOutputFile[] = "executor_output.json";

absl::Status WriteMessage(const Message& message, const std::string& path) {
  std::string text;
  for (const auto& [name, word] : message) {
    absl::StrAppend(&text, name, ":", word, "\n");
  }
  return WriteFileAtomically(path, text);
}

absl::StatusOr<Message> ReadMessage(const std::string& path) {
  RK_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  Message message;
  for (const absl::string_view line :
       absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    message.insert(absl::StrSplit(line, absl::MaxSplits(':', 1)));
  }
  return message;
}

// What the child has to say; an error is one that says nothing.
absl::StatusOr<Message> Work(World& world, const Message& task) {
  RK_ASSIGN_OR_RETURN(const std::string input,
                      ReadFile(JoinPath(task.at("input"), "data")));
  world.scheduler().Pass();
  RK_ASSIGN_OR_RETURN(const std::string watched, ReadFile(world.WatchedFile()));
  std::string result =
      ResultOf(task.at("pipeline"), task.at("v"), input, watched);
  const std::string checkpoint = JoinPath(task.at("state"), "checkpoint");
  if (auto earlier = ReadFile(checkpoint); earlier.ok()) {
    world.Tell("continues ", *earlier);
    result = *std::move(earlier);
  } else {
    RK_RETURN_IF_ERROR(WriteFileAtomically(checkpoint, result));
  }
  world.scheduler().Pass();
  if (task.at("ending") != "0") return Message{{"ending", task.at("ending")}};
  RK_RETURN_IF_ERROR(
      WriteFileAtomically(JoinPath(task.at("output"), "data"), result));
  return Message{{"ending", "0"}, {"said", result}};
}

// The whole life of a child.
void RunChild(World& world, const std::string& attempt_dir) {
  const absl::StatusOr<Message> task =
      ReadMessage(JoinPath(attempt_dir, kInputFile));
  if (!task.ok()) return;
  const absl::StatusOr<Message> answer = Work(world, *task);
  if (!answer.ok()) {
    world.Tell("fails: ", answer.status().message());
    return;
  }
  WriteMessage(*answer, JoinPath(attempt_dir, kOutputFile)).IgnoreError();
}

std::string ToText(Ending ending) {
  return absl::StrCat(static_cast<int>(ending));
}

absl::Status StatusOf(const std::string& ending) {
  if (ending == ToText(Ending::kWell)) return absl::OkStatus();
  if (ending == ToText(Ending::kFailed)) {
    return absl::InvalidArgumentError("the label is missing");
  }
  if (ending == ToText(Ending::kInterrupted)) {
    return absl::UnavailableError("preempted");
  }
  return absl::CancelledError("asked to stop");
}

}  // namespace

absl::StatusOr<StepResult> SimulatedExecutor::Execute(
    const StepContext& context) {
  ++calls_;
  const Message task = {{"pipeline", context.pipeline},
                        {"v", v_},
                        {"ending", ToText(ending_)},
                        {"input", context.FindInput("data")->uri()},
                        {"output", context.output_dirs.at("result")},
                        {"state", context.state_dir}};
  RK_RETURN_IF_ERROR(
      WriteMessage(task, JoinPath(context.attempt_dir, kInputFile)));
  Scheduler& scheduler = world_.scheduler();
  Process& child = scheduler.Start(
      absl::StrCat(scheduler.current()->name, "'s child"),
      [&world = world_, dir = context.attempt_dir] { RunChild(world, dir); });
  if (world_.choices().OneIn(world_.rates().kill)) {
    world_.Tell("is killed while its child works");
    world_.Kill(*scheduler.current());
    // A child mostly dies with its parent.
    if (world_.choices().Below(2) == 0) child.alive = false;
    return absl::CancelledError("killed");
  }
  scheduler.Await(
      [&] { return child.fiber->ended() || !context.check_stop().ok(); });
  child.alive = false;
  RK_RETURN_IF_ERROR(context.check_stop());

  RK_ASSIGN_OR_RETURN(const Message answer,
                      ReadMessage(JoinPath(context.attempt_dir, kOutputFile)));
  RK_RETURN_IF_ERROR(StatusOf(answer.at("ending")));
  StepResult result;
  result.outputs["result"].custom_properties["said"] =
      StringValue(answer.at("said"));
  return result;
}

}  // namespace rekindle::simulation
