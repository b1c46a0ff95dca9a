#ifndef REKINDLE_COMPONENT_MODULES_MODULE_LOADER_H_
#define REKINDLE_COMPONENT_MODULES_MODULE_LOADER_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "rekindle/training/fn_args.h"

namespace rekindle {

// A user's own code, loaded into this process for good: its tasks, trainers and
// experiments are registered, and it may have a run_fn. A plain value.
class Module {
 public:
  const std::string& path() const { return path_; }

  bool has_run_fn() const { return run_fn_ != nullptr; }

  // Trains in the module's own way.
  //
  //   FAILED_PRECONDITION  the module has no run_fn
  //   UNKNOWN              it threw an exception
  //
  // and whatever run_fn answers.
  absl::Status RunFn(const FnArgs& fn_args) const;

 private:
  friend absl::StatusOr<Module> LoadModule(const std::string& path);
  using RunFunction = absl::Status (*)(const FnArgs&);

  Module(std::string path, RunFunction run_fn);

  std::string path_;
  RunFunction run_fn_;
};

// Loads the shared library at `path`. None of its code runs before it is known
// that it was built with these headers, this TensorFlow and this compiler.
//
//   NOT_FOUND            there is no such file
//   INVALID_ARGUMENT     it is no module, or cannot be loaded
//   FAILED_PRECONDITION  it was built for another rekindle
//   UNAVAILABLE          it cannot be read
absl::StatusOr<Module> LoadModule(const std::string& path);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_MODULES_MODULE_LOADER_H_
