#ifndef REKINDLE_COMPONENT_STEPS_REWRITE_H_
#define REKINDLE_COMPONENT_STEPS_REWRITE_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "component/cache/cache_fields.h"
#include "component/cache/content_digest.h"
#include "component/contract/rewrite_output.h"
#include "component/launch/step.h"

namespace rekindle {

// Models that are made of a trained one, for other runtimes, and lie beside it
// in the artifact (docs/rewriting.md). A plain value.
struct Rewriting {
  std::vector<std::string> rewrites;  // each "KIND" or "KIND:SIGNATURE,..."
  std::string python;                 // an interpreter with TensorFlow
  std::string python_library;         // the folder of rewrite_model.py
  absl::Duration grace = absl::Seconds(25);
  // Each line for people.
  std::function<void(absl::string_view line)> on_line;
};

// Checks what a user asks for: each kind exists, is there once, and can have so
// many signatures.
//
//   INVALID_ARGUMENT  what is wrong
absl::Status CheckRewrites(const std::vector<std::string>& rewrites);

// What the rewritten models depend on beside the model and `rewrites`: the
// code, the interpreter and its TensorFlow.
CacheFields RewriteFields(const Rewriting& rewriting, WatchedFiles& watched);

// Looks, before hours of training, whether the interpreter could rewrite what
// comes out. Each error has its reason attached:
//
//   NOT_FOUND, PERMISSION_DENIED  CHILD_CANNOT_START
//   FAILED_PRECONDITION           CHILD_CANNOT_START: it is no Python, or
//                                 PACKAGE_MISSING: it has no TensorFlow
absl::Status CheckRewriter(const Rewriting& rewriting);

// Rewrites the model in the folder `model`, which holds Format-Serving, in a
// child process. Each rewritten model is asked the first examples of the files
// that match `examples`, and must answer as the original does; without patterns
// it is not tried. Each error has its reason attached:
//
//   FAILED_PRECONDITION  REWRITE_FAILED: the model cannot be rewritten, or
//                        answers otherwise then
//   any other            as RunStepChild and UnreadableAnswer
absl::StatusOr<std::vector<RewrittenModel>> RewriteModel(
    const Rewriting& rewriting, const std::string& model,
    const std::vector<std::string>& examples, const StepContext& context);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_STEPS_REWRITE_H_
