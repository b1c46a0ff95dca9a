#ifndef REKINDLE_OPERATOR_WORKFLOW_SOURCE_POSITION_H_
#define REKINDLE_OPERATOR_WORKFLOW_SOURCE_POSITION_H_

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"

namespace rekindle::argo {

// Where something was written. Lines and columns count from 1; 0 means that it
// was not written but made.
struct SourcePosition {
  std::shared_ptr<const std::string> file;  // shared by all of one file
  int line = 0;
  int column = 0;

  const std::string& file_name() const {
    static const std::string none;
    return file == nullptr ? none : *file;
  }
  // "pipeline.yaml:14:9"
  std::string ToString() const {
    return line == 0 ? file_name()
                     : absl::StrCat(file_name(), ":", line, ":", column);
  }
};

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_WORKFLOW_SOURCE_POSITION_H_
