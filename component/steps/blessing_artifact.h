#ifndef REKINDLE_COMPONENT_STEPS_BLESSING_ARTIFACT_H_
#define REKINDLE_COMPONENT_STEPS_BLESSING_ARTIFACT_H_

#include <string>

#include "absl/status/status.h"
#include "component/blessing/judge.h"
#include "component/launch/step.h"
#include "ml_metadata/proto/metadata_store.pb.h"

namespace rekindle {

inline constexpr char kBlessedProperty[] = "blessed";
inline constexpr char kBlessingMessageProperty[] = "blessing_message";

// The properties of a ModelBlessing as TFX has them: `blessed`, unless nothing
// was judged, which model it is of, and why. `baseline` may be null.
PropertyMap BlessingProperties(Verdict verdict, const std::string& reason,
                               const ml_metadata::Artifact& model,
                               const ml_metadata::Artifact* baseline);

// Writes the empty file that tells a person, or a script, the verdict: BLESSED,
// NOT_BLESSED, or none.
absl::Status WriteBlessing(Verdict verdict, const std::string& folder);

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_STEPS_BLESSING_ARTIFACT_H_
