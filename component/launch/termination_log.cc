#include "component/launch/termination_log.h"

#include <fcntl.h>
#include <string>
#include <unistd.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/file_util.h"
#include "base/utf8.h"
#include "component/launch/failure.h"

namespace rekindle {
namespace {

constexpr char kOfTheContainer[] = "/dev/termination-log";

}  // namespace

std::string TerminationMessage(const absl::Status& error) {
  std::string line = ReplaceInvalidUtf8(
      absl::StrCat(FailureReasonName(ReasonOf(error)), ": ",
                   absl::StrReplaceAll(error.message(), {{"\n", " "}})));
  if (line.size() >= kMostTerminationBytes) {
    constexpr char kCut[] = " ...";
    line.resize(kMostTerminationBytes - sizeof(kCut));
    // Not half a character.
    while (!IsValidUtf8(line)) line.pop_back();
    line += kCut;
  }
  return line + "\n";
}

void WriteTerminationLog(const std::string& path, const absl::Status& error) {
  // In place: the file is a mount of its own, and cannot be replaced.
  const int flags = O_WRONLY | O_TRUNC | O_CLOEXEC;
  const int fd = path.empty() ? open(kOfTheContainer, flags)
                              : open(path.c_str(), flags | O_CREAT, 0666);
  if (fd < 0) return;
  WriteAll(fd, TerminationMessage(error), path).IgnoreError();
  close(fd);
}

}  // namespace rekindle
