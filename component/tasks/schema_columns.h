#ifndef REKINDLE_COMPONENT_TASKS_SCHEMA_COLUMNS_H_
#define REKINDLE_COMPONENT_TASKS_SCHEMA_COLUMNS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "component/io/columns.h"

namespace rekindle {

struct SchemaColumns {
  Columns columns;
  // One sentence for each feature that is left out.
  std::vector<std::string> notes;
};

// Decides from the Schema (text proto) at `path` what a classifier of
// `label_key` reads. FLOAT and INT features are numeric, BYTES features with a
// string domain are categorical, others are left out with a note. The label is
// BYTES with a string domain, or INT with an int domain or a bool domain.
//
//   NOT_FOUND         there is no such file
//   INVALID_ARGUMENT  it is not a Schema, or has no usable label or feature
//   UNAVAILABLE       it cannot be read
absl::StatusOr<SchemaColumns> ReadSchemaColumns(const std::string& path,
                                                const std::string& label_key);

// The same of a schema that is not in a file; `name` stands for it in errors.
absl::StatusOr<SchemaColumns> ParseSchemaColumns(const std::string& text,
                                                 const std::string& name,
                                                 const std::string& label_key);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_TASKS_SCHEMA_COLUMNS_H_
