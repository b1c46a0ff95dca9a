#include "metadata/server/access/audit_log.h"

#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "base/clock.h"
#include "base/file_util.h"
#include "metadata/server/access/authorizer.h"
#include "metadata/server/access/call_gate.h"
#include "metadata/server/call_metrics.h"
#include "ml_metadata/proto/metadata_store_service.pb.h"
#include "nlohmann/json.hpp"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace rekindle {
namespace {

using ::absl::StatusCode;
using ::nlohmann::json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class AuditLogTest : public ::testing::Test {
 protected:
  std::unique_ptr<AuditLog> Open(const std::string& path) {
    auto log = AuditLog::Open(path, [this](absl::string_view sentence) {
      const std::lock_guard<std::mutex> lock(mutex_);
      said_.emplace_back(sentence);
    });
    EXPECT_THAT(log, IsOk());
    return *std::move(log);
  }
  static std::vector<std::string> Lines(const std::string& path) {
    return absl::StrSplit(*ReadFile(path), '\n', absl::SkipEmpty());
  }

  TempDir dir_;
  std::mutex mutex_;
  std::vector<std::string> said_;
};

TEST_F(AuditLogTest, ALineIsThereWhenAppendReturns) {
  const auto log = Open(dir_ / "audit");
  log->Append("one");
  EXPECT_THAT(Lines(dir_ / "audit"), ElementsAre("one"));
  log->Append("two");
  EXPECT_THAT(Lines(dir_ / "audit"), ElementsAre("one", "two"));
}

TEST_F(AuditLogTest, IsForItsOwnerAloneAndGoesOn) {
  Open(dir_ / "audit")->Append("one");
  struct stat file = {};
  ASSERT_EQ(stat((dir_ / "audit").c_str(), &file), 0);
  EXPECT_EQ(file.st_mode & 0777, 0600);
  Open(dir_ / "audit")->Append("two");
  EXPECT_THAT(Lines(dir_ / "audit"), ElementsAre("one", "two"));
}

TEST_F(AuditLogTest, AFileThatWasMovedIsMadeAnew) {
  const auto log = Open(dir_ / "audit");
  log->Append("one");
  std::filesystem::rename(dir_ / "audit", dir_ / "audit.1");
  log->Append("two");
  EXPECT_THAT(Lines(dir_ / "audit.1"), ElementsAre("one"));
  EXPECT_THAT(Lines(dir_ / "audit"), ElementsAre("two"));
  EXPECT_EQ(log->lost(), 0);
}

TEST_F(AuditLogTest, WhatCannotBeWrittenIsCountedAndSaidOnce) {
  const auto log = Open("/dev/full");
  log->Append("one");
  log->Append("two");
  EXPECT_EQ(log->lost(), 2);
  EXPECT_THAT(said_, ElementsAre(HasSubstr("/dev/full")));
}

TEST_F(AuditLogTest, AReaderThatIsAwayHoldsNobodyUp) {
  ASSERT_EQ(mkfifo((dir_ / "pipe").c_str(), 0600), 0);
  std::ifstream reader;
  std::thread opens([&] { reader.open(dir_ / "pipe"); });
  auto log = Open(dir_ / "pipe");
  opens.join();
  // Far more than the pipe and the queue hold.
  const std::string line(1 << 20, 'x');
  for (int i = 0; i < 40; ++i) log->Append(line);
  EXPECT_GT(log->lost(), 0);
  EXPECT_EQ(said_.size(), 1);
  std::thread closes([&] { log.reset(); });
  std::string text;
  while (std::getline(reader, text)) EXPECT_EQ(text, line);
  closes.join();
}

TEST_F(AuditLogTest, AFolderThatIsNotThereIsNamed) {
  EXPECT_THAT(AuditLog::Open(dir_ / "none/audit", nullptr),
              StatusIs(StatusCode::kNotFound, HasSubstr("none/audit")));
}

class CallGateTest : public AuditLogTest {
 protected:
  std::unique_ptr<CallGate> MakeGate() {
    dir_.Write("tokens", absl::StrCat("ci writer ", TokenHashText("rk_ci"),
                                      "\nme reader ", TokenHashText("rk_me")));
    auto tokens = TokenFile::Open(dir_ / "tokens", clock_, nullptr);
    EXPECT_THAT(tokens, IsOk());
    return std::make_unique<CallGate>(
        std::make_unique<Authorizer>(*std::move(tokens), false, clock_),
        Open(dir_ / "audit"), clock_);
  }
  static Credentials Shows(const std::string& token) {
    Credentials shown;
    shown.peer.address = "192.0.2.7";
    if (!token.empty()) shown.authorization = {"Bearer " + token};
    return shown;
  }
  std::vector<json> Records() {
    std::vector<json> records;
    for (const std::string& line : Lines(dir_ / "audit")) {
      records.push_back(json::parse(line));
    }
    return records;
  }

  FakeClock clock_{absl::FromUnixSeconds(1'000'000'000)};
};

TEST_F(CallGateTest, AWriteIsOnRecord) {
  const auto gate = MakeGate();
  RK_ASSERT_OK_AND_ASSIGN(auto call,
                          gate->Enter(Shows("rk_ci"), "grpc", "PutArtifacts"));
  ml_metadata::PutArtifactsRequest request;
  for (int i = 0; i < 5; ++i) request.add_artifacts()->set_uri("/m");
  auto& secret = *request.mutable_artifacts(0)->mutable_custom_properties();
  secret["password"].set_string_value("hunter2");
  ml_metadata::PutArtifactsResponse response;
  response.add_artifact_ids(17);
  clock_.Advance(absl::Milliseconds(3));
  call.End(&request, &response, absl::OkStatus());
  EXPECT_EQ(Records(), std::vector<json>{json::parse(R"({
              "time": "2001-09-09T01:46:40.000Z", "who": "ci",
              "role": "writer", "from": "192.0.2.7", "by": "grpc",
              "call": "PutArtifacts",
              "what": {"artifacts[0].uri": "/m", "artifacts[1].uri": "/m",
                       "artifacts[2].uri": "/m", "artifacts": 5},
              "answer": {"artifact_ids[0]": 17}, "outcome": "OK",
              "millis": 3.0})")});
}

TEST_F(CallGateTest, AReadIsNotOnRecord) {
  const auto gate = MakeGate();
  RK_ASSERT_OK_AND_ASSIGN(auto call,
                          gate->Enter(Shows("rk_me"), "grpc", "GetArtifacts"));
  call.End(nullptr, nullptr, absl::OkStatus());
  EXPECT_THAT(Records(), IsEmpty());
}

TEST_F(CallGateTest, ARefusalIsOnRecordWithoutWhatWasShown) {
  auto gate = MakeGate();
  EXPECT_THAT(gate->Enter(Shows("rk_me"), "http", "PutArtifacts"),
              StatusIs(StatusCode::kPermissionDenied, HasSubstr("'me'")));
  EXPECT_THAT(gate->Enter(Shows("rk_guess"), "grpc", "GetArtifacts"),
              StatusIs(StatusCode::kUnauthenticated));
  CallMetrics metrics;
  gate->PublishMetrics(metrics);
  EXPECT_THAT(metrics.ToText(),
              AllOf(HasSubstr("rekindle_calls_unauthenticated_total 1\n"),
                    HasSubstr("rekindle_calls_forbidden_total 1\n"),
                    HasSubstr("rekindle_audit_lines_lost_total 0\n"),
                    HasSubstr("rekindle_token_file_in_force 1\n")));
  gate.reset();  // writes what is left
  const auto records = Records();
  ASSERT_EQ(records.size(), 2);
  EXPECT_EQ(records[0]["who"], "me");
  EXPECT_EQ(records[0]["outcome"], "PERMISSION_DENIED");
  EXPECT_EQ(records[1]["who"], "");
  EXPECT_EQ(records[1]["outcome"], "UNAUTHENTICATED");
  EXPECT_THAT(*ReadFile(dir_ / "audit"), Not(HasSubstr("guess")));
}

TEST_F(CallGateTest, AFloodOfRefusalsDoesNotFillTheDisk) {
  auto gate = MakeGate();
  for (int i = 0; i < 1000; ++i) {
    EXPECT_FALSE(gate->Enter(Shows(""), "grpc", "GetArtifacts").ok());
  }
  clock_.Advance(absl::Seconds(1));
  EXPECT_FALSE(gate->Enter(Shows(""), "grpc", "GetArtifacts").ok());
  gate.reset();  // writes what is left
  EXPECT_EQ(Records().size(), 51);
  EXPECT_EQ(Records().back()["refusals_left_out"], 950);
}

TEST_F(CallGateTest, NothingThatIsSentMakesALineOfItsOwn) {
  const auto gate = MakeGate();
  RK_ASSERT_OK_AND_ASSIGN(auto call,
                          gate->Enter(Shows("rk_ci"), "grpc", "PutArtifacts"));
  ml_metadata::PutArtifactsRequest request;
  request.add_artifacts()->set_name("a\n{\"who\":\"root\"}\r\x1b[2J\xff\"");
  call.End(&request, nullptr, absl::OkStatus());
  const std::string text = *ReadFile(dir_ / "audit");
  EXPECT_EQ(Records().size(), 1);
  for (const char c : text.substr(0, text.size() - 1)) {
    EXPECT_TRUE(c >= 0x20 && c < 0x7f);
  }
}

TEST_F(CallGateTest, TwoTokensAreNone) {
  const auto gate = MakeGate();
  Credentials shown = Shows("rk_ci");
  shown.authorization.emplace_back("Bearer rk_me");
  EXPECT_THAT(gate->Enter(shown, "grpc", "GetArtifacts"),
              StatusIs(StatusCode::kUnauthenticated));
}

TEST_F(CallGateTest, ACallThatIsNotInTheTableIsNobodys) {
  const auto gate = MakeGate();
  EXPECT_THAT(gate->Enter(Shows("rk_ci"), "grpc", "DropEverything"),
              StatusIs(StatusCode::kPermissionDenied));
}

TEST_F(CallGateTest, ABadTokenIsNotSavedByACertificate) {
  dir_.Write("tokens", "cert:* admin\n");
  RK_ASSERT_OK_AND_ASSIGN(auto tokens,
                          TokenFile::Open(dir_ / "tokens", clock_, nullptr));
  const Authorizer authorizer(std::move(tokens), true, clock_);
  Credentials shown;
  shown.peer.common_name = "ci";
  EXPECT_THAT(authorizer.Decide(shown, "Delete").status, IsOk());
  shown.authorization = {"Bearer rk_guess"};
  EXPECT_THAT(authorizer.Decide(shown, "Delete").status,
              StatusIs(StatusCode::kUnauthenticated));
}

TEST_F(CallGateTest, WithoutATokenFileACertificateMayDoEverything) {
  const Authorizer authorizer(nullptr, /*certificates=*/true, clock_);
  Credentials shown;
  EXPECT_THAT(authorizer.Decide(shown, "GetArtifacts").status,
              StatusIs(StatusCode::kUnauthenticated));
  EXPECT_THAT(authorizer.Decide(shown, "GET /healthz").status, IsOk());
  shown.peer.alternative_names = {"ci.example"};
  const Decision decision = authorizer.Decide(shown, "Load");
  EXPECT_THAT(decision.status, IsOk());
  EXPECT_EQ(decision.caller.name, "ci.example");
}

}  // namespace
}  // namespace rekindle
