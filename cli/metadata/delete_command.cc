#include <cstdint>
#include <iostream>
#include <string>
#include <unistd.h>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_replace.h"
#include "base/status_macros.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/flag_set.h"
#include "cli/metadata/store_command.h"
#include "cli/output.h"
#include "cli/store_flags.h"
#include "google/protobuf/repeated_field.h"
#include "metadata/api/open_store.h"
#include "metadata/api/step_store.h"
#include "nlohmann/json.hpp"
#include "rekindle/v1/step_service.pb.h"

namespace rekindle {
namespace {

using nlohmann::json;
using v1::DeleteRequest;
using v1::DeleteResponse;

struct DeleteFlags {
  bool dry_run = false;
  bool break_lineage = false;
  bool yes = false;
  std::string format;
};

// The field of the request that takes ids of the kind; nullptr for none.
google::protobuf::RepeatedField<int64_t>* IdsOf(const std::string& kind,
                                                DeleteRequest& request) {
  if (kind == "artifact") return request.mutable_artifact_ids();
  if (kind == "execution") return request.mutable_execution_ids();
  if (kind == "context") return request.mutable_context_ids();
  return nullptr;
}

// Reads "artifact 1 2 execution 4".
absl::StatusOr<DeleteRequest> ToRequest(
    const std::vector<std::string>& positional, const DeleteFlags& flags) {
  DeleteRequest request;
  request.set_dry_run(flags.dry_run);
  request.set_break_lineage(flags.break_lineage);
  auto* ids = IdsOf(positional.front(), request);
  if (ids == nullptr) return UnknownKind(positional.front());
  for (const std::string& word : positional) {
    if (auto* of_kind = IdsOf(word, request); of_kind != nullptr) {
      ids = of_kind;
      continue;
    }
    RK_ASSIGN_OR_RETURN(const int64_t id, ParseId(word));
    ids->Add(id);
  }
  return request;
}

json ToJson(const DeleteResponse& gone, bool dry_run) {
  return {{"dry_run", dry_run},
          {"artifacts", gone.artifacts()},
          {"executions", gone.executions()},
          {"contexts", gone.contexts()},
          {"properties", gone.properties()},
          {"events", gone.events()},
          {"attributions", gone.attributions()},
          {"associations", gone.associations()},
          {"parent_contexts", gone.parent_contexts()},
          {"leases", gone.leases()}};
}

// Asks the person at the terminal, showing what would go.
absl::Status Confirm(DeleteRequest request, StepStore& store) {
  request.set_dry_run(true);
  RK_ASSIGN_OR_RETURN(const DeleteResponse gone, store.Delete(request));
  std::cerr << ToFieldTable(ToJson(gone, true)) << "Delete these rows? [y/N] ";
  std::string answer;
  std::getline(std::cin, answer);
  if (answer == "y" || answer == "yes") return absl::OkStatus();
  return absl::FailedPreconditionError("not confirmed; nothing was deleted");
}

// The store's sentence, with the name of the flag that it hints at.
absl::Status NameTheFlag(const absl::Status& refused) {
  if (!absl::IsFailedPrecondition(refused)) return refused;
  return {refused.code(),
          absl::StrReplaceAll(refused.message(),
                              {{"ask to break the lineage",
                                "break the lineage with --break-lineage"}})};
}

absl::Status Delete(const std::vector<std::string>& positional,
                    const DeleteFlags& flags, StepStore& store) {
  RK_ASSIGN_OR_RETURN(const DeleteRequest request,
                      ToRequest(positional, flags));
  if (!flags.dry_run && !flags.yes && isatty(STDIN_FILENO) == 1) {
    RK_RETURN_IF_ERROR(NameTheFlag(Confirm(request, store)));
  }
  const absl::StatusOr<DeleteResponse> gone = store.Delete(request);
  RK_RETURN_IF_ERROR(NameTheFlag(gone.status()));
  std::cout << Render(ToJson(*gone, flags.dry_run), flags.format);
  return absl::OkStatus();
}

}  // namespace

int MetadataDeleteCommand(const Arguments& arguments) {
  StoreFlags store;
  DeleteFlags deletion;
  FlagSet flags(
      "metadata delete artifact|execution|context ID... [KIND ID...] [flags]",
      "Deletes records with all that belongs to them, and prints how many rows "
      "went.\nFiles stay where they are. Refused: an execution that is being "
      "run, an artifact\nthat an execution used or made, a context that is not "
      "empty.",
      "rekindle metadata delete execution 4 artifact 7 8 --dry-run");
  flags.Bool("dry-run", &deletion.dry_run, "print what would go, and keep it");
  flags.Bool("break-lineage", &deletion.break_lineage,
             "delete even what others used, made or are in");
  flags.Bool("yes", &deletion.yes, "do not ask; on a terminal it does");
  flags.Format(kOutputFormats, &deletion.format);
  store.Bind(flags);
  return RunStoreCommand(
      {flags,
       store,
       {"artifact|execution|context", "ID..."},
       [&](Store& opened,
           const std::vector<std::string>& positional) -> absl::StatusOr<int> {
         RK_RETURN_IF_ERROR(Delete(positional, deletion, opened.steps()));
         return kOk;
       },
       OpenOptions::Mode::kReadWrite},
      arguments);
}

}  // namespace rekindle
