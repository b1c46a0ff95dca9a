#include "metadata/server/http/head_parser.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "metadata/server/http/limits.h"
#include "metadata/server/http/message.h"

namespace rekindle::http {
namespace {

// Longer numbers do not fit into 64 bits.
constexpr size_t kMaxDigits = 18;

using Refused = std::optional<Refusal>;

// What a name may consist of.
bool IsTokenByte(char c) {
  return absl::ascii_isalnum(c) ||
         absl::string_view("!#$%&'*+-.^_`|~").find(c) !=
             absl::string_view::npos;
}

bool IsToken(absl::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), IsTokenByte);
}

bool IsTargetByte(char c) { return absl::ascii_isgraph(c); }

bool IsValueByte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte == '\t' || (byte >= ' ' && byte != 0x7f);
}

Refused ParseVersion(absl::string_view version, Head* head) {
  if (version == "HTTP/1.1" || version == "HTTP/1.0") {
    head->keep_alive = version == "HTTP/1.1";
    return std::nullopt;
  }
  if (!absl::StartsWith(version, "HTTP/")) {
    return BadRequest("the request line must end in HTTP/1.1");
  }
  return Refusal{505, absl::UnimplementedError(
                          "the server speaks HTTP/1.1; gRPC has another port")};
}

Refused ParseTarget(absl::string_view target, Head* head) {
  if (!absl::StartsWith(target, "/")) {
    return BadRequest("the target of the request must be a path");
  }
  if (!std::all_of(target.begin(), target.end(), IsTargetByte)) {
    return BadRequest("the path has bytes that must be escaped");
  }
  const std::vector<absl::string_view> parts =
      absl::StrSplit(target, absl::MaxSplits('?', 1));
  head->path = std::string(parts[0]);
  if (parts.size() > 1) head->query = std::string(parts[1]);
  return std::nullopt;
}

Refused ParseRequestLine(absl::string_view line, Head* head) {
  const std::vector<absl::string_view> words = absl::StrSplit(line, ' ');
  if (words.size() != 3) {
    return BadRequest("the request line must be METHOD PATH HTTP/1.1");
  }
  if (!IsToken(words[0])) return BadRequest("the method must be a word");
  head->method = std::string(words[0]);
  if (Refused refused = ParseVersion(words[2], head)) return refused;
  return ParseTarget(words[1], head);
}

Refused ParseHeader(absl::string_view line, Head* head) {
  const std::vector<absl::string_view> parts =
      absl::StrSplit(line, absl::MaxSplits(':', 1));
  if (parts.size() != 2 || !IsToken(parts[0])) {
    return BadRequest("a header must be NAME: VALUE on one line");
  }
  if (!std::all_of(parts[1].begin(), parts[1].end(), IsValueByte)) {
    return BadRequest("a header has control characters");
  }
  head->headers.push_back({absl::AsciiStrToLower(parts[0]),
                           std::string(absl::StripAsciiWhitespace(parts[1]))});
  return std::nullopt;
}

size_t Count(const Head& head, absl::string_view name) {
  return std::count_if(
      head.headers.begin(), head.headers.end(),
      [name](const Header& header) { return header.name == name; });
}

Refused CheckOnce(const Head& head) {
  for (const char* name :
       {"host", "content-length", "transfer-encoding", "content-type",
        "content-encoding", "origin", "expect"}) {
    if (Count(head, name) > 1) {
      return BadRequest(absl::StrCat("the header ", name, " comes twice"));
    }
  }
  // A client of HTTP/1.0 may have none.
  if (head.keep_alive && head.Find("host") == nullptr) {
    return BadRequest("the header Host is missing");
  }
  return std::nullopt;
}

Refused ParseLength(const std::string& text, const Limits& limits, Head* head) {
  if (text.empty() || !std::all_of(text.begin(), text.end(), [](char c) {
        return absl::ascii_isdigit(c);
      })) {
    return BadRequest("Content-Length must be a number");
  }
  if (text.size() > kMaxDigits ||
      !absl::SimpleAtoi(text, &head->content_length) ||
      head->content_length > limits.body_bytes) {
    return BodyTooLarge(limits);
  }
  return std::nullopt;
}

Refused ParseBodyHeaders(const Limits& limits, Head* head) {
  const std::string* length = head->Find("content-length");
  const std::string* coding = head->Find("transfer-encoding");
  if (coding == nullptr) {
    return length == nullptr ? std::nullopt
                             : ParseLength(*length, limits, head);
  }
  // keep_alive still says which version it is.
  if (length != nullptr || !head->keep_alive) {
    return BadRequest(
        "Transfer-Encoding goes neither with Content-Length nor with HTTP/1.0");
  }
  if (!absl::EqualsIgnoreCase(*coding, "chunked")) {
    return Refusal{
        501, absl::UnimplementedError("the only Transfer-Encoding is chunked")};
  }
  head->chunked = true;
  return std::nullopt;
}

Refused CheckCoding(const Head& head) {
  const std::string* coding = head.Find("content-encoding");
  if (coding == nullptr || absl::EqualsIgnoreCase(*coding, "identity")) {
    return std::nullopt;
  }
  return Refusal{415, absl::InvalidArgumentError(
                          "send the body as it is, without Content-Encoding")};
}

Refused ParseExpectation(Head* head) {
  const std::string* expect = head->Find("expect");
  if (expect == nullptr) return std::nullopt;
  if (!absl::EqualsIgnoreCase(*expect, "100-continue")) {
    return Refusal{417,
                   absl::InvalidArgumentError("Expect must be 100-continue")};
  }
  head->expects_continue = head->keep_alive && head->has_body();
  return std::nullopt;
}

// Only HTTP/1.1 keeps a connection.
void ParseConnection(Head* head) {
  for (const Header& header : head->headers) {
    if (header.name != "connection") continue;
    for (absl::string_view word : absl::StrSplit(header.value, ',')) {
      if (absl::EqualsIgnoreCase(absl::StripAsciiWhitespace(word), "close")) {
        head->keep_alive = false;
      }
    }
  }
}

Refused ParseMeaning(const Limits& limits, Head* head) {
  if (Refused refused = CheckOnce(*head)) return refused;
  if (Refused refused = ParseBodyHeaders(limits, head)) return refused;
  if (Refused refused = CheckCoding(*head)) return refused;
  if (Refused refused = ParseExpectation(head)) return refused;
  ParseConnection(head);
  return std::nullopt;
}

}  // namespace

Refusal BadRequest(absl::string_view why) {
  return {400, absl::InvalidArgumentError(
                   absl::StrCat("the request is not HTTP/1.1: ", why))};
}

Refusal LineTooLong(const Limits& limits) {
  return {414, absl::ResourceExhaustedError(absl::StrCat(
                   "the request line is longer than the server's limit of ",
                   limits.request_line_bytes, " bytes"))};
}

Refusal HeadTooLarge(const Limits& limits) {
  return {431,
          absl::ResourceExhaustedError(absl::StrCat(
              "the headers are more than the server's limits of ",
              limits.headers, " headers and ", limits.head_bytes, " bytes"))};
}

Refusal BodyTooLarge(const Limits& limits) {
  return {413, absl::ResourceExhaustedError(absl::StrCat(
                   "the body is larger than the server's limit of ",
                   limits.body_bytes, " bytes"))};
}

Refused ParseHead(absl::string_view text, const Limits& limits, Head* head) {
  if (text.size() > limits.head_bytes) return HeadTooLarge(limits);
  if (!absl::ConsumeSuffix(&text, "\r\n\r\n")) {
    return BadRequest("the headers must end in an empty line");
  }
  const std::vector<absl::string_view> lines = absl::StrSplit(text, "\r\n");
  if (lines[0].size() > limits.request_line_bytes) return LineTooLong(limits);
  if (lines.size() - 1 > limits.headers) return HeadTooLarge(limits);
  if (Refused refused = ParseRequestLine(lines[0], head)) return refused;
  for (size_t i = 1; i < lines.size(); ++i) {
    if (Refused refused = ParseHeader(lines[i], head)) return refused;
  }
  return ParseMeaning(limits, head);
}

}  // namespace rekindle::http
