#include "operator/local/run_view.h"

#include <algorithm>
#include <cerrno>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <unistd.h>
#include <vector>

#include <sys/ioctl.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "operator/local/duration_text.h"
#include "operator/local/tree_text.h"

namespace rekindle::argo {
namespace {

std::string Headline(const Engine& engine, absl::Time now) {
  const absl::Time end = engine.done() ? engine.finished_at() : now;
  std::string line =
      absl::StrCat(engine.info().name, "  ", PhaseName(engine.phase()), "  ",
                   ShortDuration(end - engine.started_at()));
  if (!engine.message().empty()) {
    absl::StrAppend(&line, "  ", engine.message());
  }
  return line;
}

class PlainView : public RunView {
 public:
  explicit PlainView(std::ostream& out) : out_(out) {}

  void Update(const Engine& engine, absl::Time) override {
    if (engine.tree().version() == version_) return;
    version_ = engine.tree().version();
    for (const Node& node : engine.tree().nodes()) {
      const bool leaf = node.type == NodeType::kPod ||
                        node.type == NodeType::kSkipped ||
                        node.type == NodeType::kSuspend;
      if (!leaf || node.phase == Phase::kPending) continue;
      const auto [seen, fresh] = shown_.try_emplace(node.id, Phase::kPending);
      if (!fresh && seen->second == node.phase) continue;
      seen->second = node.phase;
      out_ << PhaseSymbol(node.phase) << ' ' << node.name << ": "
           << PhaseName(node.phase);
      if (IsCompleted(node.phase)) {
        out_ << " in " << ShortDuration(node.duration());
      }
      if (!node.message.empty()) out_ << " (" << node.message << ')';
      out_ << '\n' << std::flush;
    }
  }

  void Finish(const Engine& engine, absl::Time now) override {
    Update(engine, now);
    out_ << '\n' << Headline(engine, now) << '\n';
    for (const std::string& line : TreeLines(engine.tree(), now, {})) {
      out_ << line << '\n';
    }
    out_ << std::flush;
  }

 private:
  std::ostream& out_;
  int64_t version_ = -1;
  std::map<std::string, Phase> shown_;
};

class LiveView : public RunView {
 public:
  explicit LiveView(int fd) : fd_(fd) {}

  absl::Duration tick() const override { return absl::Milliseconds(200); }

  void Update(const Engine& engine, absl::Time now) override {
    if (now - drawn_at_ < absl::Milliseconds(80)) return;
    Draw(engine, now, /*whole=*/false);
  }

  void Finish(const Engine& engine, absl::Time now) override {
    Draw(engine, now, /*whole=*/true);
  }

 private:
  // Goes back to where the last drawing began and writes over it; what is left
  // of it is erased. All in one write, so that nothing flickers.
  void Draw(const Engine& engine, absl::Time now, bool whole) {
    drawn_at_ = now;
    winsize size = {};
    ioctl(fd_, TIOCGWINSZ, &size);
    TreeStyle style;
    style.color = true;
    style.width = size.ws_col == 0 ? 80 : size.ws_col;
    if (!whole) style.height = size.ws_row < 4 ? 22 : size.ws_row - 2U;
    std::vector<std::string> lines = {Headline(engine, now)};
    for (std::string& line : TreeLines(engine.tree(), now, style)) {
      lines.push_back(std::move(line));
    }
    std::string frame;
    if (height_ > 0) absl::StrAppend(&frame, "\033[", height_, "F");
    for (const std::string& line : lines) {
      absl::StrAppend(&frame, line, "\033[K\n");
    }
    absl::StrAppend(&frame, "\033[J");
    height_ = lines.size();
    Write(frame);
  }

  void Write(absl::string_view text) const {
    while (!text.empty()) {
      const ssize_t n = write(fd_, text.data(), text.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return;
      text.remove_prefix(static_cast<size_t>(n));
    }
  }

  const int fd_;
  size_t height_ = 0;
  absl::Time drawn_at_ = absl::InfinitePast();
};

class NoView : public RunView {
 public:
  void Update(const Engine&, absl::Time) override {}
  void Finish(const Engine&, absl::Time) override {}
};

}  // namespace

std::unique_ptr<RunView> MakePlainView(std::ostream& out) {
  return std::make_unique<PlainView>(out);
}

std::unique_ptr<RunView> MakeLiveView(int fd) {
  return std::make_unique<LiveView>(fd);
}

std::unique_ptr<RunView> MakeNoView() { return std::make_unique<NoView>(); }

}  // namespace rekindle::argo
