#include "cli/trainer_program.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/file_util.h"

namespace rekindle {
namespace {

// The folder of this program.
std::filesystem::path OurFolder() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
}

}  // namespace

std::string TrainerBesideUs() {
  const std::string beside = OurFolder() / "rekindle-trainer";
  return PathExists(beside) ? beside : "rekindle-trainer";
}

std::string PythonLibrary() {
  const char* named = std::getenv("REKINDLE_PYTHON_LIB");
  if (named != nullptr) return named;
  return (OurFolder() / "../lib/rekindle/python").lexically_normal();
}

}  // namespace rekindle
