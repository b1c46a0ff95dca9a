#ifndef REKINDLE_TRAINING_NEXT_STEP_H_
#define REKINDLE_TRAINING_NEXT_STEP_H_

namespace rekindle {

// Whether training makes one more step.
enum class NextStep {
  kGoOn,
  // Training ends here as if this were its last step: what follows training,
  // an evaluation for instance, is done.
  kEnd,
  // Somebody asked to stop: nothing is done but to save, where
  // preemption_on_demand_checkpoint allows it.
  kStop,
};

}  // namespace rekindle

#endif  // REKINDLE_TRAINING_NEXT_STEP_H_
