#include "operator/kube/kube_error.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/cord.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "nlohmann/json.hpp"
#include "operator/kube/json_text.h"

namespace rekindle::argo {
namespace {

using nlohmann::json;

constexpr absl::string_view kRetryAfterUrl = "rekindle/retry-after";
constexpr absl::string_view kNotDoneUrl = "rekindle/not-done";
constexpr size_t kLongestQuote = 300;

std::string QualifiedResource(const CallContext& call) {
  return call.group.empty() ? call.resource
                            : absl::StrCat(call.resource, ".", call.group);
}

std::string InNamespace(const CallContext& call) {
  return call.in_namespace.empty()
             ? ""
             : absl::StrCat(" in namespace '", call.in_namespace, "'");
}

// What stands behind `before` up to the next quote.
std::string Quoted(const std::string& text, absl::string_view before) {
  const absl::string_view all = text;
  const size_t at = all.find(before);
  if (at == absl::string_view::npos) return "";
  const absl::string_view rest = all.substr(at + before.size());
  return std::string(rest.substr(0, rest.find('"')));
}

// One of what the answer is about: it says "workflows", and all that we ask for
// form their plural so.
std::string SingularKind(const json& answer) {
  return std::string(absl::StripSuffix(TextAt(answer, "/details/kind"), "s"));
}

absl::Status Unauthenticated(const CallContext& call) {
  return absl::UnauthenticatedError(
      absl::StrCat("the cluster at ", call.server,
                   " refuses the credential of ", call.source,
                   " (401): it has expired, was revoked, or is for another "
                   "cluster; log in again"));
}

absl::Status Forbidden(const std::string& message, const CallContext& call) {
  const std::string user = Quoted(message, "User \"");
  // A quota or an admission rule is forbidden too, and says why.
  if (user.empty()) return absl::PermissionDeniedError(message);
  return absl::PermissionDeniedError(
      absl::StrCat("'", user, "' may not ", call.verb, " ",
                   QualifiedResource(call), InNamespace(call),
                   "; an administrator can allow it with a Role and a "
                   "RoleBinding"));
}

absl::Status NotFound(const json& answer, const CallContext& call) {
  const std::string kind = SingularKind(answer);
  const std::string name = TextAt(answer, "/details/name");
  if (name.empty()) {
    // The path itself is unknown, and all that varies in it is the resource.
    return absl::FailedPreconditionError(absl::StrCat(
        "the cluster at ", call.server, " does not know ",
        QualifiedResource(call),
        call.group == "argoproj.io" ? "; Argo Workflows is not installed there"
                                    : ""));
  }
  if (kind == "namespace") {
    return absl::NotFoundError(absl::StrCat(
        "there is no namespace '", name, "' in the cluster at ", call.server));
  }
  return absl::NotFoundError(
      absl::StrCat("there is no ", kind, " '", name, "'", InNamespace(call)));
}

std::string Causes(const json& answer) {
  std::vector<std::string> causes;
  const json::json_pointer at("/details/causes");
  if (!answer.is_object() || !answer.contains(at)) return "";
  for (const json& cause : answer[at]) {
    const std::string field = TextAt(cause, "/field");
    const std::string message = TextAt(cause, "/message");
    causes.push_back(field.empty() ? message
                                   : absl::StrCat(field, ": ", message));
  }
  return absl::StrJoin(causes, "; ");
}

absl::Status Invalid(const json& answer, const std::string& message) {
  const std::string causes = Causes(answer);
  return absl::InvalidArgumentError(absl::StrCat(
      "the cluster refuses it: ", causes.empty() ? message : causes));
}

absl::Status Unavailable(int code, const std::string& message,
                         const CallContext& call) {
  return absl::UnavailableError(absl::StrCat(
      "the cluster at ", call.server,
      code == 429 ? " is overloaded (429): " : " cannot answer now (",
      code == 429 ? "" : absl::StrCat(code, "): "), message));
}

absl::Status NotAnApi(int code, const std::string& message,
                      const CallContext& call) {
  return absl::FailedPreconditionError(absl::StrCat(
      call.server, " answered HTTP ", code, " to '", call.verb, " ",
      QualifiedResource(call), "', as a Kubernetes API does not: ", message));
}

absl::Status Translate(int code, const json& answer, const std::string& message,
                       const CallContext& call) {
  switch (code) {
    case 400:
    case 422:
      return Invalid(answer, message);
    case 401:
      return Unauthenticated(call);
    case 403:
      return Forbidden(message, call);
    case 404:
      return NotFound(answer, call);
    case 409:
      if (TextAt(answer, "/reason") == "AlreadyExists") {
        return absl::AlreadyExistsError(absl::StrCat(
            "there is already a ", SingularKind(answer), " '",
            TextAt(answer, "/details/name"), "'", InNamespace(call)));
      }
      return absl::AbortedError(message);
    case 410:
      return absl::OutOfRangeError(message);
    case 429:
      return NotDone(Unavailable(code, message, call));
    default:
      return code >= 500 ? Unavailable(code, message, call)
                         : NotAnApi(code, message, call);
  }
}

// What the answer says in words, short enough for a line.
std::string MessageOf(const json& answer, const std::string& body) {
  std::string message = TextAt(answer, "/message");
  if (message.empty()) message = body;
  message = std::string(absl::StripAsciiWhitespace(message));
  for (char& c : message) {
    if (absl::ascii_iscntrl(static_cast<unsigned char>(c))) c = ' ';
  }
  if (message.size() > kLongestQuote) {
    message = absl::StrCat(message.substr(0, kLongestQuote), "...");
  }
  return message.empty() ? "no reason is given" : message;
}

}  // namespace

absl::Status StatusOfAnswer(int http_status, const std::string& body,
                            const std::string& retry_after,
                            const CallContext& call) {
  const json answer = json::parse(body, nullptr, /*allow_exceptions=*/false);
  absl::Status status =
      Translate(http_status, answer, MessageOf(answer, body), call);
  if (!retry_after.empty()) {
    status.SetPayload(kRetryAfterUrl, absl::Cord(retry_after));
  }
  return status;
}

absl::Status StatusOfObject(const json& object, const CallContext& call) {
  const bool has_code = object.is_object() && object.contains("code") &&
                        object["code"].is_number_integer();
  return Translate(has_code ? object["code"].get<int>() : 500, object,
                   MessageOf(object, object.dump()), call);
}

absl::Duration RetryAfter(const absl::Status& status) {
  const auto payload = status.GetPayload(kRetryAfterUrl);
  double seconds = 0;
  if (!payload.has_value() ||
      !absl::SimpleAtod(std::string(*payload), &seconds) || !(seconds > 0)) {
    return absl::ZeroDuration();
  }
  return absl::Seconds(seconds);
}

absl::Status NotDone(absl::Status status) {
  status.SetPayload(kNotDoneUrl, absl::Cord());
  return status;
}

bool IsNotDone(const absl::Status& status) {
  return status.GetPayload(kNotDoneUrl).has_value();
}

}  // namespace rekindle::argo
