#ifndef REKINDLE_TRAINING_RESTORE_REPORT_H_
#define REKINDLE_TRAINING_RESTORE_REPORT_H_

#include <string>
#include <vector>

namespace rekindle {

// One variable of a new model, and whether it has the value of an old one.
struct RestoredVariable {
  std::string name;
  bool restored = false;
  std::string reason;  // why it was not restored; empty when it was

  bool operator==(const RestoredVariable&) const = default;
};

using RestoreReport = std::vector<RestoredVariable>;

}  // namespace rekindle

#endif  // REKINDLE_TRAINING_RESTORE_REPORT_H_
