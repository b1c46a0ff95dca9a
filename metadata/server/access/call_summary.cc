#include "metadata/server/access/call_summary.h"

#include <array>
#include <string>
#include <vector>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"

namespace rekindle {
namespace {

using ::google::protobuf::FieldDescriptor;
using ::google::protobuf::Message;
using ::nlohmann::ordered_json;

constexpr size_t kMostFields = 12;
constexpr int kMostOfAList = 3;
constexpr int kMostDepth = 4;
constexpr size_t kMostText = 200;

// Fields whose values say what a call is about and are no secrets.
bool IsTelling(const FieldDescriptor& field) {
  constexpr std::array<absl::string_view, 15> kNames = {
      "id",      "name",    "type",     "uri",       "external_id",
      "state",   "owner",   "cached",   "dry_run",   "if_abandoned",
      "records", "version", "work_key", "type_name", "break_lineage"};
  for (const absl::string_view name : kNames) {
    if (field.name() == name) return true;
  }
  return absl::EndsWith(field.name(), "_id") ||
         absl::EndsWith(field.name(), "_ids");
}

// At most kMostText bytes of `text`; where it is cut does not matter, the log
// replaces what is not UTF-8.
std::string Shortened(const std::string& text) {
  if (text.size() <= kMostText) return text;
  return absl::StrCat(text.substr(0, kMostText), "...");
}

class Summary {
 public:
  ordered_json Of(const Message& message) {
    AddFields(message, "", 0);
    return std::move(summary_);
  }

 private:
  void AddFields(const Message& message, const std::string& path, int depth) {
    std::vector<const FieldDescriptor*> fields;
    message.GetReflection()->ListFields(message, &fields);
    for (const FieldDescriptor* field : fields) {
      // A map holds properties.
      if (field->is_map()) continue;
      const std::string name = absl::StrCat(path, field->name());
      if (field->is_repeated()) {
        AddList(message, *field, name, depth);
      } else {
        AddValue(message, *field, -1, name, depth);
      }
    }
  }

  void AddList(const Message& message, const FieldDescriptor& field,
               const std::string& name, int depth) {
    const int size = message.GetReflection()->FieldSize(message, &field);
    for (int i = 0; i < size && i < kMostOfAList; ++i) {
      AddValue(message, field, i, absl::StrCat(name, "[", i, "]"), depth);
    }
    if (size > kMostOfAList) Add(name, size);
  }

  // The field's value, or that at `index` of a list.
  void AddValue(const Message& message, const FieldDescriptor& field, int index,
                const std::string& name, int depth) {
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      if (depth >= kMostDepth) return;
      const auto& reflection = *message.GetReflection();
      AddFields(index < 0
                    ? reflection.GetMessage(message, &field)
                    : reflection.GetRepeatedMessage(message, &field, index),
                absl::StrCat(name, "."), depth + 1);
    } else if (IsTelling(field)) {
      Add(name, ValueOf(message, field, index));
    }
  }

  static ordered_json ValueOf(const Message& message,
                              const FieldDescriptor& field, int index) {
    const auto& reflection = *message.GetReflection();
    const bool one = index < 0;
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_STRING:
        return Shortened(
            one ? reflection.GetString(message, &field)
                : reflection.GetRepeatedString(message, &field, index));
      case FieldDescriptor::CPPTYPE_INT64:
        return one ? reflection.GetInt64(message, &field)
                   : reflection.GetRepeatedInt64(message, &field, index);
      case FieldDescriptor::CPPTYPE_BOOL:
        return one ? reflection.GetBool(message, &field)
                   : reflection.GetRepeatedBool(message, &field, index);
      case FieldDescriptor::CPPTYPE_ENUM:
        return (one ? reflection.GetEnum(message, &field)
                    : reflection.GetRepeatedEnum(message, &field, index))
            ->name();
      default:
        return nullptr;
    }
  }

  void Add(const std::string& name, ordered_json value) {
    if (summary_.size() < kMostFields) summary_[name] = std::move(value);
  }

  ordered_json summary_ = ordered_json::object();
};

}  // namespace

nlohmann::ordered_json SummarizeMessage(const Message& message) {
  return Summary().Of(message);
}

}  // namespace rekindle
