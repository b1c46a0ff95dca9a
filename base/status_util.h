#ifndef REKINDLE_BASE_STATUS_UTIL_H_
#define REKINDLE_BASE_STATUS_UTIL_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace rekindle {

// `status` with `context` in front of its message: "CONTEXT: MESSAGE". The code
// and payloads stay; an OK status stays OK.
absl::Status WithContext(const absl::Status& status, absl::string_view context);

// `status` with `note` behind its message: "MESSAGE (NOTE)".
absl::Status WithNote(const absl::Status& status, absl::string_view note);

// The status of a failed system call: "DOING PATH: strerror". The code is the
// canonical one for `error_number`: ENOENT is NOT_FOUND, EACCES and EROFS are
// PERMISSION_DENIED, ENOSPC is RESOURCE_EXHAUSTED.
absl::Status ErrnoStatus(int error_number, absl::string_view doing,
                         absl::string_view path);

}  // namespace rekindle

#endif  // REKINDLE_BASE_STATUS_UTIL_H_
