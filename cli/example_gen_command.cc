#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "cli/commands.h"
#include "cli/flag_set.h"
#include "cli/parse_or_exit.h"
#include "cli/progress.h"
#include "cli/step_flags.h"
#include "component/data/input_format.h"
#include "component/launch/step.h"
#include "component/steps/example_gen.h"

namespace rekindle {
namespace {

constexpr char kDefaultNode[] = "CsvExampleGen";

// The flags, before they are understood.
struct ExampleGenFlags {
  std::string input;
  std::string input_format;
  std::vector<std::string> input_splits;
  std::optional<int64_t> span;
  std::optional<int64_t> version;
  std::vector<std::string> splits;
  std::string partition_feature;
  std::vector<std::string> null_values;

  void Bind(FlagSet& flags);
};

void ExampleGenFlags::Bind(FlagSet& flags) {
  flags.String("input", "PATH", &input,
               "a file, a folder of them, or a pattern with *, ?, {SPAN}, "
               "{YYYY}{MM}{DD} and {VERSION}, as 'data/{SPAN}/v{VERSION:2}/"
               "*.csv'; required");
  flags.String("input-format", "csv|tfrecord", &input_format,
               "what the files are (default: as their names say)");
  flags.Strings("input-split", "NAME=PATTERN", &input_splits,
                "files below --input that are a split already; give one for "
                "each split, and no --split");
  flags.OptionalInt("span", "N", &span,
                    "take this span, not the latest; of dates, the days since "
                    "1970-01-01");
  flags.OptionalInt("version", "N", &version,
                    "take this version of the span, not the latest");
  flags.Strings("split", "NAME=N", &splits,
                "a split and its share of the rows, in hash buckets; once for "
                "each (default: train=2, eval=1)");
  flags.String("partition-feature", "NAME", &partition_feature,
               "rows with the same value here come into the same split "
               "(default: only the same rows do)");
  flags.Strings("null-value", "TEXT", &null_values,
                "a cell of CSV with this text is missing, like an empty one");
}

absl::StatusOr<std::optional<InputFormat>> ParseFormat(
    const std::string& text) {
  if (text.empty()) return std::nullopt;
  if (text == "csv") return InputFormat::kCsv;
  if (text == "tfrecord") return InputFormat::kTfRecord;
  return absl::InvalidArgumentError(absl::StrCat(
      "--input-format: '", text, "' is neither 'csv' nor 'tfrecord'"));
}

// "NAME=VALUE", both not empty.
absl::StatusOr<std::pair<std::string, std::string>> ParseNamed(
    absl::string_view flag, const std::string& text) {
  std::pair<std::string, std::string> named =
      absl::StrSplit(text, absl::MaxSplits('=', 1));
  if (!named.first.empty() && !named.second.empty()) return named;
  return absl::InvalidArgumentError(
      absl::StrCat("--", flag, ": '", text, "' is not NAME=VALUE"));
}

absl::StatusOr<SplitShare> ParseShare(const std::string& text) {
  RK_ASSIGN_OR_RETURN(auto named, ParseNamed("split", text));
  SplitShare share{named.first, 0};
  if (absl::SimpleAtoi(named.second, &share.hash_buckets)) return share;
  return absl::InvalidArgumentError(
      absl::StrCat("--split: the share in '", text,
                   "' is not a whole number from 1 on, as in train=8"));
}

absl::StatusOr<ExampleGenOptions> MakeOptions(const ExampleGenFlags& flags) {
  if (flags.input.empty()) {
    return absl::InvalidArgumentError(
        "--input is missing; it names a file, a folder of them or a pattern");
  }
  ExampleGenOptions options;
  options.input = flags.input;
  RK_ASSIGN_OR_RETURN(options.format, ParseFormat(flags.input_format));
  for (const std::string& text : flags.input_splits) {
    RK_ASSIGN_OR_RETURN(auto named, ParseNamed("input-split", text));
    options.input_splits.push_back({named.first, named.second, {}});
  }
  for (const std::string& text : flags.splits) {
    RK_ASSIGN_OR_RETURN(SplitShare share, ParseShare(text));
    options.splits.push_back(std::move(share));
  }
  options.span = {flags.span, flags.version};
  options.partition_feature = flags.partition_feature;
  options.null_values = flags.null_values;
  return options;
}

}  // namespace

int ExampleGenCommand(const Arguments& arguments) {
  StepFlags step(kDefaultNode);
  ExampleGenFlags example_gen;
  FlagSet flags(
      "example-gen --pipeline=NAME --input=PATH [flags]",
      "Turns CSV or TFRecord files into TFRecords of tf.Example, in splits.",
      "rekindle example-gen --pipeline=penguin --input=penguins.csv "
      "--null-value=NA --split train=8 --split eval=1 --split test=1");
  example_gen.Bind(flags);
  step.Bind(flags);
  if (const auto exit_code = ParseOrExit(flags, arguments)) return *exit_code;
  std::optional<Progress> progress(std::in_place, "reading");
  return RunStep(
      step, [&](StepSpec& spec) -> absl::StatusOr<std::unique_ptr<Executor>> {
        RK_ASSIGN_OR_RETURN(ExampleGenOptions options,
                            MakeOptions(example_gen));
        options.on_progress = [&progress](int64_t done, int64_t total) {
          if (total == 0) {
            progress.reset();  // What comes next has the line for itself.
          } else if (progress.has_value()) {
            progress->Update(done, total);
          }
        };
        // The name by default is that of the component.
        if (spec.node_id == kDefaultNode) spec.node_id.clear();
        return MakeExampleGen(options, spec);
      });
}

}  // namespace rekindle
