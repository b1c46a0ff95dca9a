#ifndef REKINDLE_METADATA_API_FILE_OWNER_H_
#define REKINDLE_METADATA_API_FILE_OWNER_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/clock.h"

namespace rekindle {

// The one server of a metadata database. Holds a lock beside it, on
// `DATABASE-owner`, that ends with the process however it ends, and that file
// says who holds it. Programs that only open the database do not ask for it.
// Thread-compatible.
class FileOwner {
 public:
  // Becomes the owner of the database at `path`, which need not exist yet;
  // ":memory:" has any number.
  //
  //   FAILED_PRECONDITION  another process serves it; the message says which
  //   NOT_FOUND, PERMISSION_DENIED  no lock can be made in its folder
  static absl::StatusOr<std::unique_ptr<FileOwner>> Own(const std::string& path,
                                                        const Clock& clock);

  virtual ~FileOwner() = default;

  // Lets others read where this process listens.
  virtual absl::Status Announce(absl::string_view address) = 0;
};

}  // namespace rekindle

#endif  // REKINDLE_METADATA_API_FILE_OWNER_H_
