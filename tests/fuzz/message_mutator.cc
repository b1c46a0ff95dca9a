#include "tests/fuzz/message_mutator.h"

#include <cstdint>
#include <iterator>
#include <limits>
#include <string>

#include "google/protobuf/descriptor.h"

namespace rekindle {
namespace {

using ::google::protobuf::FieldDescriptor;
using ::google::protobuf::Message;
using ::google::protobuf::Reflection;

const int64_t kIntegers[] = {0,
                             1,
                             2,
                             3,
                             4,
                             10,
                             11,
                             12,
                             -1,
                             99,
                             std::numeric_limits<int64_t>::max(),
                             std::numeric_limits<int64_t>::min()};
const double kReals[] = {0.0, -1.5, 1e-300,
                         std::numeric_limits<double>::infinity(),
                         std::numeric_limits<double>::quiet_NaN()};
const std::string kStrings[] = {
    "",
    "a",
    "b",
    "e",
    "r",
    "q",
    "u",
    "x",
    "i",
    "s",
    "c",
    "k",
    "Data",
    "Train",
    "Run",
    "type",
    "mlmd.Dataset",
    "id > 0",
    "type = 'Data'",
    "contexts_a.name = 'r'",
    "events_0.type = INPUT",
    "properties.i.int_value = 1",
    "uri",
    "state",
    "properties",
    "properties.i",
    "custom_properties.c",
    "external_id",
    "artifacts",
    "events",
    std::string("nul\0inside", 10),
    "\xff\xfe not UTF-8",
};

template <typename Choices>
auto Pick(const Choices& choices, MutationDice& dice) {
  return choices[dice.Below(std::size(choices))];
}

// Sets the field, or adds to it if it is repeated.
#define RK_PUT(Kind, value)                                               \
  (field->is_repeated() ? reflection->Add##Kind(&message, field, (value)) \
                        : reflection->Set##Kind(&message, field, (value)))

void PutScalar(Message& message, const FieldDescriptor* field,
               MutationDice& dice) {
  const Reflection* reflection = message.GetReflection();
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return RK_PUT(Int32, static_cast<int32_t>(Pick(kIntegers, dice)));
    case FieldDescriptor::CPPTYPE_INT64:
      return RK_PUT(Int64, Pick(kIntegers, dice));
    case FieldDescriptor::CPPTYPE_UINT32:
      return RK_PUT(UInt32, static_cast<uint32_t>(Pick(kIntegers, dice)));
    case FieldDescriptor::CPPTYPE_UINT64:
      return RK_PUT(UInt64, static_cast<uint64_t>(Pick(kIntegers, dice)));
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return RK_PUT(Double, Pick(kReals, dice));
    case FieldDescriptor::CPPTYPE_FLOAT:
      return RK_PUT(Float, static_cast<float>(Pick(kReals, dice)));
    case FieldDescriptor::CPPTYPE_BOOL:
      return RK_PUT(Bool, dice.Below(2) == 0);
    case FieldDescriptor::CPPTYPE_STRING:
      return RK_PUT(String, Pick(kStrings, dice));
    case FieldDescriptor::CPPTYPE_ENUM: {
      const auto* values = field->enum_type();
      return RK_PUT(Enum, values->value(dice.Below(values->value_count())));
    }
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return;
  }
}

#undef RK_PUT

Message* ChooseSubmessage(Message& message, const FieldDescriptor* field,
                          MutationDice& dice) {
  const Reflection* reflection = message.GetReflection();
  if (!field->is_repeated()) return reflection->MutableMessage(&message, field);
  const int size = reflection->FieldSize(message, field);
  if (size == 0 || dice.Below(3) == 0) {
    return reflection->AddMessage(&message, field);
  }
  return reflection->MutableRepeatedMessage(&message, field, dice.Below(size));
}

}  // namespace

void MutateMessage(Message& message, MutationDice& dice) {
  const auto* descriptor = message.GetDescriptor();
  if (descriptor->field_count() == 0) return;
  const FieldDescriptor* field =
      descriptor->field(dice.Below(descriptor->field_count()));
  if (dice.Below(6) == 0) {
    message.GetReflection()->ClearField(&message, field);
  } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
    Message* const below = ChooseSubmessage(message, field, dice);
    if (dice.Below(8) != 0) MutateMessage(*below, dice);
  } else {
    PutScalar(message, field, dice);
  }
}

}  // namespace rekindle
