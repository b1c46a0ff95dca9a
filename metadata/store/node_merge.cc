#include "metadata/store/node_merge.h"

#include <string>

#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "metadata/store/node_table.h"
#include "metadata/store/property_rows.h"

namespace rekindle {
namespace {

using ::google::protobuf::FieldMask;

void CopyProperty(const PropertyMap& from, const std::string& name,
                  PropertyMap* into) {
  const auto found = from.find(name);
  if (found == from.end()) {
    into->erase(name);
  } else {
    (*into)[name] = found->second;
  }
}

// Copies the field at `path` from `given`; a path that names nothing that can
// change is ignored.
template <typename Node>
void ApplyPath(absl::string_view path, const Node& given, Node* into) {
  if (absl::ConsumePrefix(&path, "properties.")) {
    CopyProperty(given.properties(), std::string(path),
                 into->mutable_properties());
  } else if (absl::ConsumePrefix(&path, "custom_properties.")) {
    CopyProperty(given.custom_properties(), std::string(path),
                 into->mutable_custom_properties());
  } else if (path == "properties") {
    *into->mutable_properties() = given.properties();
  } else if (path == "custom_properties") {
    *into->mutable_custom_properties() = given.custom_properties();
  } else if (path == "external_id") {
    into->clear_external_id();
    if (given.has_external_id()) into->set_external_id(given.external_id());
  } else {
    NodeTable<Node>::CopyOwn(path, given, into);
  }
}

}  // namespace

template <typename Node>
Node MergeNode(const Node& stored, const Node& given, const FieldMask& mask) {
  Node wanted = stored;
  for (const std::string& path : mask.paths()) ApplyPath(path, given, &wanted);
  if (!mask.paths().empty()) return wanted;
  for (const absl::string_view field : NodeTable<Node>::kOwnFields) {
    ApplyPath(field, given, &wanted);
  }
  for (const char* field : {"properties", "custom_properties", "external_id"}) {
    ApplyPath<Node>(field, given, &wanted);
  }
  return wanted;
}

template <typename Node>
bool SameNode(const Node& a, const Node& b) {
  return NodeTable<Node>::SameOwn(a, b) && a.name() == b.name() &&
         a.has_external_id() == b.has_external_id() &&
         a.external_id() == b.external_id() &&
         SameProperties(a.properties(), b.properties()) &&
         SameProperties(a.custom_properties(), b.custom_properties());
}

// A type cannot stand in parentheses.
// NOLINTBEGIN(bugprone-macro-parentheses)
#define RK_INSTANTIATE(Node)                                           \
  template Node MergeNode(const Node&, const Node&, const FieldMask&); \
  template bool SameNode(const Node&, const Node&)
// NOLINTEND(bugprone-macro-parentheses)

RK_INSTANTIATE(ml_metadata::Artifact);
RK_INSTANTIATE(ml_metadata::Execution);
RK_INSTANTIATE(ml_metadata::Context);

#undef RK_INSTANTIATE

}  // namespace rekindle
