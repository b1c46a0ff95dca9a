#ifndef REKINDLE_COMPONENT_LAUNCH_SECRET_MASK_H_
#define REKINDLE_COMPONENT_LAUNCH_SECRET_MASK_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace rekindle {

// Keeps secrets out of what a step's child prints and answers: what was given
// as a secret is shown as ***, each line of it apart. One that is shorter than
// four characters is not looked for, nor is one that the child has changed
// (base64 and the like). A value type.
class SecretMask {
 public:
  SecretMask() = default;  // masks nothing
  explicit SecretMask(const std::vector<std::string>& secrets);

  std::string Mask(absl::string_view text) const;
  // The same status, reason and all, with its message masked.
  absl::Status Mask(const absl::Status& status) const;

 private:
  std::vector<std::pair<std::string, std::string>> replacements_;
};

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_LAUNCH_SECRET_MASK_H_
