#include "metadata/api/call_token.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "base/file_util.h"
#include "base/status_macros.h"
#include "base/status_util.h"

namespace rekindle {
namespace {

constexpr size_t kMaxToken = 512;

// What a header can carry.
absl::Status CheckToken(absl::string_view token) {
  const bool fits =
      !token.empty() && token.size() <= kMaxToken &&
      std::all_of(token.begin(), token.end(), absl::ascii_isgraph);
  if (fits) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "a token is one word of at most 512 letters, as 'rekindle token new' "
      "prints it");
}

class FixedToken : public CallToken {
 public:
  explicit FixedToken(std::string token) : token_(std::move(token)) {}
  std::string Current() override { return token_; }

 private:
  const std::string token_;
};

class TokenInFile : public CallToken {
 public:
  explicit TokenInFile(std::string path) : path_(std::move(path)) {}

  absl::Status Read() {
    const absl::MutexLock lock(&mutex_);
    return ReadLocked();
  }

  std::string Current() override {
    const absl::MutexLock lock(&mutex_);
    // The server says it if the one before counts no longer.
    ReadLocked().IgnoreError();
    return token_;
  }

 private:
  absl::Status ReadLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    RK_ASSIGN_OR_RETURN(const std::string text, ReadFile(path_));
    const absl::string_view token = absl::StripAsciiWhitespace(text);
    RK_RETURN_IF_ERROR(WithContext(CheckToken(token), path_));
    token_ = std::string(token);
    return absl::OkStatus();
  }

  const std::string path_;
  absl::Mutex mutex_;
  std::string token_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

absl::StatusOr<std::shared_ptr<CallToken>> MakeCallToken(
    const std::string& token) {
  RK_RETURN_IF_ERROR(CheckToken(token));
  return std::make_shared<FixedToken>(token);
}

absl::StatusOr<std::shared_ptr<CallToken>> ReadCallToken(
    const std::string& path) {
  auto token = std::make_shared<TokenInFile>(path);
  RK_RETURN_IF_ERROR(token->Read());
  return token;
}

}  // namespace rekindle
