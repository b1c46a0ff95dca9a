#include "rekindle/training/config.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/number_text.h"

namespace rekindle {
namespace {

// The one of `list` with this name, or null.
template <typename T, typename Name>
const T* FindNamed(const std::vector<T>& list, const std::string& name,
                   Name name_of) {
  const auto found = std::ranges::find(list, name, name_of);
  return found == list.end() ? nullptr : std::to_address(found);
}

bool IsConfig(const ConfigField& field) {
  return std::holds_alternative<Config*>(field.target());
}

}  // namespace

ConfigField& ConfigField::AtLeast(double least) {
  number_rules_.push_back({absl::StrCat("at least ", ShortestDecimal(least)),
                           [=](double value) { return value >= least; }});
  return *this;
}

ConfigField& ConfigField::AtMost(double most) {
  number_rules_.push_back({absl::StrCat("at most ", ShortestDecimal(most)),
                           [=](double value) { return value <= most; }});
  return *this;
}

ConfigField& ConfigField::Above(double bound) {
  number_rules_.push_back({absl::StrCat("above ", ShortestDecimal(bound)),
                           [=](double value) { return value > bound; }});
  return *this;
}

ConfigField& ConfigField::Below(double bound) {
  number_rules_.push_back({absl::StrCat("below ", ShortestDecimal(bound)),
                           [=](double value) { return value < bound; }});
  return *this;
}

ConfigField& ConfigField::AnyOf(std::vector<std::string> words) {
  words_ = std::move(words);
  return *this;
}

ConfigField& ConfigField::NotEmpty() {
  not_empty_ = true;
  return *this;
}

ConfigField& ConfigField::OrNull() {
  or_null_ = true;
  return *this;
}

ConfigField& ConfigField::OrCommaList() {
  or_comma_list_ = true;
  return *this;
}

std::string ConfigField::Rules() const {
  std::vector<std::string> rules;
  for (const NumberRule& rule : number_rules_) rules.push_back(rule.words);
  if (!words_.empty()) {
    rules.push_back(absl::StrCat("one of ", absl::StrJoin(words_, ", ")));
  }
  if (not_empty_) rules.emplace_back("not empty");
  return absl::StrJoin(rules, " and ");
}

bool ConfigField::Allows(double number) const {
  return std::ranges::all_of(number_rules_, [=](const NumberRule& rule) {
    return rule.holds(number);
  });
}

bool ConfigField::Allows(const std::string& word) const {
  return words_.empty() || std::ranges::find(words_, word) != words_.end();
}

ConfigField& ConfigFields::AddType(std::string* type, std::string about) {
  type_ = type;
  return Add("type", type, std::move(about)).OrNull();
}

void ConfigFields::Refuse(const std::string& name,
                          RefusedField::Default default_value,
                          const std::string& reason) {
  Remove(name);
  refused_.push_back({name, std::move(default_value), reason});
}

void ConfigFields::Refuse(const std::vector<std::string>& names,
                          const std::string& reason) {
  for (const std::string& name : names) Refuse(name, nullptr, reason);
}

const ConfigField* ConfigFields::Find(const std::string& name) const {
  return FindNamed(fields_, name, &ConfigField::name);
}

const RefusedField* ConfigFields::FindRefused(const std::string& name) const {
  return FindNamed(refused_, name, &RefusedField::name);
}

std::vector<std::string> ConfigFields::Choices() const {
  std::vector<std::string> choices;
  for (const ConfigField& field : fields_) {
    if (IsConfig(field)) choices.push_back(field.name());
  }
  return choices;
}

bool ConfigFields::IsActive(const ConfigField& field) const {
  return !is_choice() || !IsConfig(field) || field.name() == *type_;
}

ConfigField& ConfigFields::Put(ConfigField field) {
  Remove(field.name());
  return fields_.emplace_back(std::move(field));
}

void ConfigFields::Remove(const std::string& name) {
  std::erase_if(fields_,
                [&](const auto& field) { return field.name() == name; });
  std::erase_if(refused_,
                [&](const auto& field) { return field.name == name; });
}

}  // namespace rekindle
