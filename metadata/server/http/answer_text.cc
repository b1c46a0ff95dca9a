#include "metadata/server/http/answer_text.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "metadata/server/http/message.h"
#include "metadata/server/http_status.h"

namespace rekindle::http {
namespace {

using Reason = std::pair<int, absl::string_view>;

constexpr std::array kReasons = {
    Reason{200, "OK"},
    Reason{400, "Bad Request"},
    Reason{401, "Unauthorized"},
    Reason{403, "Forbidden"},
    Reason{404, "Not Found"},
    Reason{405, "Method Not Allowed"},
    Reason{408, "Request Timeout"},
    Reason{409, "Conflict"},
    Reason{413, "Content Too Large"},
    Reason{414, "URI Too Long"},
    Reason{415, "Unsupported Media Type"},
    Reason{417, "Expectation Failed"},
    Reason{421, "Misdirected Request"},
    Reason{429, "Too Many Requests"},
    Reason{431, "Request Header Fields Too Large"},
    Reason{499, "Client Closed Request"},
    Reason{500, "Internal Server Error"},
    Reason{501, "Not Implemented"},
    Reason{503, "Service Unavailable"},
    Reason{504, "Gateway Timeout"},
    Reason{505, "HTTP Version Not Supported"},
};

absl::string_view ReasonOf(int status) {
  const auto* const found =
      std::find_if(kReasons.begin(), kReasons.end(),
                   [status](const Reason& one) { return one.first == status; });
  return found == kReasons.end() ? "Unknown" : found->second;
}

// A header with a line's end in it would be two.
std::string OneLine(std::string value) {
  std::replace_if(
      value.begin(), value.end(), [](char c) { return c == '\r' || c == '\n'; },
      ' ');
  return value;
}

}  // namespace

std::string HeadText(const Answer& answer, bool keep_alive) {
  std::string text = absl::StrCat(
      "HTTP/1.1 ", answer.status, " ", ReasonOf(answer.status),
      "\r\nContent-Type: ", answer.content_type,
      "\r\nContent-Length: ", answer.body.size(),
      "\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff"
      "\r\nConnection: ",
      keep_alive ? "keep-alive" : "close", "\r\n");
  for (const Header& header : answer.headers) {
    absl::StrAppend(&text, header.name, ": ", OneLine(header.value), "\r\n");
  }
  text += "\r\n";
  return text;
}

Answer AnswerOf(const Refusal& refusal) {
  Answer answer{refusal.status, "application/json", ErrorBody(refusal.error)};
  if (refusal.status == 503) answer.headers.push_back({"Retry-After", "1"});
  if (refusal.status == 401) {
    answer.headers.push_back({"WWW-Authenticate", "Bearer realm=\"rekindle\""});
  }
  return answer;
}

Refusal Busy(absl::string_view why) {
  return {503, absl::UnavailableError(
                   absl::StrCat("the server is busy: ", why, "; try again"))};
}

}  // namespace rekindle::http
