#include "operator/engine/node_tree.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"

namespace rekindle::argo {
namespace {

template <typename Number>
Number Fnv1a(absl::string_view text, Number hash, Number prime) {
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= prime;
  }
  return hash;
}

uint32_t Fnv32a(absl::string_view text) {
  return Fnv1a<uint32_t>(text, 2166136261U, 16777619U);
}

uint64_t Fnv64a(absl::string_view text) {
  return Fnv1a<uint64_t>(text, 14695981039346656037ULL, 1099511628211ULL);
}

// Without the "[0]." or "." that stands between a boundary and its child.
absl::string_view WithoutSeparator(absl::string_view name) {
  absl::string_view rest = name;
  if (absl::ConsumePrefix(&rest, "[")) {
    while (!rest.empty() && absl::ascii_isdigit(rest[0])) rest.remove_prefix(1);
    if (!absl::ConsumePrefix(&rest, "]")) rest = name;
  }
  return absl::ConsumePrefix(&rest, ".") ? rest : name;
}

}  // namespace

NodeTree::NodeTree(std::string workflow_name)
    : workflow_name_(std::move(workflow_name)) {}

std::string NodeTree::IdOf(const std::string& name) const {
  if (const Node* node = Find(name); node != nullptr) return node->id;
  if (name == workflow_name_) return name;
  std::string id = absl::StrCat(workflow_name_, "-", Fnv32a(name));
  // Two names with one hash: the second gets a longer one.
  if (by_id_.contains(id)) id = absl::StrCat(workflow_name_, "-", Fnv64a(name));
  return id;
}

std::string NodeTree::DisplayName(const Node& node) const {
  const Node* boundary = FindId(node.boundary_id);
  if (boundary == nullptr) return node.name;
  return std::string(
      WithoutSeparator(absl::StripPrefix(node.name, boundary->name)));
}

Node& NodeTree::Add(Node node) {
  node.id = IdOf(node.name);
  node.display_name = DisplayName(node);
  if (node.fulfilled()) node.finished_at = node.started_at;
  Node& added = nodes_.emplace_back(std::move(node));
  by_name_[added.name] = &added;
  by_id_[added.id] = &added;
  changed_.push_back(&added);
  return added;
}

const Node* NodeTree::Find(const std::string& name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

Node* NodeTree::Find(const std::string& name) {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

const Node* NodeTree::FindId(const std::string& id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : found->second;
}

Node* NodeTree::FindId(const std::string& id) {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : found->second;
}

void NodeTree::AddChild(Node& parent, const Node& child) {
  // The newest are the likely ones to be there.
  if (std::find(parent.children.rbegin(), parent.children.rend(), child.id) !=
      parent.children.rend()) {
    return;
  }
  parent.children.push_back(child.id);
}

void NodeTree::SetPhase(Node& node, Phase phase, absl::Time now) {
  node.phase = phase;
  changed_.push_back(&node);
  if (node.fulfilled() && node.finished_at == absl::InfiniteFuture()) {
    node.finished_at = now;
  }
}

void NodeTree::SetPhase(Node& node, Phase phase, absl::Time now,
                        std::string message) {
  node.message = std::move(message);
  SetPhase(node, phase, now);
}

std::vector<std::string> NodeTree::OutboundNodes(const Node& node) const {
  switch (node.type) {
    case NodeType::kSkipped:
    case NodeType::kSuspend:
    case NodeType::kPod:
      return {node.id};
    case NodeType::kRetry:
      if (!node.children.empty()) return {node.children.back()};
      return {};
    default:
      break;
  }
  const bool group = node.type == NodeType::kTaskGroup;
  if (group && node.children.empty()) return {node.id};
  std::vector<std::string> outbound;
  for (const std::string& id : group ? node.children : node.outbound_nodes) {
    const std::vector<std::string> of_child = OutboundNodes(*FindId(id));
    outbound.insert(outbound.end(), of_child.begin(), of_child.end());
  }
  return outbound;
}

std::vector<std::string> NodeTree::Attempts(const Node& retry) const {
  std::vector<std::string> attempts;
  for (const std::string& id : retry.children) {
    if (!FindId(id)->hooked || FindId(id)->retried) attempts.push_back(id);
  }
  return attempts;
}

const Node* NodeTree::LastAttempt(const Node& retry) const {
  if (retry.type != NodeType::kRetry) return nullptr;
  const std::vector<std::string> attempts = Attempts(retry);
  return attempts.empty() ? nullptr : FindId(attempts.back());
}

std::string NodeTree::Progress() const {
  int ended = 0;
  int all = 0;
  for (const Node& node : nodes_) {
    if (node.type != NodeType::kPod) continue;
    ++all;
    if (node.fulfilled()) ++ended;
  }
  return absl::StrCat(ended, "/", all);
}

std::string PodName(const std::string& workflow_name,
                    const std::string& node_name,
                    const std::string& template_name,
                    const std::string& node_id) {
  // Kubernetes' limit of a name, and what Argo keeps free for the hash.
  constexpr size_t kMaxName = 253;
  constexpr size_t kMaxPrefix = kMaxName - 10;
  if (node_name == workflow_name) return workflow_name;
  std::string prefix = workflow_name;
  if (!template_name.empty()) absl::StrAppend(&prefix, "-", template_name);
  if (prefix.size() > kMaxPrefix - 1) prefix.resize(kMaxPrefix - 1);
  const absl::string_view hash =
      absl::StripPrefix(node_id, absl::StrCat(workflow_name, "-"));
  const size_t length = prefix.size() + 1 + hash.size();
  if (length > kMaxName) prefix.resize(prefix.size() - (length - kMaxName));
  return absl::StrCat(prefix, "-", hash);
}

}  // namespace rekindle::argo
