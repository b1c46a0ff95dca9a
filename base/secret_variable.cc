#include "base/secret_variable.h"

#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <unistd.h>

namespace rekindle {

std::optional<std::string> TakeSecretVariable(const char* name) {
  char* const value = std::getenv(name);
  if (value == nullptr) return std::nullopt;
  std::string taken = value;
  // unsetenv alone leaves the bytes where /proc reads them.
  explicit_bzero(value, taken.size());
  unsetenv(name);
  if (taken.empty()) return std::nullopt;
  return taken;
}

void ClearEnvironment() {
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    explicit_bzero(*entry, std::strlen(*entry));
  }
  clearenv();
}

}  // namespace rekindle
