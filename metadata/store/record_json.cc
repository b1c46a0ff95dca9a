#include "metadata/store/record_json.h"

#include <algorithm>
#include <string>
#include <utility>

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/type_resolver_util.h>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace rekindle {
namespace {

using ::google::protobuf::util::TypeResolver;
using ::rekindle::v1::ExportRecord;

constexpr char kUrlPrefix[] = "type.googleapis.com";

// Maps in the order of their keys.
std::string SerializeInOrder(const ExportRecord& record) {
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  record.SerializeToCodedStream(&coded);
  coded.Trim();
  return bytes;
}

// By way of the bytes: the order of maps in a message is not theirs.
absl::StatusOr<std::string> BytesToJson(const std::string& bytes) {
  static TypeResolver* const resolver =
      google::protobuf::util::NewTypeResolverForDescriptorPool(
          kUrlPrefix, google::protobuf::DescriptorPool::generated_pool());
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  std::string json;
  const auto printed = google::protobuf::util::BinaryToJsonString(
      resolver,
      absl::StrCat(kUrlPrefix, "/", ExportRecord::descriptor()->full_name()),
      bytes, &json, options);
  if (printed.ok()) return json;
  return absl::InvalidArgumentError(std::string(printed.message()));
}

absl::StatusOr<ExportRecord> Parse(absl::string_view line) {
  ExportRecord record;
  const auto parsed = google::protobuf::util::JsonStringToMessage(
      google::protobuf::StringPiece(line.data(), line.size()), &record);
  if (parsed.ok()) return record;
  // Further lines of the message show the text, whatever it is.
  const absl::string_view message(parsed.message().data(),
                                  parsed.message().size());
  return absl::InvalidArgumentError(message.substr(0, message.find('\n')));
}

template <typename Node>
bool HasProtoValue(const Node& node) {
  const auto is_proto = [](const auto& property) {
    return property.second.has_proto_value();
  };
  return std::any_of(node.properties().begin(), node.properties().end(),
                     is_proto) ||
         std::any_of(node.custom_properties().begin(),
                     node.custom_properties().end(), is_proto);
}

// JSON shows what is in a proto only if its type is known, which may be so in
// one program and not in another.
bool NeedsBinary(const ExportRecord& record) {
  switch (record.record_case()) {
    case ExportRecord::kArtifact:
      return HasProtoValue(record.artifact());
    case ExportRecord::kExecution:
      return HasProtoValue(record.execution());
    case ExportRecord::kContext:
      return HasProtoValue(record.context());
    default:
      return false;
  }
}

// Whether the line reads back as the record that these are the bytes of.
bool Holds(const absl::StatusOr<std::string>& json, const std::string& bytes) {
  if (!json.ok()) return false;
  const absl::StatusOr<ExportRecord> read = Parse(*json);
  return read.ok() && SerializeInOrder(*read) == bytes;
}

}  // namespace

absl::StatusOr<std::string> RecordToJson(const ExportRecord& record) {
  std::string bytes = SerializeInOrder(record);
  if (!NeedsBinary(record)) {
    absl::StatusOr<std::string> json = BytesToJson(bytes);
    if (Holds(json, bytes)) return json;
  }
  ExportRecord binary;
  binary.set_binary(std::move(bytes));
  return BytesToJson(SerializeInOrder(binary));
}

absl::StatusOr<ExportRecord> RecordFromJson(absl::string_view line) {
  RK_ASSIGN_OR_RETURN(ExportRecord record, Parse(line));
  if (!record.has_binary()) return record;
  ExportRecord inner;
  if (inner.ParseFromString(record.binary())) return inner;
  return absl::InvalidArgumentError("'binary' does not hold a record");
}

}  // namespace rekindle
