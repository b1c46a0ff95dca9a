// Internal to component/training.
#ifndef REKINDLE_COMPONENT_TRAINING_SESSION_OPTIONS_H_
#define REKINDLE_COMPONENT_TRAINING_SESSION_OPTIONS_H_

#include "tensorflow/core/public/session_options.h"

namespace rekindle {

// How models of some thousand weights run fastest: their operations take
// microseconds, so threads and queues between them cost more than they bring.
inline tensorflow::SessionOptions SmallModelSessionOptions() {
  tensorflow::SessionOptions options;
  options.config.set_intra_op_parallelism_threads(1);
  options.config.set_inter_op_parallelism_threads(1);
  options.config.mutable_experimental()->set_executor_type(
      "SINGLE_THREADED_EXECUTOR");
  return options;
}

// The same for a session that makes few calls: rewriting its graph to be faster
// takes longer than they do.
inline tensorflow::SessionOptions FewCallsSessionOptions() {
  tensorflow::SessionOptions options = SmallModelSessionOptions();
  options.config.mutable_graph_options()
      ->mutable_rewrite_options()
      ->set_disable_meta_optimizer(true);
  return options;
}

}  // namespace rekindle

#endif  // REKINDLE_COMPONENT_TRAINING_SESSION_OPTIONS_H_
