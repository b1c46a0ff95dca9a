#include "base/status_util.h"

#include <cerrno>
#include <cstring>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace rekindle {
namespace {

absl::Status WithMessage(const absl::Status& status,
                         absl::string_view message) {
  absl::Status result(status.code(), message);
  status.ForEachPayload(
      [&result](absl::string_view url, const absl::Cord& payload) {
        result.SetPayload(url, payload);
      });
  return result;
}

absl::StatusCode CodeOfErrno(int error_number) {
  switch (error_number) {
    case ENOENT:
      return absl::StatusCode::kNotFound;
    case EACCES:
    case EPERM:
    case EROFS:
      return absl::StatusCode::kPermissionDenied;
    case EEXIST:
    case ENOTEMPTY:
      return absl::StatusCode::kAlreadyExists;
    case ENOSPC:
    case EDQUOT:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
      return absl::StatusCode::kResourceExhausted;
    case EIO:
      return absl::StatusCode::kDataLoss;
    default:
      return absl::StatusCode::kFailedPrecondition;
  }
}

}  // namespace

absl::Status WithContext(const absl::Status& status,
                         absl::string_view context) {
  if (status.ok()) return status;
  return WithMessage(status, absl::StrCat(context, ": ", status.message()));
}

absl::Status WithNote(const absl::Status& status, absl::string_view note) {
  if (status.ok()) return status;
  return WithMessage(status, absl::StrCat(status.message(), " (", note, ")"));
}

absl::Status ErrnoStatus(int error_number, absl::string_view doing,
                         absl::string_view path) {
  return {CodeOfErrno(error_number),
          absl::StrCat("cannot ", doing, " ", path, ": ",
                       std::strerror(error_number))};
}

}  // namespace rekindle
