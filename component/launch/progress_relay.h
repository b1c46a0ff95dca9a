#ifndef REKINDLE_COMPONENT_LAUNCH_PROGRESS_RELAY_H_
#define REKINDLE_COMPONENT_LAUNCH_PROGRESS_RELAY_H_

#include <string>
#include <utility>

namespace rekindle {

// Tells the orchestrator how far a child is: the child writes "N/M" into one
// file, Relay() copies it into another, whole, when it has changed. What is not
// such a fraction, 0 <= N <= M and M > 0, is not passed on. Thread-compatible.
class ProgressRelay {
 public:
  // An empty `to`: nobody wants to know.
  ProgressRelay(std::string from, std::string to)
      : from_(std::move(from)), to_(std::move(to)) {}

  void Relay();

 private:
  const std::string from_;
  const std::string to_;
  std::string told_;
};

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_LAUNCH_PROGRESS_RELAY_H_
