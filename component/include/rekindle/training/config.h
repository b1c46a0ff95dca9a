#ifndef REKINDLE_TRAINING_CONFIG_H_
#define REKINDLE_TRAINING_CONFIG_H_

#include <concepts>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "rekindle/training/config_field.h"

namespace rekindle {

class ConfigFields;

// Settings with names, which files and flags can set and params.yaml shows. A
// struct derives from it and lists its fields once, in Describe; reading,
// overriding, checking and writing all work from that list:
//
//   struct TowerConfig : Config {
//     std::vector<int64_t> units = {16, 16};
//     double dropout = 0;
//
//     void Describe(ConfigFields& fields) override {
//       fields.Add("units", &units, "of the hidden layers").AtLeast(1);
//       fields.Add("dropout", &dropout).AtLeast(0).Below(1);
//     }
//   };
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

// The list of a Config's fields. Of two calls with one name the later counts,
// so that a struct can describe anew, or refuse, a field of its base.
class ConfigFields {
 public:
  // Adds a field: a bool, int64_t, double or std::string, a std::vector or a
  // std::optional of them, a Config, a std::optional of a Config, or a std::map
  // from std::string to a Config. `about` is for people.
  template <typename T>
  ConfigField& Add(const std::string& name, T* field, std::string about = "") {
    return Put({name, Target(field), std::move(about)});
  }

  // Makes the config a choice among the Configs that it adds: the string
  // "type" names the chosen one, or is empty.
  ConfigField& AddType(std::string* type, std::string about = "");

  // Refuses to set `name` to anything but `default_value`. In a choice the name
  // is refused as a type too.
  void Refuse(const std::string& name, RefusedField::Default default_value,
              const std::string& reason);
  void Refuse(const std::vector<std::string>& names, const std::string& reason);

  const std::vector<ConfigField>& fields() const { return fields_; }
  const std::vector<RefusedField>& refused() const { return refused_; }
  // Null when there is no such field.
  const ConfigField* Find(const std::string& name) const;
  const RefusedField* FindRefused(const std::string& name) const;

  bool is_choice() const { return type_ != nullptr; }
  // The names that "type" can have.
  std::vector<std::string> Choices() const;
  // False for a Config that was not chosen.
  bool IsActive(const ConfigField& field) const;

 private:
  template <typename T>
  static ConfigTarget Target(T* field) {
    return field;
  }
  template <std::derived_from<Config> T>
  static ConfigTarget Target(T* field) {
    return static_cast<Config*>(field);
  }
  template <std::derived_from<Config> T>
  static ConfigTarget Target(std::optional<T>* field);
  template <std::derived_from<Config> T>
  static ConfigTarget Target(std::map<std::string, T>* field);

  ConfigField& Put(ConfigField field);
  void Remove(const std::string& name);

  std::vector<ConfigField> fields_;
  std::vector<RefusedField> refused_;
  const std::string* type_ = nullptr;
};

template <std::derived_from<Config> T>
ConfigTarget ConfigFields::Target(std::optional<T>* field) {
  using All = std::vector<std::pair<std::string, Config*>>;
  return ConfigChildren{.all =
                            [=] {
                              return *field ? All{{"", &**field}} : All{};
                            },
                        .find_or_make =
                            [=](const std::string&) {
                              return &(*field ? **field : field->emplace());
                            },
                        .clear = [=] { field->reset(); }};
}

template <std::derived_from<Config> T>
ConfigTarget ConfigFields::Target(std::map<std::string, T>* field) {
  return ConfigChildren{
      .all =
          [=] {
            std::vector<std::pair<std::string, Config*>> all;
            for (auto& [name, config] : *field) all.emplace_back(name, &config);
            return all;
          },
      .find_or_make = [=](const std::string& name) { return &(*field)[name]; },
      .clear = [=] { field->clear(); },
      .is_map = true};
}

}  // namespace rekindle

#endif  // REKINDLE_TRAINING_CONFIG_H_
