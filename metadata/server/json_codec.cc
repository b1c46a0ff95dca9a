#include "metadata/server/json_codec.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <google/protobuf/any.pb.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/field_mask.pb.h>
#include <google/protobuf/type.pb.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/type_resolver.h>
#include <google/protobuf/util/type_resolver_util.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "base/utf8.h"
#include "metadata/server/json_shape.h"
#include "nlohmann/json.hpp"

namespace rekindle {
namespace {

using ::google::protobuf::DescriptorPool;
using ::google::protobuf::Enum;
using ::google::protobuf::FieldDescriptor;
using ::google::protobuf::Message;
using ::google::protobuf::Reflection;
using ::google::protobuf::Type;
using ::google::protobuf::util::Status;
using ::google::protobuf::util::TypeResolver;
using ::nlohmann::json;

constexpr char kUrlPrefix[] = "type.googleapis.com";
// protobuf recognizes the messages that it maps in a special way by their
// names. Behind this suffix they are messages like others.
constexpr char kPlain[] = ".plain";

std::string UrlOf(absl::string_view full_name) {
  return absl::StrCat(kUrlPrefix, "/", full_name);
}

absl::Status ToAbsl(absl::StatusCode code, absl::string_view context,
                    const Status& status) {
  return {code,
          absl::StrCat(context, absl::string_view(status.message().data(),
                                                  status.message().size()))};
}

// Knows the messages of this program, Any and FieldMask as plain ones.
class PlainResolver : public TypeResolver {
 public:
  Status ResolveMessageType(const std::string& type_url, Type* type) override {
    absl::string_view url = type_url;
    const bool plain = absl::ConsumeSuffix(&url, kPlain);
    const Status resolved =
        messages_->ResolveMessageType(std::string(url), type);
    if (!resolved.ok()) return resolved;
    if (plain) type->set_name(absl::StrCat(type->name(), kPlain));
    for (auto& field : *type->mutable_fields()) {
      if (plain && field.name() == "type_url") field.set_json_name("@type");
      if (field.type_url() == any_ || field.type_url() == mask_) {
        field.set_type_url(absl::StrCat(field.type_url(), kPlain));
      }
    }
    return resolved;
  }

  Status ResolveEnumType(const std::string& type_url, Enum* type) override {
    return messages_->ResolveEnumType(type_url, type);
  }

 private:
  const std::string any_ =
      UrlOf(google::protobuf::Any::descriptor()->full_name());
  const std::string mask_ =
      UrlOf(google::protobuf::FieldMask::descriptor()->full_name());
  const std::unique_ptr<TypeResolver> messages_{
      google::protobuf::util::NewTypeResolverForDescriptorPool(
          kUrlPrefix, DescriptorPool::generated_pool())};
};

TypeResolver* Resolver() {
  static auto& resolver = *new PlainResolver;
  return &resolver;
}

// What a text is that is read without keeping any of it.
class JsonCheck : public nlohmann::json_sax<json> {
 public:
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(size_t) override {
    is_object_ = is_object_ || depth_ == 0;
    ++depth_;
    return true;
  }
  bool key(string_t&) override { return true; }
  bool end_object() override { return EndOne(); }
  bool start_array(size_t) override {
    ++depth_;
    return true;
  }
  bool end_array() override { return EndOne(); }
  // "[json.exception.parse_error.101] parse error at line 1, column 5: ..."
  bool parse_error(size_t, const std::string&,
                   const nlohmann::detail::exception& error) override {
    absl::string_view what = error.what();
    const size_t line = what.find("at line");
    const size_t text = what.find("] ");
    if (line != absl::string_view::npos) {
      what.remove_prefix(line);
    } else if (text != absl::string_view::npos) {
      what.remove_prefix(text + 2);
    }
    error_ = std::string(what);
    return false;
  }

  // Empty if there is none.
  const std::string& error() const { return error_; }
  bool is_object() const { return is_object_; }

 private:
  bool EndOne() {
    --depth_;
    return true;
  }

  int depth_ = 0;
  bool is_object_ = false;
  std::string error_;
};

// Why `text` was refused, of which protobuf says `refused`: text that is not
// JSON at all gets the place too.
absl::Status ExplainRefusal(const std::string& text, const std::string& name,
                            const Status& refused) {
  JsonCheck check;
  json::sax_parse(text, &check);
  if (!check.error().empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the body is not JSON: ", check.error()));
  }
  if (!check.is_object()) {
    return absl::InvalidArgumentError("the body must be a JSON object");
  }
  return ToAbsl(absl::StatusCode::kInvalidArgument,
                absl::StrCat("the body is not a ", name, ": "), refused);
}

void MakeUtf8(Message* message);

void MakeUtf8(Message* message, const FieldDescriptor* field) {
  const Reflection& reflection = *message->GetReflection();
  const bool is_text = field->type() == FieldDescriptor::TYPE_STRING;
  if (!is_text && field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) {
    return;
  }
  if (!field->is_repeated()) {
    if (is_text) {
      reflection.SetString(
          message, field,
          ReplaceInvalidUtf8(reflection.GetString(*message, field)));
    } else {
      MakeUtf8(reflection.MutableMessage(message, field));
    }
    return;
  }
  for (int i = 0; i < reflection.FieldSize(*message, field); ++i) {
    if (is_text) {
      reflection.SetRepeatedString(
          message, field, i,
          ReplaceInvalidUtf8(reflection.GetRepeatedString(*message, field, i)));
    } else {
      MakeUtf8(reflection.MutableRepeatedMessage(message, field, i));
    }
  }
}

void MakeUtf8(Message* message) {
  std::vector<const FieldDescriptor*> fields;
  message->GetReflection()->ListFields(*message, &fields);
  for (const FieldDescriptor* field : fields) MakeUtf8(message, field);
}

}  // namespace

absl::Status ParseJson(const std::string& json, Message* message) {
  const std::string& name = message->GetDescriptor()->full_name();
  RK_RETURN_IF_ERROR(CheckJsonShape(json));
  std::string binary;
  const Status parsed = google::protobuf::util::JsonToBinaryString(
      Resolver(), UrlOf(name), json, &binary);
  if (!parsed.ok()) return ExplainRefusal(json, name, parsed);
  if (message->ParseFromString(binary)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the body is not a ", name, ": a field is missing"));
}

absl::StatusOr<std::string> ToJsonText(Message* message) {
  MakeUtf8(message);
  const std::string& name = message->GetDescriptor()->full_name();
  std::string text;
  const Status printed = google::protobuf::util::BinaryToJsonString(
      Resolver(), UrlOf(name), message->SerializeAsString(), &text);
  if (printed.ok()) return text;
  return ToAbsl(absl::StatusCode::kInternal,
                absl::StrCat("cannot write a ", name, " as JSON: "), printed);
}

}  // namespace rekindle
