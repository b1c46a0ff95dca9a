#include "component/data/input_files.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <glob.h>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <sys/stat.h>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "base/file_util.h"
#include "base/status_macros.h"
#include "component/data/input_pattern.h"

namespace rekindle {
namespace {

namespace fs = std::filesystem;

constexpr char kSingleSplit[] = "single_split";
constexpr char kPatternSigns[] = "*?[{";

// A file that matches, by its path below the folder.
struct Candidate {
  std::string relative;
  SpanVersion of;
};

// Keeps glob(3) from reading a path as a pattern.
std::string EscapeForGlob(absl::string_view path) {
  std::string escaped;
  for (const char c : path) {
    if (absl::StrContains("*?[]\\", c)) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

// The regular files below `base` that match, sorted.
std::vector<std::string> ListMatches(const std::string& base,
                                     const std::string& pattern) {
  glob_t found = {};
  const absl::Cleanup free_found = [&found] { globfree(&found); };
  glob(JoinPath(EscapeForGlob(base), pattern).c_str(), 0, nullptr, &found);
  std::vector<std::string> files;
  for (size_t i = 0; i < found.gl_pathc; ++i) {
    const fs::path path = found.gl_pathv[i];
    if (fs::is_regular_file(path)) {
      files.push_back(path.lexically_relative(base));
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

absl::StatusOr<std::vector<Candidate>> FindCandidates(
    const std::string& base, const InputPattern& pattern) {
  std::vector<Candidate> candidates;
  for (std::string& relative : ListMatches(base, pattern.Glob())) {
    RK_ASSIGN_OR_RETURN(const std::optional<SpanVersion> match,
                        pattern.Match(relative));
    if (match.has_value()) candidates.push_back({std::move(relative), *match});
  }
  return candidates;
}

// The number wanted, or the largest that `number` finds in the candidates.
template <typename Number>
int64_t WantedOrLatest(const std::optional<int64_t>& wanted,
                       const std::vector<Candidate>& candidates,
                       const Number& number) {
  if (wanted.has_value()) return *wanted;
  int64_t latest = 0;
  for (const Candidate& candidate : candidates) {
    latest = std::max(latest, number(candidate.of));
  }
  return latest;
}

SpanVersion Choose(std::vector<Candidate> candidates,
                   const InputPattern& pattern, const SpanChoice& wanted) {
  SpanVersion chosen;
  chosen.span = WantedOrLatest(wanted.span, candidates,
                               [](const SpanVersion& of) { return of.span; });
  if (!pattern.has_version()) return chosen;
  std::erase_if(candidates, [&](const Candidate& candidate) {
    return candidate.of.span != chosen.span;
  });
  chosen.version = WantedOrLatest(
      wanted.version, candidates,
      [](const SpanVersion& of) { return of.version.value_or(0); });
  return chosen;
}

absl::Status CheckWanted(const std::string& text, const InputPattern& pattern,
                         const SpanChoice& wanted) {
  if (wanted.span.has_value() && !pattern.has_span()) {
    return absl::InvalidArgumentError(
        absl::StrCat("a span is asked for, but the pattern '", text,
                     "' names none; it "
                     "needs {SPAN}, or {YYYY}, {MM} and {DD}"));
  }
  if (wanted.version.has_value() && !pattern.has_version()) {
    return absl::InvalidArgumentError(
        absl::StrCat("a version is asked for, but the pattern '", text,
                     "' names none; it needs {VERSION}"));
  }
  return absl::OkStatus();
}

std::string Describe(const SpanVersion& chosen) {
  return absl::StrCat("span ", chosen.span,
                      chosen.version.has_value()
                          ? absl::StrCat(", version ", *chosen.version)
                          : "");
}

absl::Status NothingMatches(const std::string& base, const std::string& text,
                            const InputPattern& pattern) {
  return absl::NotFoundError(absl::StrCat(
      "no file matches ", JoinPath(base, text),
      pattern.has_span()
          ? "; numbers with leading zeros need a width, as {SPAN:3}"
          : ""));
}

// Fills in the files of `split`, and its pattern; returns what was chosen.
absl::StatusOr<SpanVersion> FindSplit(const std::string& base,
                                      const SpanChoice& wanted,
                                      InputSplit& split) {
  RK_ASSIGN_OR_RETURN(const InputPattern pattern,
                      InputPattern::Parse(split.pattern));
  RK_RETURN_IF_ERROR(CheckWanted(split.pattern, pattern, wanted));
  RK_ASSIGN_OR_RETURN(const std::vector<Candidate> candidates,
                      FindCandidates(base, pattern));
  if (candidates.empty()) return NothingMatches(base, split.pattern, pattern);
  SpanVersion chosen = Choose(candidates, pattern, wanted);
  for (const Candidate& candidate : candidates) {
    if (candidate.of == chosen) {
      split.files.push_back(JoinPath(base, candidate.relative));
    }
  }
  if (split.files.empty()) {
    return absl::NotFoundError(absl::StrCat("no file that matches ",
                                            JoinPath(base, split.pattern),
                                            " is of ", Describe(chosen)));
  }
  split.pattern = pattern.Fill(chosen);
  return chosen;
}

std::string FingerprintOf(const InputSplit& split) {
  int64_t total_bytes = 0;
  int64_t xor_checksum = 0;
  int64_t sum_checksum = 0;
  for (const std::string& file : split.files) {
    struct stat info = {};
    stat(file.c_str(), &info);
    total_bytes += info.st_size;
    xor_checksum ^= info.st_mtim.tv_sec;
    sum_checksum += info.st_mtim.tv_sec;
  }
  return absl::StrCat("split:", split.name, ",num_files:", split.files.size(),
                      ",total_bytes:", total_bytes,
                      ",xor_checksum:", xor_checksum,
                      ",sum_checksum:", sum_checksum);
}

// "data/span-{SPAN}/*.csv" is the pattern "span-{SPAN}/*.csv" below "data".
std::pair<std::string, std::string> SplitAtPattern(const std::string& path) {
  const size_t sign = path.find_first_of(kPatternSigns);
  const size_t slash = path.rfind('/', sign);
  if (slash == std::string::npos) return {".", path};
  return {path.substr(0, std::max<size_t>(slash, 1)), path.substr(slash + 1)};
}

}  // namespace

std::vector<std::string> InputFiles::AllFiles() const {
  std::vector<std::string> all;
  for (const InputSplit& split : splits) {
    all.insert(all.end(), split.files.begin(), split.files.end());
  }
  return all;
}

std::string InputFiles::Fingerprint() const {
  return absl::StrJoin(splits, "\n",
                       [](std::string* out, const InputSplit& split) {
                         absl::StrAppend(out, FingerprintOf(split));
                       });
}

absl::StatusOr<InputFiles> FindInputFiles(const std::string& base,
                                          std::vector<InputSplit> splits,
                                          const SpanChoice& wanted) {
  InputFiles found;
  found.base = fs::absolute(base).lexically_normal();
  for (InputSplit& split : splits) {
    RK_ASSIGN_OR_RETURN(const SpanVersion chosen,
                        FindSplit(found.base, wanted, split));
    if (&split != &splits.front() && chosen != found.chosen) {
      return absl::FailedPreconditionError(absl::StrCat(
          "split '", splits.front().name, "' is of ", Describe(found.chosen),
          ", split '", split.name, "' of ", Describe(chosen),
          "; all splits must be of one span and version"));
    }
    found.chosen = chosen;
  }
  found.splits = std::move(splits);
  return found;
}

absl::StatusOr<InputFiles> FindInputFiles(const std::string& path,
                                          const SpanChoice& wanted) {
  if (!fs::exists(path)) {
    if (path.find_first_of(kPatternSigns) == std::string::npos) {
      return absl::NotFoundError(absl::StrCat(
          "there is no file or folder ", path,
          "; --input takes a file, a folder of them or a pattern"));
    }
    const auto [base, pattern] = SplitAtPattern(path);
    return FindInputFiles(base, {{kSingleSplit, pattern, {}}}, wanted);
  }
  RK_RETURN_IF_ERROR(CheckWanted(path, InputPattern(), wanted));
  const fs::path place = fs::absolute(path).lexically_normal();
  if (!fs::is_directory(place)) {
    return InputFiles{
        place.parent_path(), {{kSingleSplit, place.filename(), {place}}}, {}};
  }
  InputSplit split{kSingleSplit, "*", ListMatches(place, "*")};
  for (std::string& file : split.files) file = JoinPath(place.string(), file);
  return InputFiles{place, {std::move(split)}, {}};
}

}  // namespace rekindle
