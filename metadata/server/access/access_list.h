#ifndef REKINDLE_METADATA_SERVER_ACCESS_ACCESS_LIST_H_
#define REKINDLE_METADATA_SERVER_ACCESS_ACCESS_LIST_H_

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "metadata/server/access/role.h"

namespace rekindle {

// Whom a token or a certificate makes of its sender.
struct Holder {
  std::string name;
  Role role = Role::kReader;
  // From then on it is worth nothing.
  absl::Time until = absl::InfiniteFuture();
};

using TokenHash = std::array<uint8_t, 32>;

// Who may call a server: what a token file says. Holds hashes of tokens only.
// Immutable.
class AccessList {
 public:
  // Reads a token file:
  //
  //   # a comment; empty lines do not matter
  //   NAME ROLE sha256:HEX [UNTIL]   a token, by its SHA-256
  //   cert:NAME ROLE [UNTIL]         a client certificate, by its common name
  //   or
  //                                  one of its alternative names
  //   cert:* ROLE [UNTIL]            any other certificate of the client CA's
  //
  // UNTIL is a day, 2027-01-31, which begins at 0:00 UTC, or RFC 3339. A name
  // may have several tokens, so that one can replace another.
  //
  //   INVALID_ARGUMENT  names the line, and what it should be
  static absl::StatusOr<AccessList> Parse(absl::string_view text);

  // Who holds `token`. Takes as long for a token that is nearly right as for
  // any other.
  std::optional<Holder> FindToken(absl::string_view token,
                                  absl::Time now) const;

  // Who shows a certificate that holds `names`; of several lines that name it
  // the one with the highest role counts.
  std::optional<Holder> FindCertificate(absl::Span<const std::string> names,
                                        absl::Time now) const;

  size_t size() const { return tokens_.size() + certificates_.size(); }

 private:
  struct TokenEntry {
    TokenHash hash;
    Holder holder;
    int line = 0;
  };

  absl::Status AddLine(absl::string_view line, int number);
  absl::Status AddToken(absl::Span<const absl::string_view> words, int number);
  absl::Status AddCertificate(absl::Span<const absl::string_view> words);

  absl::Status CheckNoTokenIsTwice() const;

  std::vector<TokenEntry> tokens_;
  std::map<std::string, Holder> certificates_;  // by name; "*" is any other
};

// What a token file holds of `token`: "sha256:HEX".
std::string TokenHashText(absl::string_view token);

// A new token: 32 random bytes as text, with a prefix to know it by.
//
//   INTERNAL  there are no random numbers
absl::StatusOr<std::string> MakeToken();

// Whether `name` can stand in a token file: letters, digits and ._@/- only, at
// most 64.
bool IsHolderName(absl::string_view name);

}  // namespace rekindle

#endif  // REKINDLE_METADATA_SERVER_ACCESS_ACCESS_LIST_H_
