#ifndef REKINDLE_BASE_PATH_FENCE_H_
#define REKINDLE_BASE_PATH_FENCE_H_

#include <string>
#include <vector>

namespace rekindle {

// Folders that paths must not lead out of. A path is judged by where it really
// leads, its links followed, at the moment it is asked about. A value type.
class PathFence {
 public:
  // Around these files and folders, which need not exist. Around none of them
  // nothing is held.
  explicit PathFence(const std::vector<std::string>& places);

  // Whether the path leads to one of the places or below one. False if that
  // cannot be found out.
  bool Holds(const std::string& path) const;

 private:
  std::vector<std::string> places_;  // where they really are
};

// Where the path leads, its links followed as far as it exists; empty if that
// cannot be found out.
std::string RealPath(const std::string& path);

}  // namespace rekindle

#endif  // REKINDLE_BASE_PATH_FENCE_H_
