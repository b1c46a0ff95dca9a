#include "component/launch/step_log.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <ios>
#include <string>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "base/file_util.h"
#include "base/utf8.h"

namespace rekindle {
namespace {

// The last `most` bytes of the text, or a little less: it does not begin inside
// a character.
absl::string_view EndOf(absl::string_view text, size_t most) {
  if (text.size() <= most) return text;
  text.remove_prefix(text.size() - most);
  while (!text.empty() && (static_cast<unsigned char>(text[0]) & 0xC0) == 0x80)
    text.remove_prefix(1);
  return text;
}

}  // namespace

void LogTail::Add(absl::string_view line) {
  const size_t most = most_bytes_ - 1;  // and the line's end
  const std::string valid = ReplaceInvalidUtf8(EndOf(line, most));
  lines_.emplace_back(EndOf(valid, most));
  bytes_ += lines_.back().size() + 1;
  while (bytes_ > most_bytes_) {
    bytes_ -= lines_.front().size() + 1;
    lines_.pop_front();
  }
}

std::string LogTail::Text() const {
  return absl::StrCat(absl::StrJoin(lines_, "\n"), lines_.empty() ? "" : "\n");
}

StepLog::StepLog(const std::string& execution_dir, uintmax_t most_bytes)
    : path_(JoinPath(execution_dir, "log.txt")),
      older_path_(JoinPath(execution_dir, "log.1.txt")),
      most_bytes_(most_bytes),
      file_(path_, std::ios::app | std::ios::binary) {
  std::error_code none;
  const uintmax_t size = std::filesystem::file_size(path_, none);
  if (!none) bytes_ = size;
}

void StepLog::Add(absl::string_view line) {
  if (bytes_ + line.size() + 1 > most_bytes_) Rotate();
  file_ << line << '\n' << std::flush;
  bytes_ += line.size() + 1;
}

void StepLog::Rotate() {
  file_.close();
  std::error_code ignored;
  std::filesystem::rename(path_, older_path_, ignored);
  file_.open(path_, std::ios::trunc | std::ios::binary);
  const std::string note =
      absl::StrCat("[rekindle: the log grew beyond ", most_bytes_,
                   " bytes; what came before "
                   "is in ",
                   older_path_, ", what came before that is gone]");
  file_ << note << '\n';
  bytes_ = note.size() + 1;
}

}  // namespace rekindle
