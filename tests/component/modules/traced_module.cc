// A module that leaves a trace when its code runs: a file that the variable
// REKINDLE_TRACE names.
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <thread>

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

// The base model, as the model that was trained.
absl::Status Copy(const rekindle::FnArgs& fn_args) {
  std::filesystem::copy(fn_args.base_model, fn_args.serving_model_dir,
                        std::filesystem::copy_options::recursive);
  return absl::OkStatus();
}

absl::Status WaitForTheEnd(const rekindle::FnArgs& fn_args) {
  std::cerr << "waiting" << std::endl;
  while (!fn_args.should_stop()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return absl::OkStatus();
}

}  // namespace

// Answers what `custom_config` asks for; else counts the training examples
// into a file of the run's folder.
absl::Status run_fn(const rekindle::FnArgs& fn_args) {
  if (fn_args.custom_config == R"({"copy":true})") return Copy(fn_args);
  if (fn_args.custom_config == R"({"wait":true})") {
    return WaitForTheEnd(fn_args);
  }
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
