# Writes the file INPUT as a C++ function into the file OUTPUT. Compilers limit
# the length of one string literal, so each line is one.
file(READ "${INPUT}" text)
string(REPLACE "\\" "\\\\" text "${text}")
string(REPLACE "\"" "\\\"" text "${text}")
string(REPLACE "\n" "\\n\"\n    \"" text "${text}")
file(WRITE "${OUTPUT}.new" "#include <string>

#include \"operator/workflow/template_library.h\"

namespace rekindle::argo {

const std::string& BuiltinTemplateText() {
  static const auto* const kText = new std::string(
    \"${text}\");
  return *kText;
}

}  // namespace rekindle::argo
")
file(RENAME "${OUTPUT}.new" "${OUTPUT}")
