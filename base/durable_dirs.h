#ifndef REKINDLE_BASE_DURABLE_DIRS_H_
#define REKINDLE_BASE_DURABLE_DIRS_H_

#include <string>

#include "absl/status/status.h"

namespace rekindle {

// As MakeDirs, for folders that must outlive a power failure: the parent of
// each one that is made is flushed to the disk. Nothing is flushed if all are
// there.
absl::Status MakeDurableDirs(const std::string& path);

}  // namespace rekindle

#endif  // REKINDLE_BASE_DURABLE_DIRS_H_
