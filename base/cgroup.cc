#include "base/cgroup.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "base/file_util.h"

namespace rekindle {
namespace {

constexpr absl::string_view kCounter = "oom_kill ";

// Where a hierarchy of control groups is mounted, and the file that counts.
struct Hierarchy {
  std::string mount;  // relative to the root
  std::string file;
};

// The hierarchy of one line of /proc/self/cgroup, "4:memory:/path" or
// "0::/path", if it is one that counts.
std::optional<Hierarchy> HierarchyOf(absl::string_view controllers) {
  if (controllers.empty()) return Hierarchy{"sys/fs/cgroup", "memory.events"};
  const std::vector<std::string> names = absl::StrSplit(controllers, ',');
  if (std::find(names.begin(), names.end(), "memory") == names.end()) {
    return std::nullopt;
  }
  return Hierarchy{"sys/fs/cgroup/memory", "memory.oom_control"};
}

std::optional<int64_t> ReadCounter(const std::string& path) {
  const absl::StatusOr<std::string> text = ReadFile(path);
  if (!text.ok()) return std::nullopt;
  for (const absl::string_view line : absl::StrSplit(*text, '\n')) {
    int64_t count = 0;
    if (absl::StartsWith(line, kCounter) &&
        absl::SimpleAtoi(line.substr(kCounter.size()), &count)) {
      return count;
    }
  }
  return std::nullopt;
}

// Adds the counters of the group at `path` and of the one above it. In a
// container the path may be that of the host, and its own group be mounted.
void AddGroup(const std::string& root, const Hierarchy& hierarchy,
              const std::filesystem::path& path, OomKills& kills) {
  const std::string mount = JoinPath(root, hierarchy.mount);
  for (const std::filesystem::path& group :
       {path, path.parent_path(), std::filesystem::path("/")}) {
    const std::string file = JoinPath(
        JoinPath(mount, group.relative_path().string()), hierarchy.file);
    if (const auto count = ReadCounter(file)) kills[file] = *count;
  }
}

}  // namespace

OomKills ReadOomKills(const std::string& root) {
  OomKills kills;
  const absl::StatusOr<std::string> groups =
      ReadFile(JoinPath(root, "proc/self/cgroup"));
  if (!groups.ok()) return kills;
  for (const absl::string_view line : absl::StrSplit(*groups, '\n')) {
    // A path may hold a colon too.
    const std::vector<std::string> fields =
        absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (fields.size() != 3) continue;
    const auto hierarchy = HierarchyOf(fields[1]);
    if (hierarchy.has_value()) AddGroup(root, *hierarchy, fields[2], kills);
  }
  return kills;
}

bool OomKilledSince(const OomKills& before, const OomKills& after) {
  return std::any_of(after.begin(), after.end(), [&](const auto& counter) {
    const auto found = before.find(counter.first);
    return found != before.end() && counter.second > found->second;
  });
}

}  // namespace rekindle
