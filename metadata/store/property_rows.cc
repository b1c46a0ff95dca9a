#include "metadata/store/property_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include <google/protobuf/util/message_differencer.h>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"

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

// The columns of a value, from `first` on: int, double, string, proto, bool.
absl::Status ReadValue(const Statement& row, int first, Value* value) {
  if (!row.IsNull(first)) {
    value->set_int_value(row.Int(first));
  } else if (!row.IsNull(first + 1)) {
    value->set_double_value(row.IsText(first + 1)
                                ? std::numeric_limits<double>::quiet_NaN()
                                : row.Double(first + 1));
  } else if (!row.IsNull(first + 2)) {
    ReadText(row.Text(first + 2), value);
  } else if (!row.IsNull(first + 3)) {
    if (!ParseBase64(row.Text(first + 3), value->mutable_proto_value())) {
      return absl::DataLossError(absl::StrCat(
          "property '", row.Text(1), "' does not hold a readable proto"));
    }
  } else if (!row.IsNull(first + 4)) {
    value->set_bool_value(row.Int(first + 4) != 0);
  }
  return absl::OkStatus();
}

// Binds int, double, string, proto, bool: one of them, the others NULL.
void BindValue(const Value& value, Statement& statement) {
  std::optional<int64_t> integer;
  std::optional<double> real;
  std::optional<std::string> text;
  std::optional<std::string> proto;
  std::optional<bool> boolean;
  switch (value.value_case()) {
    case Value::kIntValue:
      integer = value.int_value();
      break;
    case Value::kDoubleValue:
      real = value.double_value();
      break;
    case Value::kStringValue:
      text = value.string_value();
      break;
    case Value::kStructValue:
      text = absl::StrCat(
          kStructPrefix,
          absl::Base64Escape(value.struct_value().SerializeAsString()));
      break;
    case Value::kProtoValue:
      proto = absl::Base64Escape(value.proto_value().SerializeAsString());
      break;
    case Value::kBoolValue:
      boolean = value.bool_value();
      break;
    case Value::VALUE_NOT_SET:
      break;
  }
  statement.Bind(integer);
  if (real.has_value() && std::isnan(*real)) {
    statement.Bind(kNan);
  } else {
    statement.Bind(real);
  }
  statement.Bind(text, proto, boolean);
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

absl::Status WriteOne(Database& db, const PropertyTable& table, int64_t node_id,
                      bool custom, const std::string& name,
                      const Value& value) {
  RK_RETURN_IF_ERROR(CheckValue(name, value));
  RK_ASSIGN_OR_RETURN(
      Statement write,
      db.Prepare(absl::StrCat("INSERT OR REPLACE INTO ", table.table, " (",
                              table.id_column,
                              ", name, is_custom_property, int_value, "
                              "double_value, string_value, proto_value, "
                              "bool_value) VALUES (?, ?, ?, ?, ?, ?, ?, ?)")));
  write.Bind(node_id, name, custom);
  BindValue(value, write);
  return write.Run();
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

// Ways to read the properties of nodes.
enum class Reading {
  kOne,    // a node
  kSome,   // those in a JSON list, found one by one
  kWhole,  // all there are, in the order of the file
};

// The whole table costs a tenth a row of what finding a row costs.
absl::StatusOr<Reading> ChooseReading(Database& db, const PropertyTable& table,
                                      size_t nodes) {
  constexpr size_t kFew = 1000;
  if (nodes == 1) return Reading::kOne;
  if (nodes < kFew) return Reading::kSome;
  RK_ASSIGN_OR_RETURN(
      const int64_t rows,
      db.QueryInt(absl::StrCat("SELECT max(rowid) FROM ", table.table)));
  return static_cast<size_t>(rows) < 10 * nodes ? Reading::kWhole
                                                : Reading::kSome;
}

absl::string_view Condition(Reading reading) {
  switch (reading) {
    case Reading::kOne:
      return " = ?";
    case Reading::kSome:
      return " IN (SELECT value FROM json_each(?))";
    case Reading::kWhole:
      return " IS NOT NULL";
  }
  return "";
}

absl::StatusOr<Statement> SelectProperties(Database& db,
                                           const PropertyTable& table,
                                           absl::Span<const int64_t> node_ids) {
  RK_ASSIGN_OR_RETURN(const Reading reading,
                      ChooseReading(db, table, node_ids.size()));
  RK_ASSIGN_OR_RETURN(
      Statement rows,
      db.Prepare(absl::StrCat(
          "SELECT ", table.id_column,
          ", name, is_custom_property, int_value, double_value, string_value, "
          "proto_value, bool_value FROM ",
          table.table, reading == Reading::kWhole ? " NOT INDEXED" : "",
          " WHERE ", table.id_column, Condition(reading))));
  if (reading == Reading::kOne) rows.Bind(node_ids.front());
  if (reading == Reading::kSome) {
    rows.Bind(absl::StrCat("[", absl::StrJoin(node_ids, ","), "]"));
  }
  return rows;
}

// Finds ids in a list that ascends. Quick for those that come in its order.
class Places {
 public:
  explicit Places(absl::Span<const int64_t> ids) : ids_(ids) {}

  std::optional<size_t> Find(int64_t id) {
    for (const size_t near : {last_, last_ + 1}) {
      if (near < ids_.size() && ids_[near] == id) return last_ = near;
    }
    const auto found = std::lower_bound(ids_.begin(), ids_.end(), id);
    if (found == ids_.end() || *found != id) return std::nullopt;
    return last_ = found - ids_.begin();
  }

 private:
  const absl::Span<const int64_t> ids_;
  size_t last_ = 0;
};

// Maps have no order; files should not depend on that.
std::vector<std::string> SortedNames(const PropertyMap& properties) {
  std::vector<std::string> names;
  names.reserve(properties.size());
  for (const auto& [name, value] : properties) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

absl::Status ReadProperties(Database& db, const PropertyTable& table,
                            absl::Span<const int64_t> node_ids,
                            absl::FunctionRef<Properties(size_t place)> into) {
  if (node_ids.empty()) return absl::OkStatus();
  RK_ASSIGN_OR_RETURN(Statement rows, SelectProperties(db, table, node_ids));
  Places places(node_ids);
  while (true) {
    RK_ASSIGN_OR_RETURN(const bool more, rows.Step());
    if (!more) return absl::OkStatus();
    const std::optional<size_t> place = places.Find(rows.Int(0));
    if (!place.has_value()) continue;
    const Properties properties = into(*place);
    PropertyMap& map = rows.Int(2) != 0 ? *properties.custom  //
                                        : *properties.declared;
    RK_RETURN_IF_ERROR(ReadValue(rows, 3, &map[std::string(rows.Text(1))]));
  }
}

absl::Status WriteProperties(Database& db, const PropertyTable& table,
                             int64_t node_id, bool custom,
                             const PropertyMap& stored,
                             const PropertyMap& wanted) {
  for (const std::string& name : SortedNames(stored)) {
    if (wanted.contains(name)) continue;
    RK_RETURN_IF_ERROR(DeleteOne(db, table, node_id, custom, name));
  }
  for (const std::string& name : SortedNames(wanted)) {
    const Value& value = wanted.at(name);
    const auto found = stored.find(name);
    if (found != stored.end() && SameValue(found->second, value)) continue;
    RK_RETURN_IF_ERROR(WriteOne(db, table, node_id, custom, name, value));
  }
  return absl::OkStatus();
}

bool SameProperties(const PropertyMap& a, const PropertyMap& b) {
  if (a.size() != b.size()) return false;
  return std::all_of(a.begin(), a.end(), [&b](const auto& entry) {
    const auto found = b.find(entry.first);
    return found != b.end() && SameValue(entry.second, found->second);
  });
}

}  // namespace rekindle
