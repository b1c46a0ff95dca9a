#include "operator/submit/remote_workflow.h"

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <zlib.h>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "nlohmann/json.hpp"
#include "operator/kube/json_text.h"
#include "operator/kube/kube_client.h"
#include "operator/kube/object_follower.h"
#include "operator/kube/resource.h"

namespace rekindle::argo {
namespace {

using nlohmann::json;

absl::StatusOr<json> LatestWorkflow(const std::string& in_namespace,
                                    KubeClient& client) {
  RK_ASSIGN_OR_RETURN(json list, client.List(kWorkflows, in_namespace, {}));
  json* latest = nullptr;
  for (json& item : list["items"]) {
    // RFC 3339 in UTC sorts as text.
    if (latest == nullptr || TextAt(*latest, "/metadata/creationTimestamp") <
                                 TextAt(item, "/metadata/creationTimestamp")) {
      latest = &item;
    }
  }
  if (latest != nullptr) return std::move(*latest);
  return absl::NotFoundError(
      absl::StrCat("there are no workflows in namespace '", in_namespace, "'"));
}

// A missing object in a missing namespace is answered as a missing object.
absl::Status BlameNamespace(const absl::Status& missing,
                            const std::string& in_namespace,
                            KubeClient& client) {
  const absl::Status found = client.Get(kNamespaces, "", in_namespace).status();
  return absl::IsNotFound(found) ? found : missing;
}

absl::StatusOr<std::string> Gunzip(const std::string& packed) {
  z_stream stream = {};
  constexpr int kGzip = 15 + 16;
  if (inflateInit2(&stream, kGzip) != Z_OK) {
    return absl::ResourceExhaustedError("no memory to unpack nodes");
  }
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  std::string text;
  int result = Z_OK;
  while (result == Z_OK) {
    std::array<char, 65536> buffer;
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = buffer.size();
    result = inflate(&stream, Z_NO_FLUSH);
    text.append(buffer.data(), buffer.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  if (result == Z_STREAM_END) return text;
  return absl::FailedPreconditionError(
      "the nodes of the workflow are packed in a way that is not gzip "
      "(WORKFLOW_COMPRESSION_ALGORITHM of Argo's controller)");
}

}  // namespace

absl::StatusOr<json> GetWorkflow(const std::string& in_namespace,
                                 const std::string& name, KubeClient& client) {
  absl::StatusOr<json> workflow =
      name == "@latest" ? LatestWorkflow(in_namespace, client)
                        : client.Get(kWorkflows, in_namespace, name);
  if (!absl::IsNotFound(workflow.status())) return workflow;
  return BlameNamespace(workflow.status(), in_namespace, client);
}

std::string WorkflowName(const json& workflow) {
  return TextAt(workflow, "/metadata/name");
}

std::string WorkflowPhase(const json& workflow) {
  const std::string phase = TextAt(workflow, "/status/phase");
  return phase.empty() ? "Pending" : phase;
}

std::string WorkflowMessage(const json& workflow) {
  return TextAt(workflow, "/status/message");
}

bool HasFinished(const json& workflow) {
  return !TextAt(workflow, "/status/finishedAt").empty();
}

bool HasSucceeded(const json& workflow) {
  const std::string phase = WorkflowPhase(workflow);
  return HasFinished(workflow) && phase != "Failed" && phase != "Error";
}

absl::Status UnpackNodes(json& workflow) {
  const std::string packed = TextAt(workflow, "/status/compressedNodes");
  if (packed.empty()) return absl::OkStatus();
  std::string bytes;
  if (!absl::Base64Unescape(packed, &bytes)) {
    return absl::FailedPreconditionError(
        "the packed nodes of the workflow are not base64");
  }
  RK_ASSIGN_OR_RETURN(const std::string text, Gunzip(bytes));
  json nodes = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!nodes.is_object()) {
    return absl::FailedPreconditionError(
        "the packed nodes of the workflow are not JSON");
  }
  workflow["status"]["nodes"] = std::move(nodes);
  workflow["status"].erase("compressedNodes");
  return absl::OkStatus();
}

absl::StatusOr<json> FollowWorkflow(
    const json& workflow, FollowOptions options, KubeClient& client,
    const std::function<absl::Status(const json&)>& on_change) {
  const std::string name = WorkflowName(workflow);
  const std::string uid = TextAt(workflow, "/metadata/uid");
  options.which.field_selector = absl::StrCat("metadata.name=", name);
  ObjectFollower follower(client, kWorkflows,
                          TextAt(workflow, "/metadata/namespace"),
                          std::move(options));
  absl::StatusOr<json> last =
      absl::NotFoundError(absl::StrCat("workflow '", name, "' was deleted"));
  follower.Remember(workflow);  // that it was there: it may be gone by now
  RK_RETURN_IF_ERROR(follower.Run([&](const json& object, bool deleted) {
    // A new one of the same name is not the one we follow.
    if (TextAt(object, "/metadata/uid") != uid) return false;
    json now = object;
    UnpackNodes(now).IgnoreError();  // how it goes is known all the same
    const absl::Status told = on_change(now);
    if (!told.ok()) {
      last = told;
      return false;
    }
    if (HasFinished(now)) last = std::move(now);
    return !last.ok() && !deleted;
  }));
  return last;
}

absl::StatusOr<json> AwaitWorkflow(const json& workflow, FollowOptions options,
                                   KubeClient& client) {
  return FollowWorkflow(workflow, std::move(options), client,
                        [](const json&) { return absl::OkStatus(); });
}

absl::StatusOr<json> StopWorkflow(const json& workflow, Shutdown how,
                                  const std::string& message,
                                  KubeClient& client) {
  const std::string name = WorkflowName(workflow);
  if (HasFinished(workflow)) {
    return absl::FailedPreconditionError(
        absl::StrCat("workflow '", name, "' has finished already (",
                     WorkflowPhase(workflow), ")"));
  }
  json patch = {
      {"spec", {{"shutdown", how == Shutdown::kStop ? "Stop" : "Terminate"}}}};
  if (!message.empty()) {
    patch["metadata"]["annotations"]["rekindle.dev/stop-message"] = message;
  }
  return client.Patch(kWorkflows, TextAt(workflow, "/metadata/namespace"), name,
                      patch);
}

}  // namespace rekindle::argo
