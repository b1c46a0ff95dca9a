#include <cerrno>
#include <fcntl.h>
#include <iostream>
#include <string>
#include <unistd.h>

#include <sys/stat.h>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/file_util.h"
#include "base/status_macros.h"
#include "base/status_util.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/flag_set.h"
#include "cli/parse_or_exit.h"
#include "metadata/server/access/access_list.h"

namespace rekindle {
namespace {

struct TokenFlags {
  std::string name;
  std::string role;
  std::string until;
  std::string out;

  void Bind(FlagSet& flags) {
    flags.String("name", "NAME", &name,
                 "who will use it, for the audit log; required");
    flags.String("role", "ROLE", &role,
                 "reader, step, writer or admin; required");
    flags.String("until", "TIME", &until,
                 "when it ends, as 2027-01-31 or 2027-01-31T12:00:00Z "
                 "(default: never)");
    flags.String("out", "FILE", &out,
                 "put the token there, for its owner alone, and print the line "
                 "only");
  }
};

// The line of a token file for `token`, or why there can be none.
absl::StatusOr<std::string> LineFor(const TokenFlags& flags,
                                    absl::string_view token) {
  if (flags.name.empty() || flags.role.empty()) {
    return absl::InvalidArgumentError(
        "--name and --role are required: who will use the token, and what for");
  }
  if (!IsHolderName(flags.name)) {
    return absl::InvalidArgumentError(
        "--name has letters, digits and ._@/- only, at most 64 of them");
  }
  std::string line =
      absl::StrCat(flags.name, " ", flags.role, " ", TokenHashText(token));
  if (!flags.until.empty()) absl::StrAppend(&line, " ", flags.until);
  const auto list = AccessList::Parse(line);
  // There is but one line.
  if (!list.ok()) return WithContext(list.status(), "this token's line");
  return line;
}

// Makes a file that others cannot read, and that was not there.
absl::Status WriteSecret(const std::string& path, absl::string_view text) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                      S_IRUSR | S_IWUSR);
  if (fd < 0) return ErrnoStatus(errno, "write", path);
  const absl::Cleanup close_fd = [fd] { close(fd); };
  RK_RETURN_IF_ERROR(WriteAll(fd, text, path));
  return fsync(fd) == 0 ? absl::OkStatus() : ErrnoStatus(errno, "flush", path);
}

absl::Status MakeNewToken(const TokenFlags& flags) {
  RK_ASSIGN_OR_RETURN(const std::string token, MakeToken());
  RK_ASSIGN_OR_RETURN(const std::string line, LineFor(flags, token));
  if (flags.out.empty()) {
    std::cout << "token: " << token << "\nline:  " << line << '\n';
  } else {
    RK_RETURN_IF_ERROR(WriteSecret(flags.out, absl::StrCat(token, "\n")));
    std::cout << line << '\n';
  }
  std::cout << std::flush;
  return CheckOutput();
}

}  // namespace

int TokenNewCommand(const Arguments& arguments) {
  TokenFlags token;
  FlagSet flags(
      "token new --name=NAME --role=ROLE [flags]",
      "Makes a token for a client of 'rekindle serve --token-file'. Prints the "
      "token, which\nis kept nowhere, and the line that the token file needs "
      "for it, which holds its\nSHA-256 only.",
      "rekindle token new --name=ci --role=writer --out=ci.token >> tokens");
  token.Bind(flags);
  if (const auto exit_code = ParseOrExit(flags, arguments)) return *exit_code;
  const absl::Status made = MakeNewToken(token);
  return made.ok() ? kOk : Fail(made);
}

}  // namespace rekindle
