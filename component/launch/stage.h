#ifndef REKINDLE_COMPONENT_LAUNCH_STAGE_H_
#define REKINDLE_COMPONENT_LAUNCH_STAGE_H_

#include <functional>

#include "absl/strings/string_view.h"

namespace rekindle {

// The boundaries in a step's life, in order (docs/life-of-a-step.md). Whatever
// happens at one of them, a retry must be able to go on.
enum class Stage {
  kResolved,   // inputs are chosen; nothing is written
  kClaimed,    // the execution is ours
  kExecuted,   // the outputs are in their staging folders
  kAnnounced,  // the store knows what is about to appear
  kRenamed,    // the outputs are in their places
  kPublished,  // the outputs are recorded
};

// "claimed".
constexpr absl::string_view StageName(Stage stage) {
  switch (stage) {
    case Stage::kResolved:
      return "resolved";
    case Stage::kClaimed:
      return "claimed";
    case Stage::kExecuted:
      return "executed";
    case Stage::kAnnounced:
      return "announced";
    case Stage::kRenamed:
      return "renamed";
    case Stage::kPublished:
      return "published";
  }
  return "";
}

// Is called as a step passes a boundary.
using StageObserver = std::function<void(Stage)>;

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_LAUNCH_STAGE_H_
