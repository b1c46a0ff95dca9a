#ifndef REKINDLE_COMPONENT_TRAINING_STOP_SIGNAL_H_
#define REKINDLE_COMPONENT_TRAINING_STOP_SIGNAL_H_

namespace rekindle {

// Turns SIGTERM and SIGINT into a request that the training loop notices. From
// this call on neither ends the process by itself.
void CatchStopSignals();

// The signal that asked to stop; 0 when none did. Thread-safe.
int StopSignal();

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_TRAINING_STOP_SIGNAL_H_
