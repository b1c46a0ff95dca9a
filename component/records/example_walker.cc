#include "component/records/example_walker.h"

#include <cstddef>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace rekindle {
namespace {

enum WireType : uint32_t {
  kVarint = 0,
  kFixed64 = 1,
  kBytes = 2,
  kFixed32 = 5
};

// Reads the fields of one message in turn.
//
//   FieldReader fields(message);
//   while (fields.Next()) if (fields.Is(1, kBytes)) Use(fields.bytes());
//   return fields.status();
class FieldReader {
 public:
  explicit FieldReader(absl::string_view message) : left_(message) {}

  // Moves to the next field; false at the end or when the bytes are damaged.
  bool Next() {
    if (left_.empty()) return false;
    uint64_t tag = 0;
    if (!ReadVarint(&left_, &tag)) return Damaged();
    number_ = tag >> 3;
    type_ = static_cast<uint32_t>(tag & 7);
    return number_ != 0 ? ReadValue() : Damaged();
  }

  bool Is(uint64_t number, WireType type) const {
    return number_ == number && type_ == type;
  }
  uint64_t varint() const { return varint_; }
  // The contents of a kBytes field, or the four bytes of a kFixed32.
  absl::string_view bytes() const { return bytes_; }

  absl::Status status() const {
    return damaged_ ? absl::DataLossError("the record is not a tf.Example")
                    : absl::OkStatus();
  }

  static bool ReadVarint(absl::string_view* left, uint64_t* value) {
    // Tags and most lengths are one byte.
    if (!left->empty() && static_cast<uint8_t>(left->front()) < 0x80) {
      *value = static_cast<uint8_t>(left->front());
      left->remove_prefix(1);
      return true;
    }
    uint64_t result = 0;
    for (size_t i = 0; i < left->size() && i < 10; ++i) {
      const auto byte = static_cast<uint8_t>((*left)[i]);
      result |= static_cast<uint64_t>(byte & 0x7f) << (7 * i);
      if (byte < 0x80) {
        left->remove_prefix(i + 1);
        *value = result;
        return true;
      }
    }
    return false;
  }

 private:
  bool ReadValue() {
    uint64_t size = 0;
    switch (type_) {
      case kVarint:
        return ReadVarint(&left_, &varint_) || Damaged();
      case kFixed64:
        return Take(sizeof(uint64_t));
      case kFixed32:
        return Take(sizeof(uint32_t));
      case kBytes:
        return ReadVarint(&left_, &size) ? Take(size) : Damaged();
      default:  // Groups, which proto3 does not have, and unassigned types.
        return Damaged();
    }
  }

  bool Take(uint64_t size) {
    if (size > left_.size()) return Damaged();
    bytes_ = left_.substr(0, size);
    left_.remove_prefix(size);
    return true;
  }

  bool Damaged() {
    damaged_ = true;
    return false;
  }

  absl::string_view left_;
  uint64_t number_ = 0;
  uint32_t type_ = 0;
  uint64_t varint_ = 0;
  absl::string_view bytes_;
  bool damaged_ = false;
};

absl::Status DamagedList() {
  return absl::DataLossError("the record has a list of values cut short");
}

}  // namespace

absl::Status ExampleWalker::Walk(absl::string_view record,
                                 ExampleVisitor& visitor) {
  FieldReader fields(record);
  while (fields.Next()) {
    if (!fields.Is(1, WireType::kBytes)) continue;
    RK_RETURN_IF_ERROR(WalkFeatures(fields.bytes(), visitor));
  }
  return fields.status();
}

absl::Status ExampleWalker::WalkFeatures(absl::string_view features,
                                         ExampleVisitor& visitor) {
  FieldReader fields(features);
  while (fields.Next()) {
    if (!fields.Is(1, WireType::kBytes)) continue;
    RK_RETURN_IF_ERROR(WalkEntry(fields.bytes(), visitor));
  }
  return fields.status();
}

// One entry of the map from names to features.
absl::Status ExampleWalker::WalkEntry(absl::string_view entry,
                                      ExampleVisitor& visitor) {
  absl::string_view name;
  Become(Kind::kNone);
  FieldReader fields(entry);
  while (fields.Next()) {
    if (fields.Is(1, WireType::kBytes)) name = fields.bytes();
    if (!fields.Is(2, WireType::kBytes)) continue;
    RK_RETURN_IF_ERROR(ReadFeature(fields.bytes()));
  }
  RK_RETURN_IF_ERROR(fields.status());
  Report(name, visitor);
  return absl::OkStatus();
}

absl::Status ExampleWalker::ReadFeature(absl::string_view feature) {
  FieldReader fields(feature);
  while (fields.Next()) {
    if (fields.Is(1, WireType::kBytes)) {
      RK_RETURN_IF_ERROR(ReadBytesList(fields.bytes()));
    } else if (fields.Is(2, WireType::kBytes)) {
      RK_RETURN_IF_ERROR(ReadFloatList(fields.bytes()));
    } else if (fields.Is(3, WireType::kBytes)) {
      RK_RETURN_IF_ERROR(ReadInt64List(fields.bytes()));
    }
  }
  return fields.status();
}

absl::Status ExampleWalker::ReadBytesList(absl::string_view list) {
  Become(Kind::kBytes);
  FieldReader fields(list);
  while (fields.Next()) {
    if (fields.Is(1, WireType::kBytes)) bytes_.push_back(fields.bytes());
  }
  return fields.status();
}

absl::Status ExampleWalker::ReadFloatList(absl::string_view list) {
  Become(Kind::kFloat);
  FieldReader fields(list);
  while (fields.Next()) {
    if (!fields.Is(1, WireType::kBytes) && !fields.Is(1, WireType::kFixed32)) {
      continue;
    }
    // Packed or not, the bytes are IEEE floats in little-endian order, as the
    // processors TensorFlow runs on hold them.
    const absl::string_view packed = fields.bytes();
    if (packed.size() % sizeof(float) != 0) return DamagedList();
    // memcpy takes no null pointer, even of no bytes.
    if (packed.empty()) continue;
    const size_t count = floats_.size();
    floats_.resize(count + packed.size() / sizeof(float));
    std::memcpy(floats_.data() + count, packed.data(), packed.size());
  }
  return fields.status();
}

absl::Status ExampleWalker::ReadInt64List(absl::string_view list) {
  Become(Kind::kInt64);
  FieldReader fields(list);
  while (fields.Next()) {
    if (fields.Is(1, WireType::kVarint)) {
      int64s_.push_back(static_cast<int64_t>(fields.varint()));
    }
    if (!fields.Is(1, WireType::kBytes)) continue;
    absl::string_view packed = fields.bytes();
    while (!packed.empty()) {
      uint64_t value = 0;
      if (!FieldReader::ReadVarint(&packed, &value)) return DamagedList();
      int64s_.push_back(static_cast<int64_t>(value));
    }
  }
  return fields.status();
}

// A list of the same kind is added to the one before, one of another kind takes
// its place: so protobuf merges a oneof.
void ExampleWalker::Become(Kind kind) {
  if (kind == kind_) return;
  kind_ = kind;
  if (kind == Kind::kBytes) bytes_.clear();
  if (kind == Kind::kFloat) floats_.clear();
  if (kind == Kind::kInt64) int64s_.clear();
}

void ExampleWalker::Report(absl::string_view name,
                           ExampleVisitor& visitor) const {
  switch (kind_) {
    case Kind::kNone:
      return visitor.OnNoValues(name);
    case Kind::kBytes:
      return visitor.OnBytes(name, bytes_);
    case Kind::kFloat:
      return visitor.OnFloats(name, floats_);
    case Kind::kInt64:
      return visitor.OnInt64s(name, int64s_);
  }
}

}  // namespace rekindle
