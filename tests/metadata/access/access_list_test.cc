#include "metadata/server/access/access_list.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "metadata/server/access/role.h"
#include "tests/support/status_matchers.h"

namespace rekindle {
namespace {

using ::absl::StatusCode;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kToken[] = "rk_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG";

absl::Time Noon() {
  return absl::FromCivil(absl::CivilHour(2026, 11, 18, 12),
                         absl::UTCTimeZone());
}

AccessList Parsed(const std::string& text) {
  auto list = AccessList::Parse(text);
  EXPECT_THAT(list, IsOk());
  return list.ok() ? *std::move(list) : AccessList();
}

std::string LineOf(const std::string& name, const std::string& role,
                   const std::string& token) {
  return absl::StrCat(name, " ", role, " ", TokenHashText(token), "\n");
}

TEST(AccessListTest, ATokenIsKnownByItsHash) {
  const AccessList list = Parsed(LineOf("ci", "writer", kToken));
  const auto holder = list.FindToken(kToken, Noon());
  ASSERT_TRUE(holder.has_value());
  EXPECT_EQ(holder->name, "ci");
  EXPECT_EQ(holder->role, Role::kWriter);
}

TEST(AccessListTest, WhatIsNearlyATokenIsNone) {
  const AccessList list = Parsed(LineOf("ci", "writer", kToken));
  const std::string token = kToken;
  for (const std::string& other :
       {std::string(), token.substr(1), token + "x", "X" + token.substr(1),
        TokenHashText(token), std::string(1 << 20, 'x')}) {
    EXPECT_FALSE(list.FindToken(other, Noon()).has_value())
        << other.substr(0, 100);
  }
}

TEST(AccessListTest, CommentsAndEmptyLinesDoNotMatter) {
  const AccessList list = Parsed(
      absl::StrCat("# who\n\n  \t\r\n", LineOf("a", "reader", kToken), "#end"));
  EXPECT_EQ(list.size(), 1);
}

TEST(AccessListTest, ANameMayHaveSeveralTokens) {
  const AccessList list = Parsed(LineOf("ci", "reader", "rk_old") +
                                 LineOf("ci", "writer", "rk_new"));
  EXPECT_EQ(list.FindToken("rk_old", Noon())->role, Role::kReader);
  EXPECT_EQ(list.FindToken("rk_new", Noon())->role, Role::kWriter);
}

TEST(AccessListTest, ATokenThatHasRunOutIsWorthNothing) {
  const std::string line =
      absl::StrCat("ci reader ", TokenHashText(kToken), " ");
  for (const auto& [until, counts] : std::vector<std::pair<std::string, bool>>{
           {"2026-11-18", false},
           {"2026-11-19", true},
           {"2026-11-18T12:00:00Z", false},
           {"2026-11-18T12:00:01Z", true},
           {"2026-11-18T14:00:00+02:00", false}}) {
    EXPECT_EQ(Parsed(line + until).FindToken(kToken, Noon()).has_value(),
              counts)
        << until;
  }
}

TEST(AccessListTest, ACertificateIsKnownByAnyOfItsNames) {
  const AccessList list =
      Parsed("cert:rekindle-client step\ncert:spiffe://c/ns/tfx writer\n");
  EXPECT_EQ(list.FindCertificate({"rekindle-client"}, Noon())->role,
            Role::kStep);
  const auto tfx = list.FindCertificate({"any", "spiffe://c/ns/tfx"}, Noon());
  EXPECT_EQ(tfx->role, Role::kWriter);
  EXPECT_EQ(tfx->name, "spiffe://c/ns/tfx");
  EXPECT_FALSE(list.FindCertificate({"other"}, Noon()).has_value());
  EXPECT_FALSE(list.FindCertificate({}, Noon()).has_value());
}

TEST(AccessListTest, OfSeveralLinesForACertificateTheHighestRoleCounts) {
  const AccessList list = Parsed("cert:a reader\ncert:b admin\n");
  EXPECT_EQ(list.FindCertificate({"a", "b"}, Noon())->role, Role::kAdmin);
  EXPECT_EQ(list.FindCertificate({"b", "a"}, Noon())->name, "b");
}

TEST(AccessListTest, OtherCertificatesHaveARoleIfTheFileSaysSo) {
  const AccessList list =
      Parsed("cert:* reader\ncert:ci writer\ncert:old admin 2026-11-01\n");
  EXPECT_EQ(list.FindCertificate({"new"}, Noon())->role, Role::kReader);
  EXPECT_EQ(list.FindCertificate({"new"}, Noon())->name, "new");
  EXPECT_EQ(list.FindCertificate({"ci"}, Noon())->role, Role::kWriter);
  // A line that has run out does not make it one of the others.
  EXPECT_FALSE(list.FindCertificate({"old"}, Noon()).has_value());
  EXPECT_FALSE(list.FindCertificate({}, Noon()).has_value());
}

TEST(AccessListTest, ACertificateThatIsCalledStarIsNotTheOthers) {
  const AccessList list = Parsed("cert:* admin\ncert:ci reader\n");
  EXPECT_EQ(list.FindCertificate({"ci", "*"}, Noon())->role, Role::kReader);
}

TEST(AccessListTest, AWrongLineIsNamedByItsNumber) {
  const std::string hash = TokenHashText(kToken);
  for (const std::string& line : std::vector<std::string>{
           "ci", "ci writer", "ci boss " + hash, "ci writer sha256:12",
           "ci writer " + hash + " tomorrow",
           "ci writer " + hash + " 2027-01-31 x", "c\x01i writer " + hash,
           std::string(65, 'n') + " writer " + hash, "cert: reader", "cert:ci",
           "cert:ci boss", "cert:ci reader never"}) {
    EXPECT_THAT(AccessList::Parse("# one\n" + line + "\n"),
                StatusIs(StatusCode::kInvalidArgument, HasSubstr("line 2")))
        << line;
  }
}

TEST(AccessListTest, WhatStandsTwiceIsRefused) {
  EXPECT_THAT(AccessList::Parse(LineOf("a", "reader", kToken) +
                                LineOf("b", "admin", kToken)),
              StatusIs(StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("line 2"), HasSubstr("'a'"))));
  EXPECT_THAT(AccessList::Parse("cert:a reader\ncert:a admin"),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("line 2")));
}

TEST(AccessListTest, ATokenInThePlaceOfItsHashIsNotRepeated) {
  EXPECT_THAT(AccessList::Parse(absl::StrCat("ci writer ", kToken)),
              StatusIs(StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("sha256:"), Not(HasSubstr(kToken)))));
}

TEST(AccessListTest, NewTokensDiffer) {
  RK_ASSERT_OK_AND_ASSIGN(const std::string one, MakeToken());
  RK_ASSERT_OK_AND_ASSIGN(const std::string two, MakeToken());
  EXPECT_NE(one, two);
  EXPECT_EQ(one.size(), 46);
}

}  // namespace
}  // namespace rekindle
