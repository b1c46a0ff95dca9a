#ifndef REKINDLE_TESTS_SUPPORT_TEMP_DIR_H_
#define REKINDLE_TESTS_SUPPORT_TEMP_DIR_H_

#include <filesystem>
#include <fstream>
#include <stdlib.h>  // mkdtemp
#include <string>
#include <system_error>

namespace rekindle {

// A folder that is gone when the test is.
class TempDir {
 public:
  TempDir() {
    std::string pattern =
        std::filesystem::temp_directory_path() / "rekindle-test-XXXXXX";
    path_ = mkdtemp(pattern.data());
  }
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const {
    return path_ + "/" + name;
  }

  // Writes a file below the folder, making its parents; returns its path.
  std::string Write(const std::string& name, const std::string& content) const {
    std::string file = *this / name;
    std::filesystem::create_directories(
        std::filesystem::path(file).parent_path());
    std::ofstream(file, std::ios::binary) << content;
    return file;
  }

 private:
  std::string path_;
};

}  // namespace rekindle

#endif  // REKINDLE_TESTS_SUPPORT_TEMP_DIR_H_
