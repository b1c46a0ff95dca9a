// Internal to metadata/store.
#ifndef REKINDLE_METADATA_STORE_MOVE_INTO_H_
#define REKINDLE_METADATA_STORE_MOVE_INTO_H_

#include <utility>

#include <google/protobuf/repeated_field.h>

namespace rekindle {

// Moves messages to the end of a field of an answer.
template <typename Messages, typename Message>
void MoveInto(Messages from,
              google::protobuf::RepeatedPtrField<Message>* into) {
  into->Reserve(into->size() + static_cast<int>(from.size()));
  for (Message& message : from) *into->Add() = std::move(message);
}

// The same for a whole field, which is mostly the first part: nothing moves.
template <typename Message>
void MoveInto(google::protobuf::RepeatedPtrField<Message> from,
              google::protobuf::RepeatedPtrField<Message>* into) {
  if (into->empty()) {
    into->Swap(&from);
  } else {
    into->MergeFrom(from);
  }
}

}  // namespace rekindle

#endif  // REKINDLE_METADATA_STORE_MOVE_INTO_H_
