#include "metadata/server/limits/message_cost.h"

#include <climits>
#include <cstdint>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

namespace rekindle {
namespace {

using ::google::protobuf::Descriptor;
using ::google::protobuf::FieldDescriptor;
using ::google::protobuf::internal::WireFormatLite;
using ::google::protobuf::io::CodedInputStream;

// As protobuf's own.
constexpr int kMaxDepth = 100;
// A number of a repeated or an unknown field, in a vector that has grown.
constexpr int64_t kNumber = 32;
constexpr int64_t kString = 48;

int64_t CostOfEmpty(const Descriptor* type) {
  constexpr int64_t kHeader = 64;
  constexpr int64_t kField = 16;
  return kHeader + (type == nullptr ? 0 : kField * type->field_count());
}

// Adds up what the fields of one message cost.
class Counter {
 public:
  Counter(CodedInputStream& wire, int64_t enough)
      : wire_(wire), enough_(enough) {}

  int64_t cost() const { return cost_; }

  // `type` is null for a group that nobody knows. False if it is no message.
  bool Count(const Descriptor* type, int depth) {
    cost_ += CostOfEmpty(type);
    if (depth > kMaxDepth) return false;
    while (cost_ <= enough_) {
      const uint32_t tag = wire_.ReadTag();
      if (tag == 0) return wire_.ConsumedEntireMessage();
      if (WireFormatLite::GetTagWireType(tag) ==
          WireFormatLite::WIRETYPE_END_GROUP) {
        return type == nullptr;
      }
      if (!CountField(type, tag, depth)) return false;
    }
    return true;
  }

 private:
  bool CountField(const Descriptor* type, uint32_t tag, int depth) {
    switch (WireFormatLite::GetTagWireType(tag)) {
      case WireFormatLite::WIRETYPE_LENGTH_DELIMITED:
        return CountBytes(type == nullptr
                              ? nullptr
                              : type->FindFieldByNumber(
                                    WireFormatLite::GetTagFieldNumber(tag)),
                          depth);
      case WireFormatLite::WIRETYPE_START_GROUP:
        return Count(/*type=*/nullptr, depth + 1);
      default:
        cost_ += kNumber;
        return WireFormatLite::SkipField(&wire_, tag);
    }
  }

  // `field` is null if nobody knows it.
  bool CountBytes(const FieldDescriptor* field, int depth) {
    int size = 0;
    if (!wire_.ReadVarintSizeAsInt(&size)) return false;
    if (field == nullptr ||
        field->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
      cost_ += kString + size;
      return wire_.Skip(size);
    }
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) {
      cost_ += kNumber * size;
      return wire_.Skip(size);
    }
    const CodedInputStream::Limit outer = wire_.PushLimit(size);
    const bool counted = Count(field->message_type(), depth + 1);
    wire_.PopLimit(outer);
    return counted;
  }

  CodedInputStream& wire_;
  const int64_t enough_;
  int64_t cost_ = 0;
};

}  // namespace

absl::StatusOr<int64_t> CostOfMessage(
    const Descriptor& type, google::protobuf::io::ZeroCopyInputStream& wire,
    int64_t enough) {
  CodedInputStream coded(&wire);
  coded.SetTotalBytesLimit(INT_MAX);
  Counter counter(coded, enough);
  if (counter.Count(&type, /*depth=*/1)) return counter.cost();
  return absl::InvalidArgumentError(
      absl::StrCat("the bytes that were sent are no ", type.full_name(),
                   ", or one that is nested more than ", kMaxDepth, " deep"));
}

}  // namespace rekindle
