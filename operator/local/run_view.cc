#include "operator/local/run_view.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "operator/engine/engine.h"
#include "operator/engine/node.h"
#include "operator/view/live_view.h"
#include "operator/view/shown_workflow.h"

namespace rekindle::argo {
namespace {

std::string TemplateOf(const Node& node) {
  if (!node.template_ref.has_value()) return node.template_name;
  return absl::StrCat(node.template_ref->name, "/",
                      node.template_ref->template_name);
}

ShownNode ShowNode(const Node& node) {
  ShownNode shown;
  shown.id = node.id;
  shown.name = node.name;
  shown.display_name = node.display_name;
  shown.boundary_id = node.boundary_id;
  shown.type = NodeTypeName(node.type);
  shown.phase = PhaseName(node.phase);
  shown.template_name = TemplateOf(node);
  shown.message = node.message;
  shown.progress = node.progress;
  shown.started = node.started_at;
  shown.finished = node.finished_at;
  return shown;
}

}  // namespace

ShownWorkflow ShowRun(const Engine& engine) {
  ShownWorkflow shown;
  shown.name = engine.info().name;
  shown.phase = PhaseName(engine.phase());
  shown.message = engine.message();
  shown.progress = engine.tree().Progress();
  shown.started = engine.started_at();
  shown.finished = engine.finished_at();
  for (const Node& node : engine.tree().nodes()) {
    shown.nodes.push_back(ShowNode(node));
  }
  return shown;
}

void RunView::Tell(Engine& engine, absl::Time now) {
  // Taken in any case: they would pile up.
  const std::vector<const Node*> changed = engine.TakeChanged();
  if (view_ == nullptr || view_->draws()) return;
  for (const Node* node : changed) view_->Tell(ShowNode(*node), now);
}

void RunView::Update(Engine& engine, absl::Time now) {
  Tell(engine, now);
  if (view_ == nullptr || !view_->draws()) return;
  if (now - shown_at_ < LiveView::kTick) return;
  shown_at_ = now;
  view_->Show(ShowRun(engine), now);
}

void RunView::Finish(Engine& engine, absl::Time now) {
  Tell(engine, now);
  if (view_ != nullptr) view_->Finish(ShowRun(engine), now);
}

absl::Duration RunView::tick() const {
  return view_ != nullptr && view_->draws() ? LiveView::kTick
                                            : absl::InfiniteDuration();
}

}  // namespace rekindle::argo
