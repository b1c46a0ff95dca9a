#ifndef REKINDLE_TRAINING_CONFIG_H_
#define REKINDLE_TRAINING_CONFIG_H_

#include "absl/status/status.h"

namespace rekindle {

class ConfigFields;

// Settings with names, which files and flags can set and params.yaml shows. A
// struct derives from it and lists its fields once, in Describe; reading,
// overriding, checking and writing all work from that list.
class Config {
 public:
  virtual ~Config() = default;

  // Adds each field, by name, to `fields`. Does nothing else.
  virtual void Describe(ConfigFields& fields) = 0;

  // Checks what no rule of a single field can say. The message starts with the
  // name of a field.
  //
  //   INVALID_ARGUMENT  the fields contradict each other
  virtual absl::Status Validate() const { return absl::OkStatus(); }
};

}  // namespace rekindle

#endif  // REKINDLE_TRAINING_CONFIG_H_
