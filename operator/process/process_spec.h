#ifndef REKINDLE_OPERATOR_PROCESS_PROCESS_SPEC_H_
#define REKINDLE_OPERATOR_PROCESS_PROCESS_SPEC_H_

#include <string>
#include <vector>

namespace rekindle::argo {

// `source` of this machine, seen at `target`.
struct Bind {
  std::string source;
  std::string target;  // exists, of the same kind
  bool read_only = false;
};

// A view of the file system that only one process and its children have. An
// empty root means: the view that we have.
struct View {
  std::string root;         // a folder that becomes "/"
  std::vector<Bind> binds;  // made in this order, targets below `root`

  bool own() const { return !root.empty(); }
};

// A process to start.
struct ProcessSpec {
  std::vector<std::string> argv;
  std::vector<std::string> environment;  // all of it, NAME=VALUE
  std::string search_path;               // where argv[0] is looked for
  std::string folder;                    // it starts in
  std::string log_path;                  // gets both output streams
  bool capture_output = false;           // we get the first of them, too
  View view;
};

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_PROCESS_PROCESS_SPEC_H_
