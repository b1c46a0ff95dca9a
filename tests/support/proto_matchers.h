#ifndef REKINDLE_TESTS_SUPPORT_PROTO_MATCHERS_H_
#define REKINDLE_TESTS_SUPPORT_PROTO_MATCHERS_H_

#include <string>

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

namespace rekindle {

// The message that `text` describes, in protobuf's text format.
template <typename Message>
Message Parse(const std::string& text) {
  Message message;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &message))
      << "not a " << message.GetTypeName() << ": " << text;
  return message;
}

// Matches a message equal to the one `text` describes in the fields that it
// sets, and prints the difference. Repeated fields match whole, in order.
MATCHER_P(LooksLike, text, std::string("looks like ") + text) {
  using Message = std::decay_t<decltype(arg)>;
  google::protobuf::util::MessageDifferencer differencer;
  differencer.set_scope(google::protobuf::util::MessageDifferencer::PARTIAL);
  std::string difference;
  differencer.ReportDifferencesToString(&difference);
  const bool same = differencer.Compare(Parse<Message>(text), arg);
  *result_listener << (same ? "" : "where it differs: " + difference);
  return same;
}

}  // namespace rekindle

#endif  // REKINDLE_TESTS_SUPPORT_PROTO_MATCHERS_H_
