#include "metadata/server/access/access_list.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <openssl/crypto.h>
#include <openssl/rand.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "base/digest.h"
#include "base/status_macros.h"
#include "base/status_util.h"

namespace rekindle {
namespace {

using Words = absl::Span<const absl::string_view>;

constexpr char kHashPrefix[] = "sha256:";
constexpr char kCertificatePrefix[] = "cert:";
constexpr char kAnyCertificate[] = "*";
constexpr char kTokenPrefix[] = "rk_";
constexpr size_t kTokenBytes = 32;
constexpr size_t kMaxName = 64;
// Longer than any token of ours; what is sent beyond is not worth hashing.
constexpr size_t kMaxTokenText = 512;

TokenHash HashOf(absl::string_view token) {
  Sha256 hash;
  hash.Update(token);
  return hash.TakeDigest();
}

std::string ToHex(const TokenHash& hash) {
  return absl::BytesToHexString(
      {reinterpret_cast<const char*>(hash.data()), hash.size()});
}

absl::StatusOr<TokenHash> ParseHash(absl::string_view text) {
  absl::string_view hex = text;
  TokenHash hash;
  if (!absl::ConsumePrefix(&hex, kHashPrefix) ||
      hex.size() != 2 * hash.size() ||
      !std::all_of(hex.begin(), hex.end(), absl::ascii_isxdigit)) {
    // Not quoted: it may be a token that someone put there.
    return absl::InvalidArgumentError(
        "the third word must be sha256: and 64 hexadecimal digits; 'rekindle "
        "token new' prints such a line");
  }
  const std::string bytes = absl::HexStringToBytes(hex);
  std::copy(bytes.begin(), bytes.end(), hash.begin());
  return hash;
}

absl::StatusOr<absl::Time> ParseUntil(absl::string_view text) {
  absl::Time until;
  std::string error;
  if (absl::ParseTime("%Y-%m-%d", text, &until, &error) ||
      absl::ParseTime(absl::RFC3339_full, text, &until, &error)) {
    return until;
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "'", text, "' is no time; write 2027-01-31 or 2027-01-31T12:00:00Z"));
}

// The holder `name` with the role in `words[0]` and, if there is one, the time
// in the last of `words`, of which there may be `most`.
absl::StatusOr<Holder> ParseHolder(absl::string_view name, Words words,
                                   size_t most) {
  Holder holder;
  holder.name = std::string(name);
  RK_ASSIGN_OR_RETURN(holder.role, ParseRole(words[0]));
  if (words.size() == most) {
    RK_ASSIGN_OR_RETURN(holder.until, ParseUntil(words[most - 1]));
  }
  return holder;
}

}  // namespace

absl::StatusOr<AccessList> AccessList::Parse(absl::string_view text) {
  AccessList list;
  int number = 0;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    const absl::Status added = list.AddLine(line, number);
    if (!added.ok()) return WithContext(added, absl::StrCat("line ", number));
  }
  RK_RETURN_IF_ERROR(list.CheckNoTokenIsTwice());
  return list;
}

absl::Status AccessList::AddLine(absl::string_view line, int number) {
  const std::vector<absl::string_view> words =
      absl::StrSplit(line, absl::ByAnyChar(" \t\r"), absl::SkipEmpty());
  if (words.empty() || absl::StartsWith(words[0], "#")) {
    return absl::OkStatus();
  }
  return absl::StartsWith(words[0], kCertificatePrefix)
             ? AddCertificate(words)
             : AddToken(words, number);
}

absl::Status AccessList::AddToken(Words words, int number) {
  if (words.size() != 3 && words.size() != 4) {
    return absl::InvalidArgumentError(
        "a token's line is NAME ROLE sha256:HEX [UNTIL]");
  }
  if (!IsHolderName(words[0])) {
    return absl::InvalidArgumentError(
        "a name has letters, digits and ._@/- only, at most 64 of them");
  }
  TokenEntry entry;
  entry.line = number;
  RK_ASSIGN_OR_RETURN(entry.holder, ParseHolder(words[0], words.subspan(1), 3));
  RK_ASSIGN_OR_RETURN(entry.hash, ParseHash(words[2]));
  tokens_.push_back(std::move(entry));
  return absl::OkStatus();
}

absl::Status AccessList::AddCertificate(Words words) {
  const absl::string_view name =
      absl::StripPrefix(words[0], kCertificatePrefix);
  if (name.empty() || (words.size() != 2 && words.size() != 3)) {
    return absl::InvalidArgumentError(
        "a certificate's line is cert:NAME ROLE [UNTIL]");
  }
  RK_ASSIGN_OR_RETURN(Holder holder, ParseHolder(name, words.subspan(1), 2));
  if (!certificates_.emplace(name, std::move(holder)).second) {
    return absl::InvalidArgumentError(
        absl::StrCat("the certificate '", name, "' has a line above already"));
  }
  return absl::OkStatus();
}

absl::Status AccessList::CheckNoTokenIsTwice() const {
  std::vector<const TokenEntry*> sorted;
  for (const TokenEntry& entry : tokens_) sorted.push_back(&entry);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const TokenEntry* a, const TokenEntry* b) {
                     return a->hash < b->hash;
                   });
  const auto twin =
      std::adjacent_find(sorted.begin(), sorted.end(),
                         [](const TokenEntry* a, const TokenEntry* b) {
                           return a->hash == b->hash;
                         });
  if (twin == sorted.end()) return absl::OkStatus();
  const TokenEntry& first = **twin;
  return absl::InvalidArgumentError(
      absl::StrCat("line ", twin[1]->line, ": the token is that of '",
                   first.holder.name, "' in line ", first.line));
}

std::optional<Holder> AccessList::FindToken(absl::string_view token,
                                            absl::Time now) const {
  if (token.empty() || token.size() > kMaxTokenText) return std::nullopt;
  const TokenHash hash = HashOf(token);
  const TokenEntry* found = nullptr;
  // All of them, each byte by byte to its end.
  for (const TokenEntry& entry : tokens_) {
    const bool same =
        CRYPTO_memcmp(entry.hash.data(), hash.data(), hash.size()) == 0;
    found = same ? &entry : found;
  }
  if (found == nullptr || now >= found->holder.until) return std::nullopt;
  return found->holder;
}

std::optional<Holder> AccessList::FindCertificate(
    absl::Span<const std::string> names, absl::Time now) const {
  std::optional<Holder> best;
  bool has_line = false;
  const auto consider = [&](const std::string& line, const std::string& name) {
    const auto found = certificates_.find(line);
    if (found == certificates_.end()) return;
    has_line = true;
    if (now >= found->second.until) return;
    if (best.has_value() && best->role >= found->second.role) return;
    best = found->second;
    best->name = name;
  };
  for (const std::string& name : names) {
    if (name != kAnyCertificate) consider(name, name);
  }
  // One whose own line has run out is not any other.
  if (!has_line && !names.empty()) consider(kAnyCertificate, names[0]);
  return best;
}

std::string TokenHashText(absl::string_view token) {
  return absl::StrCat(kHashPrefix, ToHex(HashOf(token)));
}

absl::StatusOr<std::string> MakeToken() {
  std::array<unsigned char, kTokenBytes> bytes;
  if (RAND_bytes(bytes.data(), bytes.size()) != 1) {
    return absl::InternalError("this machine has no random numbers");
  }
  return absl::StrCat(
      kTokenPrefix,
      absl::WebSafeBase64Escape(
          {reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
}

bool IsHolderName(absl::string_view name) {
  return !name.empty() && name.size() <= kMaxName &&
         std::all_of(name.begin(), name.end(), [](unsigned char letter) {
           return absl::ascii_isalnum(letter) ||
                  absl::string_view("._@/-").find(static_cast<char>(letter)) !=
                      absl::string_view::npos;
         });
}

}  // namespace rekindle
