#ifndef REKINDLE_TESTS_COMPONENT_TRAINING_TEMP_FOLDER_H_
#define REKINDLE_TESTS_COMPONENT_TRAINING_TEMP_FOLDER_H_

#include <cstdlib>
#include <filesystem>
#include <string>

namespace rekindle {

// A new folder that is gone with the object.
class TempFolder {
 public:
  TempFolder() {
    std::string name = std::filesystem::temp_directory_path() / "rk_XXXXXX";
    path_ = mkdtemp(name.data());
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  ~TempFolder() { std::filesystem::remove_all(path_); }

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const {
    return path_ + "/" + name;
  }

 private:
  std::string path_;
};

}  // namespace rekindle

#endif  // REKINDLE_TESTS_COMPONENT_TRAINING_TEMP_FOLDER_H_
