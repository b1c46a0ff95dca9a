// Internal to component/config.
#ifndef REKINDLE_COMPONENT_CONFIG_FIELD_VALUE_H_
#define REKINDLE_COMPONENT_CONFIG_FIELD_VALUE_H_

#include <string>
#include <vector>

#include "component/config/config_layer.h"
#include "rekindle/training/config.h"

namespace rekindle {

// These work on fields that are no Config and no ConfigChildren.

// Sets the field; false, and nothing changes, when the value has the wrong type
// or breaks a rule.
bool SetFieldValue(const ConfigField& field, const ConfigJson& value);

ConfigJson FieldValue(const ConfigField& field);

// Whether the value that the field has keeps its rules.
bool KeepsRules(const ConfigField& field);

// What a field's value is, and its rules: "an integer, at least 1".
std::string FieldType(const ConfigField& field);
std::string ExpectedValue(const ConfigField& field);

// Why `type` cannot be the type of a choice, as a message goes on after the
// path; empty: it can.
std::string TypeProblem(const ConfigFields& choice, const std::string& type);

// "did you mean 'NEAREST'?", or else what there is.
std::string Suggestion(const std::string& typed,
                       const std::vector<std::string>& names);

// A value as messages show it.
std::string ShortText(const ConfigJson& value);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_CONFIG_FIELD_VALUE_H_
