#include "metadata/store/type_rows.h"

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>

#include <google/protobuf/util/json_util.h>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "metadata/sqlite/sql_fragment.h"

namespace rekindle {
namespace {

using ::ml_metadata::ArtifactStructType;
using ::ml_metadata::PropertyType;

template <typename Type>
constexpr bool kIsExecutionType =
    std::is_same_v<Type, ml_metadata::ExecutionType>;

template <typename Type>
std::string Describe(const Type& type) {
  return absl::StrCat(NodeTraits<Type>::kNoun, " type '", type.name(), "'",
                      type.version().empty()
                          ? ""
                          : absl::StrCat(" version '", type.version(), "'"));
}

// --- base types ------------------------------------------------------------

// The name of the stored type that a base type stands for, such as mlmd.Model.
template <typename Type>
std::string BaseTypeName(int base_type) {
  const auto* value =
      Type::SystemDefinedBaseType_descriptor()->FindValueByNumber(base_type);
  return value->options()
      .GetExtension(ml_metadata::system_type_extension)
      .type_name();
}

template <typename Type>
std::optional<int> BaseTypeNamed(absl::string_view name) {
  const auto* values = Type::SystemDefinedBaseType_descriptor();
  for (int i = 0; i < values->value_count(); ++i) {
    const int number = values->value(i)->number();
    if (number != 0 && BaseTypeName<Type>(number) == name) return number;
  }
  return std::nullopt;
}

template <typename Type>
absl::Status LinkBaseType(Database& db, int64_t type_id, int base_type) {
  RK_ASSIGN_OR_RETURN(
      Statement link,
      db.Prepare("INSERT INTO ParentType (type_id, parent_type_id) "
                 "SELECT ?, id FROM Type WHERE type_kind = ? AND name = ? "
                 "AND version IS NULL"));
  link.Bind(type_id, NodeTraits<Type>::kKind, BaseTypeName<Type>(base_type));
  RK_RETURN_IF_ERROR(link.Run());
  if (db.changes() == 1) return absl::OkStatus();
  return absl::NotFoundError(absl::StrCat(
      "the base type ", BaseTypeName<Type>(base_type), " is not stored"));
}

// --- reading ----------------------------------------------------------------

absl::Status ReadStructType(const Statement& row, int column,
                            ArtifactStructType* type) {
  const auto parsed = google::protobuf::util::JsonStringToMessage(
      std::string(row.Text(column)), type);
  if (parsed.ok()) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat("execution type ", row.Int(0),
                                          " has an unreadable input or output "
                                          "type: ",
                                          std::string(parsed.message())));
}

template <typename Type>
absl::StatusOr<Type> ReadRow(const Statement& row) {
  Type type;
  type.set_id(row.Int(0));
  type.set_name(std::string(row.Text(1)));
  if (!row.IsNull(2)) type.set_version(std::string(row.Text(2)));
  if (!row.IsNull(3)) type.set_description(std::string(row.Text(3)));
  if (!row.IsNull(4)) type.set_external_id(std::string(row.Text(4)));
  if constexpr (kIsExecutionType<Type>) {
    if (!row.IsNull(5)) {
      RK_RETURN_IF_ERROR(ReadStructType(row, 5, type.mutable_input_type()));
    }
    if (!row.IsNull(6)) {
      RK_RETURN_IF_ERROR(ReadStructType(row, 6, type.mutable_output_type()));
    }
  }
  return type;
}

// Selects `columns` of the types of a kind that meet a condition on their row
// `t`, in order of id.
template <typename Type>
absl::StatusOr<Statement> Select(Database& db, absl::string_view columns,
                                 const SqlFragment& condition) {
  RK_ASSIGN_OR_RETURN(
      Statement rows,
      db.Prepare(absl::StrCat("SELECT ", columns, " WHERE t.type_kind = ? AND ",
                              condition.text(), " ORDER BY t.id")));
  rows.Bind(NodeTraits<Type>::kKind);
  condition.BindTo(rows);
  return rows;
}

// Calls `found` with every row, and with the type among `types`, which ascend
// by id, that the first column names.
template <typename Type>
absl::Status ForEachRowOf(
    std::vector<Type>& types, Statement rows,
    absl::FunctionRef<void(const Statement& row, Type& type)> found) {
  auto type = types.begin();
  while (true) {
    RK_ASSIGN_OR_RETURN(const bool more, rows.Step());
    if (!more) return absl::OkStatus();
    while (type->id() != rows.Int(0)) ++type;
    found(rows, *type);
  }
}

template <typename Type>
absl::Status ReadProperties(Database& db, const SqlFragment& condition,
                            std::vector<Type>& types) {
  RK_ASSIGN_OR_RETURN(
      Statement rows,
      Select<Type>(db,
                   "t.id, p.name, p.data_type FROM Type t "
                   "CROSS JOIN TypeProperty p ON p.type_id = t.id",
                   condition));
  return ForEachRowOf<Type>(
      types, std::move(rows), [](const Statement& row, Type& type) {
        (*type.mutable_properties())[std::string(row.Text(1))] =
            static_cast<PropertyType>(row.Int(2));
      });
}

template <typename Type>
absl::Status ReadBaseTypes(Database& db, const SqlFragment& condition,
                           std::vector<Type>& types) {
  RK_ASSIGN_OR_RETURN(
      Statement rows,
      Select<Type>(db,
                   "t.id, b.name FROM Type t "
                   "CROSS JOIN ParentType l ON l.type_id = t.id "
                   "CROSS JOIN Type b ON b.id = l.parent_type_id",
                   condition));
  return ForEachRowOf<Type>(
      types, std::move(rows), [](const Statement& row, Type& type) {
        if (const auto base = BaseTypeNamed<Type>(row.Text(1))) {
          type.set_base_type(
              static_cast<typename Type::SystemDefinedBaseType>(*base));
        }
      });
}

// Every type of a kind that meets a condition on its row `t`, in order of id.
template <typename Type>
absl::StatusOr<std::vector<Type>> FindTypesWhere(Database& db,
                                                 const SqlFragment& condition) {
  RK_ASSIGN_OR_RETURN(
      Statement rows,
      Select<Type>(db,
                   "t.id, t.name, t.version, t.description, t.external_id, "
                   "t.input_type, t.output_type FROM Type t",
                   condition));
  std::vector<Type> types;
  while (true) {
    RK_ASSIGN_OR_RETURN(const bool more, rows.Step());
    if (!more) break;
    RK_ASSIGN_OR_RETURN(types.emplace_back(), ReadRow<Type>(rows));
  }
  if (types.empty()) return types;
  RK_RETURN_IF_ERROR(ReadProperties(db, condition, types));
  RK_RETURN_IF_ERROR(ReadBaseTypes(db, condition, types));
  return types;
}

template <typename Type>
absl::StatusOr<std::optional<Type>> FindTypeWhere(
    Database& db, const SqlFragment& condition) {
  RK_ASSIGN_OR_RETURN(std::vector<Type> types,
                      FindTypesWhere<Type>(db, condition));
  if (types.empty()) return std::nullopt;
  return std::move(types.front());
}

// --- writing ----------------------------------------------------------------

template <typename Type>
absl::Status CheckDeclaration(const Type& type) {
  if (type.name().empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("an ", NodeTraits<Type>::kNoun, " type has no name"));
  }
  for (const auto& [name, value_type] : type.properties()) {
    if (value_type == ml_metadata::UNKNOWN) {
      return absl::InvalidArgumentError(absl::StrCat(
          Describe(type), ": property '", name, "' has type UNKNOWN"));
    }
  }
  return absl::OkStatus();
}

template <typename Type>
absl::Status DifferentType(const Type& type, absl::string_view how) {
  return absl::AlreadyExistsError(absl::StrCat(
      Describe(type), " is stored with different properties: ", how));
}

// Whether `given` may be declared where `stored` is.
template <typename Type>
absl::Status CheckEvolution(const Type& stored, const Type& given,
                            const TypeEvolution& evolution) {
  for (const auto& [name, value_type] : stored.properties()) {
    const auto found = given.properties().find(name);
    if (found == given.properties().end()) {
      if (evolution.can_omit_fields) continue;
      return DifferentType(given, absl::StrCat("'", name, "' is left out"));
    }
    if (found->second != value_type) {
      return DifferentType(
          given, absl::StrCat("'", name, "' is ", PropertyType_Name(value_type),
                              ", not ", PropertyType_Name(found->second)));
    }
  }
  if (evolution.can_add_fields) return absl::OkStatus();
  for (const auto& [name, value_type] : given.properties()) {
    if (!stored.properties().contains(name)) {
      return DifferentType(given, absl::StrCat("'", name, "' is new"));
    }
  }
  return absl::OkStatus();
}

absl::Status InsertProperty(Database& db, int64_t type_id,
                            const std::string& name, PropertyType value_type) {
  RK_ASSIGN_OR_RETURN(Statement insert,
                      db.Prepare("INSERT INTO TypeProperty (type_id, name, "
                                 "data_type) VALUES (?, ?, ?)"));
  insert.Bind(type_id, name, value_type);
  return insert.Run();
}

// In the order of their names, so that equal declarations make equal files.
template <typename Type>
absl::Status InsertNewProperties(Database& db, const Type& stored,
                                 const Type& given) {
  std::vector<std::string> names;
  for (const auto& [name, value_type] : given.properties()) {
    if (!stored.properties().contains(name)) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    RK_RETURN_IF_ERROR(
        InsertProperty(db, stored.id(), name, given.properties().at(name)));
  }
  return absl::OkStatus();
}

template <typename Type>
absl::Status ExternalIdTaken(const Type& type, const absl::Status& status) {
  if (!absl::IsAlreadyExists(status)) return status;
  return absl::AlreadyExistsError(
      absl::StrCat(Describe(type), ": another type has the external id '",
                   type.external_id(), "'"));
}

template <typename Type>
absl::Status UpdateExternalId(Database& db, const Type& stored,
                              const Type& given) {
  if (!given.has_external_id() || given.external_id() == stored.external_id()) {
    return absl::OkStatus();
  }
  RK_ASSIGN_OR_RETURN(
      Statement update,
      db.Prepare("UPDATE Type SET external_id = ? WHERE id = ?"));
  update.Bind(given.external_id(), stored.id());
  return ExternalIdTaken(given, update.Run());
}

template <typename Type>
absl::Status UpdateBaseType(Database& db, const Type& stored,
                            const Type& given) {
  if (!given.has_base_type()) return absl::OkStatus();
  if (given.base_type() == Type::UNSET) {
    return absl::UnimplementedError(
        absl::StrCat(Describe(given), ": a base type cannot be deleted"));
  }
  if (!stored.has_base_type()) {
    return LinkBaseType<Type>(db, stored.id(), given.base_type());
  }
  if (stored.base_type() == given.base_type()) return absl::OkStatus();
  return absl::UnimplementedError(
      absl::StrCat(Describe(given), ": its base type cannot change from ",
                   BaseTypeName<Type>(stored.base_type()), " to ",
                   BaseTypeName<Type>(given.base_type())));
}

absl::StatusOr<std::string> ToJson(const ArtifactStructType& type) {
  std::string json;
  const auto printed = google::protobuf::util::MessageToJsonString(type, &json);
  if (printed.ok()) return json;
  return absl::InvalidArgumentError(
      absl::StrCat("an input or output type cannot be written as JSON: ",
                   std::string(printed.message())));
}

template <typename Type>
absl::StatusOr<int64_t> InsertRow(Database& db, const Type& type) {
  RK_ASSIGN_OR_RETURN(
      Statement insert,
      db.Prepare("INSERT INTO Type (name, type_kind, version, description, "
                 "external_id, input_type, output_type) "
                 "VALUES (?, ?, nullif(?, ''), ?, ?, ?, ?)"));
  std::optional<std::string> input;
  std::optional<std::string> output;
  if constexpr (kIsExecutionType<Type>) {
    if (type.has_input_type()) {
      RK_ASSIGN_OR_RETURN(input, ToJson(type.input_type()));
    }
    if (type.has_output_type()) {
      RK_ASSIGN_OR_RETURN(output, ToJson(type.output_type()));
    }
  }
  insert.Bind(
      type.name(), NodeTraits<Type>::kKind, type.version(),
      type.has_description() ? std::optional(type.description()) : std::nullopt,
      type.has_external_id() ? std::optional(type.external_id()) : std::nullopt,
      input, output);
  RK_RETURN_IF_ERROR(ExternalIdTaken(type, insert.Run()));
  return db.last_insert_id();
}

}  // namespace

template <typename Type>
absl::StatusOr<std::optional<Type>> FindTypeById(Database& db, int64_t id) {
  return FindTypeWhere<Type>(db, SqlFragment("t.id = ").AddValue(id));
}

template <typename Type>
absl::StatusOr<std::optional<Type>> FindTypeByName(Database& db,
                                                   absl::string_view name,
                                                   absl::string_view version) {
  return FindTypeWhere<Type>(db, SqlFragment("t.name = ")
                                     .AddValue(std::string(name))
                                     .Add(" AND t.version IS nullif(")
                                     .AddValue(std::string(version))
                                     .Add(", '')"));
}

template <typename Type>
absl::StatusOr<std::optional<Type>> FindTypeByExternalId(
    Database& db, absl::string_view external_id) {
  return FindTypeWhere<Type>(
      db, SqlFragment("t.external_id = ").AddValue(std::string(external_id)));
}

template <typename Type>
absl::StatusOr<std::vector<Type>> ListAllTypes(Database& db) {
  return FindTypesWhere<Type>(db, SqlFragment("TRUE"));
}

template <typename Type>
absl::StatusOr<std::vector<Type>> ListTypes(Database& db) {
  RK_ASSIGN_OR_RETURN(std::vector<Type> types, ListAllTypes<Type>(db));
  std::erase_if(types, [](const Type& type) {
    return BaseTypeNamed<Type>(type.name()).has_value() && !type.has_version();
  });
  return types;
}

template <typename Type>
absl::StatusOr<int64_t> PutType(Database& db, const Type& type,
                                const TypeEvolution& evolution) {
  RK_RETURN_IF_ERROR(CheckDeclaration(type));
  RK_ASSIGN_OR_RETURN(std::optional<Type> stored,
                      FindTypeByName<Type>(db, type.name(), type.version()));
  if (stored.has_value()) {
    RK_RETURN_IF_ERROR(CheckEvolution(*stored, type, evolution));
    RK_RETURN_IF_ERROR(UpdateExternalId(db, *stored, type));
  } else {
    stored.emplace();
    RK_ASSIGN_OR_RETURN(const int64_t id, InsertRow(db, type));
    stored->set_id(id);
  }
  RK_RETURN_IF_ERROR(InsertNewProperties(db, *stored, type));
  RK_RETURN_IF_ERROR(UpdateBaseType(db, *stored, type));
  return stored->id();
}

// A type cannot stand in parentheses.
// NOLINTBEGIN(bugprone-macro-parentheses)
#define RK_INSTANTIATE(Type)                                           \
  template absl::StatusOr<std::optional<Type>> FindTypeById(Database&, \
                                                            int64_t);  \
  template absl::StatusOr<std::optional<Type>> FindTypeByName(         \
      Database&, absl::string_view, absl::string_view);                \
  template absl::StatusOr<std::optional<Type>> FindTypeByExternalId(   \
      Database&, absl::string_view);                                   \
  template absl::StatusOr<std::vector<Type>> ListAllTypes(Database&);  \
  template absl::StatusOr<std::vector<Type>> ListTypes(Database&);     \
  template absl::StatusOr<int64_t> PutType(Database&, const Type&,     \
                                           const TypeEvolution&)
// NOLINTEND(bugprone-macro-parentheses)

RK_INSTANTIATE(ml_metadata::ArtifactType);
RK_INSTANTIATE(ml_metadata::ExecutionType);
RK_INSTANTIATE(ml_metadata::ContextType);

#undef RK_INSTANTIATE

}  // namespace rekindle
