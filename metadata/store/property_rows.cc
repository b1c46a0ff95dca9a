#include "metadata/store/property_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include <google/protobuf/util/message_differencer.h>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "metadata/sqlite/sql_fragment.h"
#include "metadata/store/among.h"

namespace rekindle {
namespace {

using ::google::protobuf::util::MessageDifferencer;
using ::ml_metadata::Value;

// Marks a string that holds a google.protobuf.Struct.
constexpr absl::string_view kStructPrefix = "mlmd-struct::";

// SQLite has no NaN. Its name in the column of doubles survives, and is what
// other readers of the file parse.
constexpr absl::string_view kNan = "nan";

bool ParseBase64(absl::string_view base64, google::protobuf::Message* message) {
  std::string bytes;
  return absl::Base64Unescape(base64, &bytes) &&
         message->ParseFromString(bytes);
}

// A string that merely starts like a struct is a string.
void ReadText(absl::string_view text, Value* value) {
  absl::string_view base64 = text;
  if (absl::ConsumePrefix(&base64, kStructPrefix) &&
      ParseBase64(base64, value->mutable_struct_value())) {
    return;
  }
  value->set_string_value(std::string(text));
}

// What is selected of a property, after the id of its node. SQLite looks no
// further into a row than to the column that holds the value.
constexpr char kColumns[] =
    "name, is_custom_property, CASE WHEN int_value IS NOT NULL THEN 1 "
    "WHEN string_value IS NOT NULL THEN 3 WHEN double_value IS NOT NULL THEN 2 "
    "WHEN proto_value IS NOT NULL THEN 5 WHEN bool_value IS NOT NULL THEN 6 "
    "END, coalesce(int_value, string_value, double_value, proto_value, "
    "bool_value)";
constexpr int kName = 1;
constexpr int kIsCustom = 2;
constexpr int kCase = 3;  // as the message numbers them, NULL for no value
constexpr int kValue = 4;

static_assert(Value::kIntValue == 1 && Value::kDoubleValue == 2 &&
              Value::kStringValue == 3 && Value::kProtoValue == 5 &&
              Value::kBoolValue == 6 && Value::VALUE_NOT_SET == 0);

absl::Status ReadValue(const Statement& row, Value* value) {
  switch (static_cast<Value::ValueCase>(row.Int(kCase))) {
    case Value::kIntValue:
      value->set_int_value(row.Int(kValue));
      break;
    case Value::kDoubleValue:
      value->set_double_value(row.IsText(kValue)
                                  ? std::numeric_limits<double>::quiet_NaN()
                                  : row.Double(kValue));
      break;
    case Value::kStringValue:
      ReadText(row.Text(kValue), value);
      break;
    case Value::kProtoValue:
      if (!ParseBase64(row.Text(kValue), value->mutable_proto_value())) {
        return absl::DataLossError(absl::StrCat(
            "property '", row.Text(kName), "' does not hold a readable proto"));
      }
      break;
    case Value::kBoolValue:
      value->set_bool_value(row.Int(kValue) != 0);
      break;
    case Value::kStructValue:  // is stored as a string
    case Value::VALUE_NOT_SET:
      break;
  }
  return absl::OkStatus();
}

// Binds int, double, string, proto, bool: one of them, the others NULL.
void BindValue(const Value& value, Statement& statement) {
  switch (value.value_case()) {
    case Value::kIntValue:
      return statement.Bind(value.int_value(), nullptr, nullptr, nullptr,
                            nullptr);
    case Value::kDoubleValue:
      if (std::isnan(value.double_value())) {
        return statement.Bind(nullptr, kNan, nullptr, nullptr, nullptr);
      }
      return statement.Bind(nullptr, value.double_value(), nullptr, nullptr,
                            nullptr);
    case Value::kStringValue:
      return statement.Bind(nullptr, nullptr, value.string_value(), nullptr,
                            nullptr);
    case Value::kStructValue:
      return statement.Bind(
          nullptr, nullptr,
          absl::StrCat(
              kStructPrefix,
              absl::Base64Escape(value.struct_value().SerializeAsString())),
          nullptr, nullptr);
    case Value::kProtoValue:
      return statement.Bind(
          nullptr, nullptr, nullptr,
          absl::Base64Escape(value.proto_value().SerializeAsString()), nullptr);
    case Value::kBoolValue:
      return statement.Bind(nullptr, nullptr, nullptr, nullptr,
                            value.bool_value());
    case Value::VALUE_NOT_SET:
      return statement.Bind(nullptr, nullptr, nullptr, nullptr, nullptr);
  }
}

absl::Status CheckValue(absl::string_view name, const Value& value) {
  if (value.value_case() == Value::VALUE_NOT_SET) {
    return absl::InvalidArgumentError(
        absl::StrCat("property '", name, "' has no value"));
  }
  if (value.has_proto_value() && value.proto_value().type_url().empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("property '", name, "' holds a proto without a type_url"));
  }
  return absl::OkStatus();
}

bool SameValue(const Value& a, const Value& b) {
  if (a.value_case() != b.value_case()) return false;
  switch (a.value_case()) {
    case Value::kIntValue:
      return a.int_value() == b.int_value();
    case Value::kStringValue:
      return a.string_value() == b.string_value();
    default:
      return MessageDifferencer::Equals(a, b);
  }
}

// A property to be written.
struct NamedValue {
  const std::string* name;
  const Value* value;
  bool custom;
};

// Writes properties that are not stored, many rows by one statement. A
// statement that fails half way need not undo its first half: the call does.
absl::Status Insert(Database& db, const PropertyTable& table, int64_t node_id,
                    absl::Span<const NamedValue> values) {
  constexpr size_t kMaxRows = 16;  // Each number of rows is SQL of its own.
  while (!values.empty()) {
    const auto some = values.subspan(0, kMaxRows);
    values.remove_prefix(some.size());
    std::string sql = absl::StrCat(
        "INSERT OR FAIL INTO ", table.table, " (", table.id_column,
        ", name, is_custom_property, int_value, double_value, string_value, "
        "proto_value, bool_value) VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
    for (size_t i = 1; i < some.size(); ++i) {
      absl::StrAppend(&sql, ", (?, ?, ?, ?, ?, ?, ?, ?)");
    }
    RK_ASSIGN_OR_RETURN(Statement insert, db.Prepare(sql));
    for (const NamedValue& property : some) {
      insert.Bind(node_id, *property.name, property.custom);
      BindValue(*property.value, insert);
    }
    RK_RETURN_IF_ERROR(insert.Run());
  }
  return absl::OkStatus();
}

absl::Status DeleteOne(Database& db, const PropertyTable& table,
                       int64_t node_id, bool custom, const std::string& name) {
  RK_ASSIGN_OR_RETURN(
      Statement remove,
      db.Prepare(absl::StrCat("DELETE FROM ", table.table, " WHERE ",
                              table.id_column,
                              " = ? AND name = ? AND is_custom_property = ?")));
  remove.Bind(node_id, name, custom);
  return remove.Run();
}

// Whether so many nodes are wanted that it is better to read the properties of
// all, in the order of the file: reading on costs a fraction of what finding
// costs, and a node mostly has several.
absl::StatusOr<bool> ReadWhole(Database& db, const PropertyTable& table,
                               size_t nodes) {
  constexpr size_t kFew = 1000;
  if (nodes < kFew) return false;
  RK_ASSIGN_OR_RETURN(
      const int64_t rows,
      db.QueryInt(absl::StrCat("SELECT max(rowid) FROM ", table.table)));
  return static_cast<size_t>(rows) < 30 * nodes;
}

absl::StatusOr<Statement> SelectProperties(Database& db,
                                           const PropertyTable& table,
                                           absl::Span<const int64_t> node_ids) {
  const std::string sql = absl::StrCat("SELECT ", table.id_column, ", ",
                                       kColumns, " FROM ", table.table);
  RK_ASSIGN_OR_RETURN(const bool whole, ReadWhole(db, table, node_ids.size()));
  if (whole) return db.Prepare(absl::StrCat(sql, " NOT INDEXED"));
  const SqlFragment condition = Among(table.id_column, node_ids);
  RK_ASSIGN_OR_RETURN(Statement rows, db.Prepare(absl::StrCat(
                                          sql, " WHERE ", condition.text())));
  condition.BindTo(rows);
  return rows;
}

// Finds ids in a list that ascends. Quick for those that come in its order.
class Places {
 public:
  explicit Places(absl::Span<const int64_t> ids) : ids_(ids) {}

  std::optional<size_t> Find(int64_t id) {
    if (!AreUpTo(id, count_)) {
      count_ =
          AreUpTo(id, count_ + 1)
              ? count_ + 1
              : std::upper_bound(ids_.begin(), ids_.end(), id) - ids_.begin();
    }
    if (count_ == 0 || ids_[count_ - 1] != id) return std::nullopt;
    return count_ - 1;
  }

 private:
  // Whether the first `count` ids are those up to `id`.
  bool AreUpTo(int64_t id, size_t count) const {
    return count <= ids_.size() && (count == 0 || ids_[count - 1] <= id) &&
           (count == ids_.size() || id < ids_[count]);
  }

  const absl::Span<const int64_t> ids_;
  size_t count_ = 0;  // of the ids up to the last that was looked for
};

// Adds those of `wanted` that are not in `stored`. In the order of their names:
// maps have none, and files should not depend on that.
absl::Status AddNew(const PropertyMap& stored, const PropertyMap& wanted,
                    bool custom, std::vector<NamedValue>* values) {
  const auto first = static_cast<ptrdiff_t>(values->size());
  for (const auto& [name, value] : wanted) {
    const auto found = stored.find(name);
    if (found != stored.end() && SameValue(found->second, value)) continue;
    RK_RETURN_IF_ERROR(CheckValue(name, value));
    values->push_back({&name, &value, custom});
  }
  std::sort(values->begin() + first, values->end(),
            [](const NamedValue& a, const NamedValue& b) {
              return *a.name < *b.name;
            });
  return absl::OkStatus();
}

// Deletes the stored properties that are not wanted, or not with this value.
absl::Status DeleteOld(Database& db, const PropertyTable& table,
                       int64_t node_id, bool custom, const PropertyMap& stored,
                       const PropertyMap& wanted) {
  for (const auto& [name, value] : stored) {
    const auto found = wanted.find(name);
    if (found != wanted.end() && SameValue(found->second, value)) continue;
    RK_RETURN_IF_ERROR(DeleteOne(db, table, node_id, custom, name));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ReadProperties(Database& db, const PropertyTable& table,
                            absl::Span<const int64_t> node_ids,
                            absl::FunctionRef<Properties(size_t place)> into) {
  if (node_ids.empty()) return absl::OkStatus();
  RK_ASSIGN_OR_RETURN(Statement rows, SelectProperties(db, table, node_ids));
  Places places(node_ids);
  std::optional<size_t> last_place;
  Properties properties = {};
  while (true) {
    RK_ASSIGN_OR_RETURN(const bool more, rows.Step());
    if (!more) return absl::OkStatus();
    const std::optional<size_t> place = places.Find(rows.Int(0));
    if (!place.has_value()) continue;
    if (place != last_place) properties = into(*place);
    last_place = place;
    PropertyMap& map =
        rows.Int(kIsCustom) != 0 ? *properties.custom : *properties.declared;
    RK_RETURN_IF_ERROR(ReadValue(rows, &map[std::string(rows.Text(kName))]));
  }
}

absl::Status WriteProperties(Database& db, const PropertyTable& table,
                             int64_t node_id, const StoredProperties& stored,
                             const StoredProperties& wanted) {
  std::vector<NamedValue> values;
  RK_RETURN_IF_ERROR(
      AddNew(stored.declared, wanted.declared, /*custom=*/false, &values));
  RK_RETURN_IF_ERROR(
      AddNew(stored.custom, wanted.custom, /*custom=*/true, &values));
  RK_RETURN_IF_ERROR(DeleteOld(db, table, node_id, /*custom=*/false,
                               stored.declared, wanted.declared));
  RK_RETURN_IF_ERROR(DeleteOld(db, table, node_id, /*custom=*/true,
                               stored.custom, wanted.custom));
  return Insert(db, table, node_id, values);
}

bool SameProperties(const PropertyMap& a, const PropertyMap& b) {
  if (a.size() != b.size()) return false;
  return std::all_of(a.begin(), a.end(), [&b](const auto& entry) {
    const auto found = b.find(entry.first);
    return found != b.end() && SameValue(entry.second, found->second);
  });
}

}  // namespace rekindle
