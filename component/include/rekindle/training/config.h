#ifndef REKINDLE_TRAINING_CONFIG_H_
#define REKINDLE_TRAINING_CONFIG_H_

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
};

}  // namespace rekindle

#endif  // REKINDLE_TRAINING_CONFIG_H_
