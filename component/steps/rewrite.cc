#include "component/steps/rewrite.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "base/file_util.h"
#include "base/nearest_name.h"
#include "base/status_macros.h"
#include "component/cache/cache_fields.h"
#include "component/cache/content_digest.h"
#include "component/contract/rewrite_output.h"
#include "component/launch/failure.h"
#include "component/launch/step.h"
#include "component/launch/step_child.h"
#include "component/steps/child_answer.h"
#include "component/steps/interpreter.h"

namespace rekindle {
namespace {

constexpr char kChild[] = "the rewriter";
// Begins the lines that are for people; the others are TensorFlow's.
constexpr char kForPeople[] = "rewrite: ";
constexpr char kTensorFlowLite[] = "tflite";
constexpr char kSavedModel[] = "saved_model";

// What a user wrote: "KIND" or "KIND:SIGNATURE,...".
struct Rewrite {
  explicit Rewrite(const std::string& text) : kind(text) {
    const size_t colon = text.find(':');
    if (colon == std::string::npos) return;
    kind = text.substr(0, colon);
    signatures = absl::StrSplit(text.substr(colon + 1), ',');
  }

  std::string kind;
  std::vector<std::string> signatures;
};

absl::Status CheckKind(const std::string& kind) {
  const std::vector<std::string> kinds = {kTensorFlowLite, kSavedModel};
  if (std::ranges::find(kinds, kind) != kinds.end()) return absl::OkStatus();
  const std::optional<std::string> nearest = NearestName(kind, kinds);
  return absl::InvalidArgumentError(absl::StrCat(
      "--rewrite: there is no '", kind, "'; ",
      nearest.has_value()
          ? absl::StrCat("did you mean '", *nearest, "'?")
          : absl::StrCat("there are ", absl::StrJoin(kinds, " and "))));
}

absl::Status CheckSignatures(const Rewrite& rewrite, const std::string& text) {
  const std::vector<std::string>& names = rewrite.signatures;
  if (std::ranges::find(names, "") != names.end()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--rewrite: '", text,
                     "' has an empty signature; write KIND:SIGNATURE,..."));
  }
  if (rewrite.kind == kTensorFlowLite && names.size() > 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("--rewrite: '", text, "' names ", names.size(),
                     " signatures; a TensorFlow Lite model has one"));
  }
  return absl::OkStatus();
}

std::vector<std::string> CommandOf(const Rewriting& rewriting,
                                   const std::string& model,
                                   const std::vector<std::string>& examples,
                                   const std::string& answer) {
  std::vector<std::string> argv = {
      rewriting.python, JoinPath(rewriting.python_library, "rewrite_model.py"),
      absl::StrCat("--model=", model), absl::StrCat("--answer=", answer)};
  for (const std::string& rewrite : rewriting.rewrites) {
    argv.push_back(absl::StrCat("--rewrite=", rewrite));
  }
  for (const std::string& pattern : examples) {
    argv.push_back(absl::StrCat("--examples=", pattern));
  }
  return argv;
}

absl::Status RunRewriter(const Rewriting& rewriting,
                         std::vector<std::string> argv,
                         const StepContext& context) {
  StepChild child;
  child.name = kChild;
  child.argv = std::move(argv);
  // Converting is no work for a GPU.
  child.environment = {{"CUDA_VISIBLE_DEVICES", "-1"},
                       {"TF_CPP_MIN_LOG_LEVEL", "2"}};
  child.grace = rewriting.grace;
  child.on_line = [&rewriting](absl::string_view line) {
    if (rewriting.on_line && absl::StartsWith(line, kForPeople)) {
      rewriting.on_line(line);
    }
  };
  return RunStepChild(child, context);
}

}  // namespace

absl::Status CheckRewrites(const std::vector<std::string>& rewrites) {
  std::set<std::string> seen;
  for (const std::string& text : rewrites) {
    const Rewrite rewrite(text);
    RK_RETURN_IF_ERROR(CheckKind(rewrite.kind));
    RK_RETURN_IF_ERROR(CheckSignatures(rewrite, text));
    if (seen.insert(rewrite.kind).second) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("--rewrite: '", rewrite.kind,
                     "' is given twice; there is one of each kind"));
  }
  return absl::OkStatus();
}

CacheFields RewriteFields(const Rewriting& rewriting, WatchedFiles& watched) {
  CacheFields fields = {
      {"code.rewriter", CodeDigest(JoinPath(rewriting.python_library,
                                            "rekindle_rewrite/__init__.py"),
                                   watched)},
      {"code.rewriter_python", ProgramDigest(rewriting.python, watched)}};
  const absl::StatusOr<Interpreter> interpreter =
      DescribeInterpreter(rewriting.python, rewriting.python_library);
  if (interpreter.ok()) {
    fields["rewriter.python"] = interpreter->python;
    fields["rewriter.tensorflow"] = interpreter->tensorflow;
  }
  return fields;
}

absl::Status CheckRewriter(const Rewriting& rewriting) {
  RK_ASSIGN_OR_RETURN(
      const Interpreter interpreter,
      DescribeInterpreter(rewriting.python, rewriting.python_library));
  if (!interpreter.tensorflow.empty()) return absl::OkStatus();
  return WithReason(
      FailureReason::kPackageMissing,
      absl::FailedPreconditionError(absl::StrCat(
          "--rewrite needs TensorFlow, which is missing in ", rewriting.python,
          "; install it: ", rewriting.python,
          " -m pip install tensorflow, or name another interpreter by "
          "--python")));
}

absl::StatusOr<std::vector<RewrittenModel>> RewriteModel(
    const Rewriting& rewriting, const std::string& model,
    const std::vector<std::string>& examples, const StepContext& context) {
  const std::string answer =
      JoinPath(context.attempt_dir, "rewrite_output.json");
  RK_RETURN_IF_ERROR(RemoveTree(answer));  // of an earlier attempt
  const absl::Status ended = RunRewriter(
      rewriting, CommandOf(rewriting, model, examples, answer), context);
  if (!IsWorthReading(ended)) return ended;
  absl::StatusOr<RewriteOutput> output = ReadRewriteOutput(answer);
  if (output.ok() && output->error.has_value()) {
    return StatusOf(*output->error);
  }
  RK_RETURN_IF_ERROR(ended);
  if (!output.ok()) return UnreadableAnswer(output.status(), kChild);
  return std::move(output->rewritten);
}

}  // namespace rekindle
