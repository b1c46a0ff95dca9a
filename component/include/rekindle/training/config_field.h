#ifndef REKINDLE_TRAINING_CONFIG_FIELD_H_
#define REKINDLE_TRAINING_CONFIG_FIELD_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace rekindle {

class Config;

// Configs that come and go by name: those of a std::map, or the one of a
// std::optional, whose name is empty.
struct ConfigChildren {
  std::function<std::vector<std::pair<std::string, Config*>>()> all;
  std::function<Config*(const std::string& name)> find_or_make;
  std::function<void()> clear;
  bool is_map = false;
};

// Where a field's value is. Not owned.
using ConfigTarget =
    std::variant<bool*, int64_t*, double*, std::string*, std::vector<bool>*,
                 std::vector<int64_t>*, std::vector<double>*,
                 std::vector<std::string>*, std::optional<bool>*,
                 std::optional<int64_t>*, std::optional<double>*,
                 std::optional<std::string>*, Config*, ConfigChildren>;

// One field of a Config and its rules. A rule holds for a value, or for each
// element of a list. A field whose default breaks its rule must be set.
class ConfigField {
 public:
  ConfigField(std::string name, ConfigTarget target, std::string about)
      : name_(std::move(name)),
        target_(std::move(target)),
        about_(std::move(about)) {}

  ConfigField& AtLeast(double least);
  ConfigField& AtMost(double most);
  ConfigField& Above(double bound);
  ConfigField& Below(double bound);
  ConfigField& AnyOf(std::vector<std::string> words);
  ConfigField& NotEmpty();  // a string or a list

  // Reads null as 0, "" or no element, and writes these as null; a bool reads
  // it as false.
  ConfigField& OrNull();
  // Reads a string into a list of strings, cut at its commas.
  ConfigField& OrCommaList();

  const std::string& name() const { return name_; }
  const ConfigTarget& target() const { return target_; }
  const std::string& about() const { return about_; }
  bool or_null() const { return or_null_; }
  bool or_comma_list() const { return or_comma_list_; }

  // The rules in words, such as "at least 1"; empty: none.
  std::string Rules() const;
  bool Allows(double number) const;
  bool Allows(const std::string& word) const;
  bool AllowsCount(size_t count) const { return count > 0 || !not_empty_; }

 private:
  struct NumberRule {
    std::string words;
    std::function<bool(double)> holds;
  };

  std::string name_;
  ConfigTarget target_;
  std::string about_;
  std::vector<NumberRule> number_rules_;
  std::vector<std::string> words_;
  bool not_empty_ = false;
  bool or_null_ = false;
  bool or_comma_list_ = false;
};

// A name that others know and that has no meaning here. Its default may be
// set, and changes nothing.
struct RefusedField {
  using Default =
      std::variant<std::nullptr_t, bool, int64_t, double, std::string>;

  std::string name;
  Default default_value;
  std::string reason;
};

}  // namespace rekindle

#endif  // REKINDLE_TRAINING_CONFIG_FIELD_H_
