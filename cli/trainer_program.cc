#include "cli/trainer_program.h"

#include <filesystem>
#include <system_error>

#include "base/file_util.h"

namespace rekindle {

std::string TrainerBesideUs() {
  std::error_code error;
  const std::filesystem::path self =
      std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string beside = self.parent_path() / "rekindle-trainer";
  return PathExists(beside) ? beside : "rekindle-trainer";
}

}  // namespace rekindle
