// Internal to metadata/server.
#ifndef REKINDLE_METADATA_SERVER_HTTP_HEAD_PARSER_H_
#define REKINDLE_METADATA_SERVER_HTTP_HEAD_PARSER_H_

#include <optional>

#include "absl/strings/string_view.h"
#include "metadata/server/http/limits.h"
#include "metadata/server/http/message.h"

namespace rekindle::http {

// Reads the request line and the headers of HTTP/1.1 or HTTP/1.0, `text` with
// the empty line at their end. Stricter than the standard wherever two readers
// could understand two things: lines end in CR LF, headers have one line, a
// body has one length, the target is a path.
//
//   400  it is not that             414, 431  longer than the limits
//   413  the body will be too large 501, 505  another coding, another version
std::optional<Refusal> ParseHead(absl::string_view text, const Limits& limits,
                                 Head* head);

// The refusals that its caller finds out, too.
Refusal BadRequest(absl::string_view why);
Refusal LineTooLong(const Limits& limits);
Refusal HeadTooLarge(const Limits& limits);
Refusal BodyTooLarge(const Limits& limits);

}  // namespace rekindle::http

#endif  // REKINDLE_METADATA_SERVER_HTTP_HEAD_PARSER_H_
