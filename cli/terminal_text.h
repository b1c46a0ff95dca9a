#ifndef REKINDLE_CLI_TERMINAL_TEXT_H_
#define REKINDLE_CLI_TERMINAL_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace rekindle {

// Text that others wrote, such as names in the metadata store, as a terminal
// may have it: valid UTF-8, with a space in place of each character that would
// move the cursor, change colours, answer for the user or turn the direction
// of writing. It stays on its line.
std::string TerminalLine(absl::string_view text);

// The same for text of several lines: keeps line ends and tabs.
std::string TerminalText(absl::string_view text);

}  // namespace rekindle

#endif  // REKINDLE_CLI_TERMINAL_TEXT_H_
