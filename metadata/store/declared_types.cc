#include "metadata/store/declared_types.h"

#include "base/status_macros.h"

namespace rekindle {

absl::StatusOr<const DeclaredType*> DeclaredTypes::Find(NodeKind kind,
                                                        int64_t id) {
  const auto known = found_.find({kind, id});
  if (known != found_.end()) return &known->second;
  RK_ASSIGN_OR_RETURN(
      Statement rows,
      db_.Prepare("SELECT t.name, p.name, p.data_type FROM Type t "
                  "LEFT JOIN TypeProperty p ON p.type_id = t.id "
                  "WHERE t.id = ? AND t.type_kind = ?"));
  rows.Bind(id, kind);
  RK_ASSIGN_OR_RETURN(bool more, rows.Step());
  if (!more) return nullptr;
  DeclaredType& type = found_[{kind, id}];
  type.name = std::string(rows.Text(0));
  while (more) {
    if (!rows.IsNull(1)) {
      type.properties[rows.Text(1)] =
          static_cast<ml_metadata::PropertyType>(rows.Int(2));
    }
    RK_ASSIGN_OR_RETURN(more, rows.Step());
  }
  return &type;
}

}  // namespace rekindle
