// Internal to component/config.
#ifndef REKINDLE_COMPONENT_CONFIG_FIELD_VALUE_H_
#define REKINDLE_COMPONENT_CONFIG_FIELD_VALUE_H_

#include <string>
#include <vector>

#include "component/config/config_layer.h"
#include "rekindle/training/config.h"

namespace rekindle {

// Sets a field; false, and nothing changes, when the value has the wrong type
// or breaks a rule, or the field holds configs.
bool SetFieldValue(const ConfigField& field, const ConfigJson& value);

// Null for a field that holds configs.
ConfigJson FieldValue(const ConfigField& field);

// Whether the value that the field has keeps its rules.
bool KeepsRules(const ConfigField& field);

// What a field's value is, and its rules: "an integer, at least 1".
std::string ExpectedValue(const ConfigField& field);

// Why `type` cannot be the type of a choice, as a message goes on after the
// path; empty: it can.
std::string TypeProblem(const ConfigFields& choice, const std::string& type);

// The path of `name` in what is at `path`; each may be empty.
std::string JoinPath(const std::string& path, const std::string& name);

std::vector<std::string> FieldNames(const ConfigFields& fields);

// "did you mean 'NEAREST'?", or else what there is.
std::string Suggestion(const std::string& typed,
                       const std::vector<std::string>& names);

// A value as messages show it.
std::string ShortText(const ConfigJson& value);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_CONFIG_FIELD_VALUE_H_
