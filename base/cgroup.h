#ifndef REKINDLE_BASE_CGROUP_H_
#define REKINDLE_BASE_CGROUP_H_

#include <cstdint>
#include <map>
#include <string>

namespace rekindle {

// How often the kernel has killed a process for want of memory, by the file
// that says so: of this process's control group and of the one above it, which
// is where a container's limit may be. Empty where no file says it.
using OomKills = std::map<std::string, int64_t>;

// Reads the counters of the control groups that /proc/self/cgroup names, of
// version 1 (memory.oom_control) or 2 (memory.events). `root` is "/" but for
// tests. A file that is missing or says nothing is no counter.
OomKills ReadOomKills(const std::string& root = "/");

// Whether one of the counters grew in between.
bool OomKilledSince(const OomKills& before, const OomKills& after);

}  // namespace rekindle

#endif  // REKINDLE_BASE_CGROUP_H_
