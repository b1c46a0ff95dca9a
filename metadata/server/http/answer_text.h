// Internal to metadata/server.
#ifndef REKINDLE_METADATA_SERVER_HTTP_ANSWER_TEXT_H_
#define REKINDLE_METADATA_SERVER_HTTP_ANSWER_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "metadata/server/http/message.h"

namespace rekindle::http {

// The status line and the headers of an answer, up to the empty line.
std::string HeadText(const Answer& answer, bool keep_alive);

// The answer that says why, in JSON; one that may be tried again says when, and
// one that wants to know who calls says how.
Answer AnswerOf(const Refusal& refusal);

// 503: tried again soon, it may be taken.
Refusal Busy(absl::string_view why);

}  // namespace rekindle::http

#endif  // REKINDLE_METADATA_SERVER_HTTP_ANSWER_TEXT_H_
