#ifndef REKINDLE_CLI_FLAG_SET_H_
#define REKINDLE_CLI_FLAG_SET_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace rekindle {

// The flags of one command: how they are parsed, where else their values come
// from, and what --help says of them.
//
//   --name=value or --name value; --kebab-case and --snake_case are the same
//   --name=@file takes the value from a file (long values: Argo rewrites
//                arguments over 128 KiB that way)
//   --name=      is not given: a parameter of Argo's that was left empty
//   REKINDLE_NAME in the environment stands in for a flag that is not given
//
// Thread-compatible.
class FlagSet {
 public:
  // `usage` is what follows the program's name, "metadata latest TYPE [flags]".
  FlagSet(std::string usage, std::string summary, std::string example);

  // Binds a flag. The value that `target` holds now is the default. `target` is
  // not owned and must outlive Parse().
  void String(const std::string& name, const std::string& metavar,
              std::string* target, const std::string& help);
  void OptionalString(const std::string& name, const std::string& metavar,
                      std::optional<std::string>* target,
                      const std::string& help);
  void OptionalInt(const std::string& name, const std::string& metavar,
                   std::optional<int64_t>* target, const std::string& help);
  void Duration(const std::string& name, absl::Duration* target,
                const std::string& help);
  void Bool(const std::string& name, bool* target, const std::string& help);
  // A flag that may be repeated. Its plural (--slices for --slice) takes
  // several values at once, one in each line, which is how they fit into a
  // parameter of Argo's; a flag that is a plural already does so itself.
  void Strings(const std::string& name, const std::string& metavar,
               std::vector<std::string>* target, const std::string& help);
  // Output format: `--output`, `--format` and `-o`; one of `formats`, the first
  // by default. A command that has outputs of its own, whose `--output` is
  // another flag, sets `name` to "format".
  void Format(std::vector<std::string> formats, std::string* target,
              const std::string& name = "output");

  // `-n value` for `--namespace value`, of a flag that is bound.
  void Letter(char letter, const std::string& name);

  // Reads the arguments and then the environment; returns the positional
  // arguments through `positional`.
  //
  //   INVALID_ARGUMENT  an unknown flag (with the nearest name), a missing or
  //                     malformed value
  //   NOT_FOUND         an @file does not exist
  absl::Status Parse(const std::vector<std::string>& arguments,
                     std::vector<std::string>* positional);

  // --help was given: print Help() and exit with 0.
  bool help_requested() const { return help_requested_; }
  std::string Help() const;

 private:
  struct Flag {
    std::string name;     // "train-steps"
    std::string metavar;  // "N"; empty for a switch
    std::string help;
    std::string default_text;
    bool given = false;
    // Sets the target.
    std::function<absl::Status(const std::string& value)> set;
    bool in_help = true;
  };

  void Add(Flag flag);
  // `-n` as `--namespace`; nullopt if it is no letter of ours.
  std::optional<std::string> SpelledOut(const std::string& argument) const;
  Flag* Find(const std::string& name);
  absl::Status UnknownFlag(const std::string& name) const;
  absl::Status Set(Flag& flag, std::string value);
  absl::Status ParseFlag(const std::vector<std::string>& arguments,
                         size_t* index);
  absl::Status ReadEnvironment();

  const std::string usage_;
  const std::string summary_;
  const std::string example_;
  std::vector<Flag> flags_;
  std::string format_flag_ = "output";
  std::map<char, std::string> letters_;
  bool help_requested_ = false;
};

}  // namespace rekindle

#endif  // REKINDLE_CLI_FLAG_SET_H_
