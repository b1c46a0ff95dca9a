#include "cli/progress.h"

#include <cstdint>
#include <iostream>
#include <string>
#include <unistd.h>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace rekindle {
namespace {

constexpr absl::Duration kInterval = absl::Milliseconds(100);
constexpr char kClearLine[] = "\r\033[K";

}  // namespace

Progress::Progress(std::string doing)
    : doing_(std::move(doing)),
      on_terminal_(isatty(STDERR_FILENO) == 1),
      next_(absl::Now() + kInterval) {}

Progress::~Progress() {
  if (on_terminal_) std::cerr << kClearLine << std::flush;
}

void Progress::Update(int64_t done, int64_t total) {
  if (!on_terminal_ || absl::Now() < next_) return;
  next_ = absl::Now() + kInterval;
  std::cerr << kClearLine << doing_ << " " << done
            << (total > 0 ? absl::StrCat("/", total) : "") << std::flush;
}

}  // namespace rekindle
