#include "component/steps/push.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/digest.h"
#include "base/file_util.h"
#include "base/status_macros.h"
#include "component/launch/tfx_names.h"
#include "component/resolve/digest_check.h"
#include "component/steps/blessing_artifact.h"
#include "component/steps/proto_json.h"
#include "component/steps/serving_folder.h"
#include "metadata/api/values.h"
#include "ml_metadata/proto/metadata_store.pb.h"
#include "tfx/pusher.pb.h"

namespace rekindle {
namespace {

using ml_metadata::Artifact;

constexpr char kModelKey[] = "model";
constexpr char kBlessingKey[] = "model_blessing";
constexpr char kOutputKey[] = "pushed_model";

// Why the model is not blessed; empty if it is. `blessing` may be null.
std::string WhyNotBlessed(const Artifact& model, const Artifact* blessing) {
  if (blessing == nullptr) {
    return absl::StrCat("no ModelBlessing was found for model ", model.id());
  }
  const std::optional<int64_t> of = CustomInt(*blessing, "current_model_id");
  if (of != model.id()) {
    return absl::StrCat("blessing ", blessing->id(), " is of model ",
                        of.value_or(0), ", not of model ", model.id());
  }
  if (CustomInt(*blessing, kBlessedProperty) == 1) return "";
  return absl::StrCat("blessing ", blessing->id(), " does not bless model ",
                      model.id(), ": ",
                      CustomString(*blessing, kBlessingMessageProperty));
}

// A name for the push that a retry has, too, and no push of another store.
std::string NameOf(const StepContext& context) {
  Sha256 digest;
  digest.UpdateField(context.run_id);
  digest.UpdateField(context.node_id);
  digest.UpdateField(context.execution_dir);
  return digest.HexDigest().substr(0, 16);
}

class Push : public Executor {
 public:
  explicit Push(PushOptions options) : options_(std::move(options)) {}

  absl::StatusOr<StepResult> Execute(const StepContext& context) override {
    const Artifact& model = *context.FindInput(kModelKey);
    if (!IsNone(options_.blessing)) {
      const std::string objection =
          WhyNotBlessed(model, context.FindInput(kBlessingKey));
      if (!objection.empty()) return NotPushed(objection);
    }
    RK_ASSIGN_OR_RETURN(const std::string folder, ServingModelDir(model));
    RK_ASSIGN_OR_RETURN(const int64_t version, PushFrom(folder, context));
    RK_RETURN_IF_ERROR(CopyTree(folder, context.output_dirs.at(kOutputKey)));
    return Pushed(version);
  }

 private:
  absl::StatusOr<int64_t> PushFrom(const std::string& folder,
                                   const StepContext& context) const {
    VersionPush push;
    push.model = folder;
    push.folder = options_.destination;
    push.note_path = JoinPath(context.state_dir, "version");
    push.name = NameOf(context);
    push.check_stop = context.check_stop;
    return PushVersion(push);
  }

  StepResult Pushed(int64_t version) const {
    const std::string place =
        JoinPath(options_.destination, absl::StrCat(version));
    StepResult result;
    result.outputs[kOutputKey].custom_properties = {
        {"pushed", IntValue(1)},
        {"pushed_version", StringValue(absl::StrCat(version))},
        {"pushed_destination", StringValue(place)},
        {kPushMessageProperty, StringValue(absl::StrCat("pushed to ", place))}};
    return result;
  }

  static StepResult NotPushed(const std::string& objection) {
    StepResult result;
    result.outputs[kOutputKey].custom_properties = {
        {"pushed", IntValue(0)},
        {kPushMessageProperty,
         StringValue(absl::StrCat("not pushed: ", objection))}};
    return result;
  }

  const PushOptions options_;
};

absl::StatusOr<std::string> LocalFolder(const std::string& destination) {
  if (destination.empty()) {
    return absl::InvalidArgumentError(
        "--destination is missing; it names the folder that serves the model");
  }
  if (absl::StrContains(destination, "://")) {
    return absl::InvalidArgumentError(
        absl::StrCat("--destination: '", destination,
                     "' is not a path on this machine, such as a mounted "
                     "volume"));
  }
  const std::string path =
      std::filesystem::absolute(destination).lexically_normal();
  return std::string(absl::StripSuffix(path, "/"));
}

}  // namespace

absl::StatusOr<std::unique_ptr<Executor>> MakePush(PushOptions options,
                                                   StepSpec& spec) {
  RK_ASSIGN_OR_RETURN(options.destination, LocalFolder(options.destination));
  spec.execution_type = PusherType();
  spec.inputs = {{kModelKey, "Model", options.model, /*required=*/true,
                  /*single=*/true}};
  if (!IsNone(options.blessing)) {
    spec.inputs.push_back({kBlessingKey, "ModelBlessing", options.blessing,
                           /*required=*/false, /*single=*/true});
  }
  spec.outputs = {{kOutputKey, PushedModelType()}};
  tfx::components::pusher::PushDestination destination;
  destination.mutable_filesystem()->set_base_directory(options.destination);
  spec.parameters = {
      {"push_destination", StringValue(ToIndentedJson(destination))},
      {"custom_config", StringValue("null")}};
  spec.always_runs = true;
  // What serves from now on is what was published, to the last byte.
  spec.file_check = FileCheck::kAll;
  return std::make_unique<Push>(std::move(options));
}

}  // namespace rekindle
