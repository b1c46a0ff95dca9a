#ifndef REKINDLE_CLI_TRAIN_FLAGS_H_
#define REKINDLE_CLI_TRAIN_FLAGS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "cli/flag_set.h"
#include "cli/trainer_program.h"

namespace rekindle {

// The flags of `train`, before they are understood. A plain value.
struct TrainFlags {
  std::string examples = "latest";
  std::string schema = "latest";
  std::string base_model = "latest";
  std::string transform_graph = "none";
  std::string hyperparameters = "none";
  std::string statistics = "none";
  std::string train_args = "{}";
  std::string eval_args = "{}";
  std::optional<int64_t> train_steps;
  std::optional<int64_t> eval_steps;
  std::string train_splits;
  std::string eval_splits;
  std::string label_key;
  std::string custom_config = "null";
  std::string trainer = TrainerBesideUs();
  std::string module_file;
  std::string python = "python3";
  std::string executor = "auto";
  std::vector<std::string> rewrites;
  std::optional<int64_t> workers;
  std::optional<int64_t> worker_restarts;
  absl::Duration chief_timeout = absl::Minutes(10);
  bool skip_validation = false;
  bool require_gpu = false;
  absl::Duration grace = absl::Seconds(25);

  // Declares them; this must outlive `flags`.
  void Bind(FlagSet& flags);
};

}  // namespace rekindle

#endif  // REKINDLE_CLI_TRAIN_FLAGS_H_
