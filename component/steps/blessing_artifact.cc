#include "component/steps/blessing_artifact.h"

#include "base/file_util.h"
#include "metadata/api/values.h"

namespace rekindle {

PropertyMap BlessingProperties(Verdict verdict, const std::string& reason,
                               const ml_metadata::Artifact& model,
                               const ml_metadata::Artifact* baseline) {
  PropertyMap properties = {{kBlessingMessageProperty, StringValue(reason)},
                            {"current_model", StringValue(model.uri())},
                            {"current_model_id", IntValue(model.id())}};
  if (verdict != Verdict::kNotJudged) {
    properties[kBlessedProperty] =
        IntValue(verdict == Verdict::kBlessed ? 1 : 0);
  }
  if (baseline != nullptr) {
    properties["baseline_model"] = StringValue(baseline->uri());
    properties["baseline_model_id"] = IntValue(baseline->id());
  }
  return properties;
}

absl::Status WriteBlessing(Verdict verdict, const std::string& folder) {
  switch (verdict) {
    case Verdict::kBlessed:
      return WriteFileAtomically(JoinPath(folder, "BLESSED"), "");
    case Verdict::kNotBlessed:
      return WriteFileAtomically(JoinPath(folder, "NOT_BLESSED"), "");
    case Verdict::kNotJudged:
      return absl::OkStatus();
  }
  return absl::OkStatus();
}

}  // namespace rekindle
