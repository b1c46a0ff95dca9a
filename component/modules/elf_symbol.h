// Internal to component/modules.
#ifndef REKINDLE_COMPONENT_MODULES_ELF_SYMBOL_H_
#define REKINDLE_COMPONENT_MODULES_ELF_SYMBOL_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace rekindle {

// The bytes that the exported symbol `name` stands for, as they are in `file`,
// the contents of a shared library; nullopt when it exports no such symbol.
// Nothing of the library runs, and nothing is changed to the addresses that it
// would be loaded at.
//
//   INVALID_ARGUMENT  it is no shared library for this kind of machine, or it
//                     is damaged
absl::StatusOr<std::optional<std::string>> ReadElfSymbol(
    absl::string_view file, absl::string_view name);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_MODULES_ELF_SYMBOL_H_
