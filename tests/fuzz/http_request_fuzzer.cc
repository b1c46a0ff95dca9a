// Any bytes as an HTTP request, in pieces of any size: refused or read within
// the limits, the same in whichever pieces it comes, and with nothing in it
// that another reader could take for a second request.
#include <algorithm>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "metadata/server/http/answer_text.h"
#include "metadata/server/http/limits.h"
#include "metadata/server/http/message.h"
#include "metadata/server/http/origin_rules.h"
#include "metadata/server/http/request_reader.h"
#include "tests/fuzz/require.h"

namespace rekindle::http {
namespace {

using State = RequestReader::State;

// Small, so that they are met.
const Limits& SmallLimits() {
  static const auto* const kLimits = [] {
    auto* limits = new Limits;
    limits->request_line_bytes = 60;
    limits->head_bytes = 300;
    limits->headers = 6;
    limits->body_bytes = 40;
    return limits;
  }();
  return *kLimits;
}

struct Outcome {
  State state = State::kHead;
  size_t taken = 0;
  int refused_with = 0;
  Request request = {};
};

Outcome Read(absl::string_view text, size_t step) {
  RequestReader reader(SmallLimits());
  Outcome outcome;
  while (outcome.taken < text.size() && reader.state() != State::kComplete &&
         reader.state() != State::kRefused) {
    const absl::string_view piece = text.substr(outcome.taken, step);
    const State before = reader.state();
    const size_t taken = reader.Take(piece);
    Require(taken > 0 && taken <= piece.size(), "it takes too many or none");
    Require(taken == piece.size() || reader.state() != before,
            "it leaves bytes without a reason");
    Require(reader.body_size() <= SmallLimits().body_bytes, "a large body");
    outcome.taken += taken;
  }
  outcome.state = reader.state();
  if (outcome.state == State::kRefused) {
    outcome.refused_with = reader.refusal().status;
    Require(!reader.refusal().error.ok(), "a refusal says nothing");
  }
  if (outcome.state == State::kComplete) outcome.request = reader.TakeRequest();
  return outcome;
}

bool IsOneLine(absl::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) {
    return c == '\r' || c == '\n' || c == '\0';
  });
}

void CheckRequest(const Request& request) {
  const Head& head = request.head;
  Require(head.headers.size() <= SmallLimits().headers, "many headers");
  Require(head.path.rfind('/', 0) == 0, "a path without its beginning");
  Require(IsOneLine(head.method + head.path + head.query), "a line's end");
  Require(!head.chunked || head.content_length == 0, "two lengths");
  Require(head.chunked || request.body.size() == head.content_length,
          "a body of another length");
  Answer echo{200, "text/plain", ""};
  for (const Header& header : head.headers) {
    Require(IsOneLine(header.name + header.value), "a header of two lines");
    echo.headers.push_back({"X", header.value});
  }
  (void)HeadText(echo, head.keep_alive);
  (void)CheckOrigin(head, {.names = {"metadata"}});
}

void CheckSame(const Outcome& a, const Outcome& b) {
  Require(a.state == b.state && a.taken == b.taken &&
              a.refused_with == b.refused_with,
          "pieces end in another way");
  Require(a.request.head.path == b.request.head.path &&
              a.request.body == b.request.body,
          "pieces make another request");
}

}  // namespace
}  // namespace rekindle::http

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace rekindle::http;
  if (size == 0) return 0;
  const size_t step = 1 + data[0] % 64;
  const absl::string_view text(reinterpret_cast<const char*>(data) + 1,
                               size - 1);
  const Outcome whole = Read(text, text.size());
  if (whole.state == RequestReader::State::kComplete) {
    CheckRequest(whole.request);
  }
  CheckSame(whole, Read(text, step));
  return 0;
}
