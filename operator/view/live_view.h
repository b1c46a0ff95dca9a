#ifndef REKINDLE_OPERATOR_VIEW_LIVE_VIEW_H_
#define REKINDLE_OPERATOR_VIEW_LIVE_VIEW_H_

#include <map>
#include <ostream>
#include <string>

#include "absl/time/time.h"
#include "nlohmann/json.hpp"
#include "operator/view/node_graph.h"

namespace rekindle::argo {

// How a workflow is going: on a terminal its graph, drawn over itself at each
// change; elsewhere a line for each node that begins, ends or fails, and the
// graph once at the end. Thread-compatible.
class LiveView {
 public:
  struct Options {
    bool terminal = false;
    bool coloured = false;
    int rows = 24;  // of the terminal: a taller graph shows its last lines
    int columns = 80;
  };
  // What the standard output is, by its descriptor and NO_COLOR.
  static Options OptionsOf(int fd);

  // `out` is not owned and must outlive this.
  LiveView(std::ostream& out, const Options& options);

  // Shows a Workflow object as it is now.
  void Show(const nlohmann::json& workflow, absl::Time now);
  // The last that is shown stays.
  void Finish(const nlohmann::json& workflow, absl::Time now);

 private:
  void Draw(const std::string& graph, bool whole);
  void Tell(const std::vector<ShownNode>& nodes);

  std::ostream& out_;
  const Options options_;
  int drawn_lines_ = 0;
  std::map<std::string, std::string> told_;  // phase by node
};

}  // namespace rekindle::argo

#endif  // REKINDLE_OPERATOR_VIEW_LIVE_VIEW_H_
