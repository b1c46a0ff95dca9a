#ifndef REKINDLE_TRAINING_REGISTRY_H_
#define REKINDLE_TRAINING_REGISTRY_H_

#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace rekindle {

// NOT_FOUND, with the nearest of `names` and the list of them.
absl::Status NotRegistered(const std::string& kind, const std::string& name,
                           const std::vector<std::string>& names);
// ALREADY_EXISTS.
absl::Status RegisteredTwice(const std::string& kind, const std::string& name);

// What names stand for: experiments, tasks, trainers. Modules register theirs
// while they are loaded, when nobody can be told of an error: Find tells it.
// Thread-safe.
template <typename T>
class Registry {
 public:
  // `kind` is what messages call it: "experiment".
  explicit Registry(std::string kind) : kind_(std::move(kind)) {}

  // Returns whether the name was free, so that a variable of a module can be
  // initialized by it.
  bool Register(const std::string& name, T value) {
    const std::lock_guard lock(mutex_);
    const bool is_free = values_.emplace(name, std::move(value)).second;
    if (!is_free) twice_.insert(name);
    return is_free;
  }

  //   NOT_FOUND       nothing has that name; the nearest is suggested
  //   ALREADY_EXISTS  two things have it
  absl::StatusOr<T> Find(const std::string& name) const {
    const std::lock_guard lock(mutex_);
    if (twice_.contains(name)) return RegisteredTwice(kind_, name);
    const auto found = values_.find(name);
    if (found == values_.end())
      return NotRegistered(kind_, name, NamesLocked());
    return found->second;
  }

  std::vector<std::string> Names() const {
    const std::lock_guard lock(mutex_);
    return NamesLocked();
  }

 private:
  std::vector<std::string> NamesLocked() const {
    std::vector<std::string> names;
    for (const auto& [name, value] : values_) names.push_back(name);
    return names;
  }

  const std::string kind_;
  mutable std::mutex mutex_;
  std::map<std::string, T> values_;
  std::set<std::string> twice_;
};

}  // namespace rekindle

#endif  // REKINDLE_TRAINING_REGISTRY_H_
