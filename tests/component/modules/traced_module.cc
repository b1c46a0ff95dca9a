// A module that leaves a trace when its code runs: a file that the variable
// REKINDLE_TRACE names.
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>

#include "absl/status/status.h"
#include "rekindle/training/fn_args.h"
#include "rekindle/training/module.h"

REKINDLE_MODULE();

namespace {

const bool traced = [] {
  const char* file = std::getenv("REKINDLE_TRACE");
  if (file != nullptr) std::ofstream(file) << "here";
  return true;
}();

}  // namespace

// Answers what `custom_config` asks for; else counts the training examples
// into a file of the run's folder.
absl::Status run_fn(const rekindle::FnArgs& fn_args) {
  if (fn_args.custom_config == R"({"throw":true})") {
    throw std::runtime_error("asked to");
  }
  if (fn_args.custom_config == R"({"fail":true})") {
    return absl::AbortedError("asked to fail");
  }
  int64_t examples = 0;
  absl::Status read = fn_args.data_accessor.read_records(
      fn_args.train_files, [&examples](absl::string_view) {
        ++examples;
        return absl::OkStatus();
      });
  std::ofstream(fn_args.model_run_dir + "/examples") << examples;
  return read;
}
