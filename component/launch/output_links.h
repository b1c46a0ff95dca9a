#ifndef REKINDLE_COMPONENT_LAUNCH_OUTPUT_LINKS_H_
#define REKINDLE_COMPONENT_LAUNCH_OUTPUT_LINKS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"

namespace rekindle {

// Readies the links in a folder, an absolute path, for its rename: one that
// leads into the folder by the folder's own place is made relative, and leads
// to the same afterwards. Links to elsewhere stay as they are.
//
//   FAILED_PRECONDITION  a link leads into one of `passing`, folders that are
//                        not where they are for long; names it
absl::Status KeepLinksInside(const std::string& folder,
                             const std::vector<std::string>& passing);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_LAUNCH_OUTPUT_LINKS_H_
