#ifndef REKINDLE_COMPONENT_DATA_INPUT_FORMAT_H_
#define REKINDLE_COMPONENT_DATA_INPUT_FORMAT_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "component/data/input_files.h"

namespace rekindle {

enum class InputFormat { kCsv, kTfRecord };

// The format of an input whose files are found: the one that is given, or else
// the one that their names speak of, which is CSV for *.csv and *.csv.gz, and
// TFRecord where "tfrecord" is part of the name. A split of any file ("*")
// keeps only those of that format.
//
//   INVALID_ARGUMENT  no format is given, and the names speak of both, or of
//                     neither
//   NOT_FOUND         no file is left
absl::StatusOr<InputFormat> ChooseFormat(
    const std::optional<InputFormat>& given, InputFiles& input);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_DATA_INPUT_FORMAT_H_
