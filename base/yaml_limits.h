#ifndef REKINDLE_BASE_YAML_LIMITS_H_
#define REKINDLE_BASE_YAML_LIMITS_H_

#include <cstddef>
#include <optional>
#include <string>

namespace rekindle {

// The most that a YAML text may hold, counted as if every alias were written
// out and every anchor twice, which is what a reader keeps. Kubernetes takes
// objects of 1.5 MiB.
inline constexpr size_t kMostYamlBytes = size_t{4} << 20;
inline constexpr size_t kMostYamlNodes = 200'000;  // keys are nodes, too
inline constexpr size_t kMostYamlTextBytes = size_t{8} << 20;
inline constexpr size_t kDeepestYaml = 100;
// Of the characters [ ] { } and comma in one document: the parser keeps a list
// in memory, at 200 bytes for each of them, until it has seen its end.
inline constexpr size_t kMostYamlFlow = 200'000;

// Where a text costs too much, or never ends.
struct YamlExcess {
  int line = 0;    // from 1
  int column = 0;  // from 1
  std::string what;
};

// Looks for what would make a reader of `text` run out of memory or stack, or
// never end, without building anything. To be asked before any text of somebody
// else is read. Nullopt, too, for what is not YAML: the reader says why.
std::optional<YamlExcess> FindYamlExcess(const std::string& text);

}  // namespace rekindle

#endif  // REKINDLE_BASE_YAML_LIMITS_H_
