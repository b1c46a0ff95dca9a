#ifndef REKINDLE_COMPONENT_STEPS_TYPED_VALUES_H_
#define REKINDLE_COMPONENT_STEPS_TYPED_VALUES_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ml_metadata/proto/metadata_store.pb.h"
#include "nlohmann/json.hpp"

namespace rekindle {

// Values of properties, from and to what people and programs write.

// By its looks: "3" is an integer, "0.5" and "1e-3" are doubles, all else is
// text.
ml_metadata::Value ValueByLooks(const std::string& text);

// A plain JSON value; true and false become 1 and 0, as TFX has them.
ml_metadata::Value ValueFromJson(const nlohmann::json& json);

// The number or text; text for what has no plain JSON.
nlohmann::json ValueToJson(const ml_metadata::Value& value);

// As text that reads back as the same value: a double with as many digits as it
// needs.
std::string ValueToText(const ml_metadata::Value& value);

// `value` as the type declares property `name`; an integer is a double where
// one is declared, and both are text where text is.
//
//   INVALID_ARGUMENT  the type declares no such property (the nearest one is
//                     named), or it takes no such value
absl::StatusOr<ml_metadata::Value> AsDeclared(
    const ml_metadata::ArtifactType& type, const std::string& name,
    const ml_metadata::Value& value);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_STEPS_TYPED_VALUES_H_
