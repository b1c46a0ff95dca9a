#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "metadata/server/http/answer_text.h"
#include "metadata/server/http/limits.h"
#include "metadata/server/http/message.h"
#include "metadata/server/http/origin_rules.h"
#include "metadata/server/http/request_reader.h"

namespace rekindle::http {
namespace {

using ::testing::HasSubstr;
using State = RequestReader::State;

const Limits& Defaults() {
  static const Limits limits;
  return limits;
}

// What became of `text`: 200 for a request, what it is refused with, or 0 if
// more must come. `step` bytes come at a time.
int StatusOf(absl::string_view text, size_t step = 1,
             const Limits& limits = Defaults()) {
  RequestReader reader(limits);
  while (!text.empty() && reader.state() != State::kComplete &&
         reader.state() != State::kRefused) {
    text.remove_prefix(reader.Take(text.substr(0, step)));
  }
  if (reader.state() == State::kRefused) return reader.refusal().status;
  return reader.state() == State::kComplete ? 200 : 0;
}

Request Read(absl::string_view text) {
  RequestReader reader(Defaults());
  while (reader.state() != State::kComplete) {
    const size_t taken = reader.Take(text);
    EXPECT_GT(taken, 0);
    if (taken == 0) break;
    text.remove_prefix(taken);
  }
  return reader.TakeRequest();
}

Head HeadOf(absl::string_view headers) {
  return Read(absl::StrCat("GET / HTTP/1.1\r\n", headers, "\r\n")).head;
}

TEST(HttpRequestTest, AGetIsRead) {
  const Request request =
      Read("GET /healthz?verbose=1 HTTP/1.1\r\nHost: a:1\r\nX-Y:  z \r\n\r\n");
  EXPECT_EQ(request.head.method, "GET");
  EXPECT_EQ(request.head.path, "/healthz");
  EXPECT_EQ(request.head.query, "verbose=1");
  EXPECT_EQ(*request.head.Find("x-y"), "z");
  EXPECT_TRUE(request.head.keep_alive);
}

TEST(HttpRequestTest, ABodyIsRead) {
  EXPECT_EQ(
      Read("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}").body,
      "{}");
  EXPECT_EQ(Read("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n"
                 "\r\n3\r\n{ \"\r\nA\r\na\": \"bcde\"\r\n1\r\n}\r\n0\r\n\r\n")
                .body,
            "{ \"a\": \"bcde\"}");
}

TEST(HttpRequestTest, WhatFollowsARequestIsNotTaken) {
  RequestReader reader(Defaults());
  const std::string first = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
  EXPECT_EQ(reader.Take(first + "GET /next"), first.size());
  EXPECT_EQ(reader.state(), State::kComplete);
}

TEST(HttpRequestTest, TheHeadEndsBeforeTheBodyIsTaken) {
  RequestReader reader(Defaults());
  const std::string head =
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n";
  EXPECT_EQ(reader.Take(head + "{}"), head.size());
  EXPECT_EQ(reader.state(), State::kBody);
  EXPECT_EQ(reader.Take("{}GET"), 2);
  EXPECT_EQ(reader.state(), State::kComplete);
}

TEST(HttpRequestTest, AConnectionIsKeptAsItsClientWishes) {
  EXPECT_FALSE(HeadOf("Host: a\r\nConnection: x, Close\r\n").keep_alive);
  EXPECT_FALSE(Read("GET / HTTP/1.0\r\n\r\n").head.keep_alive);
  EXPECT_TRUE(HeadOf("Host: a\r\nConnection: keep-alive\r\n").keep_alive);
}

TEST(HttpRequestTest, AClientMayWaitForConsent) {
  const absl::string_view head =
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n"
      "Expect: 100-continue\r\n\r\nx";
  EXPECT_TRUE(Read(head).head.expects_continue);
  EXPECT_FALSE(HeadOf("Host: a\r\n").expects_continue);
}

struct Case {
  std::string name;
  std::string text;
  int status;
};

class HttpRefusalTest : public ::testing::TestWithParam<Case> {};

TEST_P(HttpRefusalTest, IsRefusedInPiecesAndAtOnce) {
  EXPECT_EQ(StatusOf(GetParam().text, 1), GetParam().status);
  EXPECT_EQ(StatusOf(GetParam().text, 1 << 20), GetParam().status);
}

std::string Get(const std::string& headers) {
  return absl::StrCat("GET / HTTP/1.1\r\nHost: a\r\n", headers, "\r\n");
}

std::string Chunked(const std::string& body) {
  return Get("Transfer-Encoding: chunked\r\n") + body;
}

std::string ManyHeaders(int count) {
  std::string headers;
  for (int i = 0; i < count; ++i) absl::StrAppend(&headers, "a: b\r\n");
  return headers;
}

INSTANTIATE_TEST_SUITE_P(
    Text, HttpRefusalTest,
    ::testing::ValuesIn(std::vector<Case>{
        {"AWholeRequest", Get(""), 200},
        {"AnUnfinishedOne", "GET / HTTP/1.1\r\nHost: a\r\n", 0},
        {"EmptyLinesBefore", "\r\n\r\n" + Get(""), 200},
        {"TooManyEmptyLines", "\r\n\r\n\r\n", 400},
        {"BareLineFeed", "GET / HTTP/1.1\nHost: a\n\n", 400},
        {"BareCarriageReturn", "GET / HTTP/1.1\rHost: a", 400},
        {"ClientHello", std::string("\x16\x03\x01\x02\x00", 5), 400},
        {"Http2", "PRI * HTTP/2.0\r\n\r\n", 505},
        {"Http09", "GET /\r\n\r\n", 400},
        {"TwoSpaces", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
        {"NoMethod", " / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
        {"OddMethod", "G@T / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
        {"AbsoluteTarget", "GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n", 400},
        {"Asterisk", "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", 400},
        {"BytesInThePath", "GET /\xc3\xa9 HTTP/1.1\r\nHost: a\r\n\r\n", 400},
        {"Zero", std::string("GET /\0 HTTP/1.1\r\n", 17), 400},
        {"NoHost", "GET / HTTP/1.1\r\n\r\n", 400},
        {"TwoHosts", Get("Host: b\r\n"), 400},
        {"FoldedHeader", Get("A: b\r\n c\r\n"), 400},
        {"SpaceBeforeColon", Get("A : b\r\n"), 400},
        {"NoColon", Get("Abc\r\n"), 400},
        {"NoName", Get(": b\r\n"), 400},
        {"TwoLengths", Get("Content-Length: 1\r\nContent-Length: 1\r\n"), 400},
        {"ListOfLengths", Get("Content-Length: 1, 1\r\n"), 400},
        {"SignedLength", Get("Content-Length: +1\r\n"), 400},
        {"NegativeLength", Get("Content-Length: -1\r\n"), 400},
        {"HexLength", Get("Content-Length: 0x1\r\n"), 400},
        {"NoLength", Get("Content-Length: \r\n"), 400},
        {"TooLong", Get("Content-Length: 67108865\r\n"), 413},
        {"MuchTooLong", Get("Content-Length: 99999999999999999999\r\n"), 413},
        {"LengthAndChunks",
         Get("Content-Length: 1\r\nTransfer-Encoding: chunked\r\n"), 400},
        {"ChunksInHttp10",
         "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400},
        {"OtherCoding", Get("Transfer-Encoding: gzip, chunked\r\n"), 501},
        {"TwoCodings",
         Get("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"),
         400},
        {"Gzip", Get("Content-Encoding: gzip\r\n"), 415},
        {"Identity", Get("Content-Encoding: identity\r\n"), 200},
        {"OtherExpectation", Get("Expect: miracles\r\n"), 417},
        {"LongLine", "GET /" + std::string(9000, 'a'), 414},
        {"LongHeader", Get("A: " + std::string(17000, 'a') + "\r\n"), 431},
        {"SixtyFourHeaders", Get(ManyHeaders(63)), 200},
        {"SixtyFiveHeaders", Get(ManyHeaders(64)), 431},
        {"Chunks", Chunked("1\r\na\r\n0\r\n\r\n"), 200},
        {"ChunkWithoutSize", Chunked("\r\n"), 400},
        {"ChunkWithExtension", Chunked("1;a=b\r\na\r\n"), 400},
        {"ChunkWithLineFeed", Chunked("1\na"), 400},
        {"ChunkThatIsLonger", Chunked("1\r\nab"), 400},
        {"ChunkOfNegativeSize", Chunked("-1\r\n"), 400},
        {"HugeChunk", Chunked("FFFFFFFF\r\n"), 413},
        {"HugerChunk", Chunked("FFFFFFFFF\r\n"), 400},
        {"Trailer", Chunked("0\r\nA: b\r\n\r\n"), 400},
    }),
    [](const auto& one) { return one.param.name; });

TEST(HttpRequestTest, ChunksTogetherMayNotExceedTheLimit) {
  Limits limits;
  limits.body_bytes = 4;
  const std::string head =
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  EXPECT_EQ(StatusOf(head + "2\r\nab\r\n2\r\ncd\r\n0\r\n\r\n", 1, limits), 200);
  EXPECT_EQ(StatusOf(head + "2\r\nab\r\n3\r\n", 1, limits), 413);
}

int OriginStatus(const std::string& headers) {
  const HostRules rules{.names = {"metadata", "0.0.0.0"},
                        .certified = [](const std::string& name) {
                          return name == "meta.example";
                        }};
  const auto refusal = CheckOrigin(HeadOf(headers), rules);
  return refusal.has_value() ? refusal->status : 200;
}

TEST(HttpOriginTest, NamesOfTheServerAreTaken) {
  for (const char* host :
       {"localhost", "LocalHost:8081", "127.0.0.1:8081", "10.1.2.3", "[::1]",
        "[::1]:8081", "metadata:8081", "Metadata", "meta.example:443"}) {
    EXPECT_EQ(OriginStatus(absl::StrCat("Host: ", host, "\r\n")), 200) << host;
  }
}

TEST(HttpOriginTest, OtherNamesAreRefused) {
  for (const char* host :
       {"evil.example", "evil.example:8081", "localhost.evil.example", "",
        "127.0.0.1.evil.example", "metadata.evil", "[evil]", "localhost@evil",
        "evil#localhost", "1", "0x7f000001"}) {
    EXPECT_EQ(OriginStatus(absl::StrCat("Host: ", host, "\r\n")), 421) << host;
  }
}

TEST(HttpOriginTest, OnlyPagesOfTheServerMayCall) {
  const std::string host = "Host: localhost:8081\r\nOrigin: ";
  EXPECT_EQ(OriginStatus(host + "http://localhost:8081\r\n"), 200);
  EXPECT_EQ(OriginStatus(host + "https://localhost:8081\r\n"), 200);
  for (const char* origin :
       {"null", "http://evil.example", "http://localhost", "localhost:8081",
        "http://localhost:8081.evil.example", "ftp://localhost:8081",
        "http://localhost:8081/", ""}) {
    EXPECT_EQ(OriginStatus(absl::StrCat(host, origin, "\r\n")), 403) << origin;
  }
}

TEST(HttpAnswerTest, AHeaderStaysOneLine) {
  EXPECT_THAT(
      HeadText({200, "text/plain", "abc", {{"A", "b\r\nSet-Cookie: c"}}},
               /*keep_alive=*/false),
      HasSubstr("A: b  Set-Cookie: c\r\n\r\n"));
}

}  // namespace
}  // namespace rekindle::http
