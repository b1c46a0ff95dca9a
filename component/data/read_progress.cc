#include "component/data/read_progress.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"

namespace rekindle {

ReadProgress::ReadProgress(const std::vector<std::string>& files, int passes,
                           Callback callback)
    : callback_(std::move(callback)) {
  for (const std::string& file : files) {
    std::error_code error;
    const auto size = std::filesystem::file_size(file, error);
    if (!error) total_ += passes * static_cast<int64_t>(size);
  }
}

absl::Status ReadProgress::Report(int64_t offset) const {
  if (callback_ == nullptr) return absl::OkStatus();
  // Compressed files hold more than their size.
  return callback_(std::min(before_ + offset, total_), total_);
}

}  // namespace rekindle
