// Writes the tests' data set and an executor input for it, for the peer test.
//
//   write_training_data FOLDER
#include "component/contract/executor_input.h"
#include "tests/component/training/training_data.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string folder = argv[1];
  const auto input = rekindle::MakeTrainingInput(folder, "run");
  const bool written =
      rekindle::WriteExecutorInput(input, folder + "/executor_input.json").ok();
  return written ? 0 : 1;
}
