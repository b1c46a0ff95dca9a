#include "metadata/query/filter_to_sql.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "metadata/query/filter_lexer.h"
#include "metadata/query/filter_parser.h"

namespace rekindle {
namespace {

using ExprKind = FilterExpr::Kind;
using Type = FilterType;

// SQLite joins at most 64 tables and nests expressions 1000 deep.
constexpr int kMaxJoins = 50;
constexpr int kMaxTests = 500;

// An operand in SQL, with what is needed to check how it is used.
struct Operand {
  Type type = Type::kNull;
  SqlFragment sql = {};
  const FilterField* field = nullptr;  // if it is one
  std::string neighbour = {};          // of a field of one: its alias in SQL
  std::string enum_name = {};          // a bare word, which may be a value
  size_t position = 0;
};

absl::string_view TypeName(Type type) {
  switch (type) {
    case Type::kNull:
      return "NULL";
    case Type::kBool:
      return "a truth value";
    case Type::kInt:
    case Type::kDouble:
      return "a number";
    case Type::kString:
      return "a string";
    case Type::kEnum:
      return "a name of a state or type";
  }
  return "";
}

bool IsNumber(Type type) { return type == Type::kInt || type == Type::kDouble; }

bool Comparable(const Operand& a, const Operand& b) {
  if (a.type == b.type) return true;
  const bool a_number = IsNumber(a.type) || a.type == Type::kEnum;
  const bool b_number = IsNumber(b.type) || b.type == Type::kEnum;
  return a_number && b_number;
}

absl::string_view TableOf(FilterTarget target) {
  switch (target) {
    case FilterTarget::kArtifact:
      return "Artifact";
    case FilterTarget::kExecution:
      return "Execution";
    case FilterTarget::kContext:
      return "Context";
  }
  return "";
}

const FilterField* FindField(absl::Span<const FilterField> fields,
                             absl::string_view name) {
  const auto* const found =
      std::find_if(fields.begin(), fields.end(), [&](const FilterField& field) {
        return absl::EqualsIgnoreCase(field.name, name);
      });
  return found == fields.end() ? nullptr : found;
}

std::string ListFields(absl::Span<const FilterField> fields) {
  return absl::StrJoin(fields, ", ",
                       [](std::string* out, const FilterField& field) {
                         absl::StrAppend(out, field.name);
                       });
}

class Translator {
 public:
  Translator(absl::string_view text, FilterTarget target)
      : text_(text), target_(target) {}

  absl::StatusOr<SqlFilter> Run(const FilterExpr& filter) {
    RK_ASSIGN_OR_RETURN(sql_.condition, Condition(filter));
    return std::move(sql_);
  }

 private:
  absl::Status Error(size_t position, absl::string_view problem) const {
    return FilterError(text_, position, problem);
  }

  // --- conditions -----------------------------------------------------------

  absl::StatusOr<SqlFragment> Condition(const FilterExpr& expr) {
    RK_ASSIGN_OR_RETURN(const Operand value, Value(expr));
    if (value.type == Type::kBool) return value.sql;
    if (!value.enum_name.empty()) return UnknownName(value);
    return Error(expr.position, absl::StrCat("expected a condition, not ",
                                             TypeName(value.type)));
  }

  // Any expression; conditions are truth values.
  absl::StatusOr<Operand> Value(const FilterExpr& expr) {
    if (expr.kind == ExprKind::kLiteral) return Literal(expr);
    if (expr.kind == ExprKind::kName) return Name(expr);
    if (++tests_ > kMaxTests) {
      return Error(expr.position, absl::StrCat("more than ", kMaxTests,
                                               " conditions in one filter"));
    }
    RK_ASSIGN_OR_RETURN(SqlFragment sql, Test(expr));
    return Operand{
        .type = Type::kBool, .sql = std::move(sql), .position = expr.position};
  }

  absl::StatusOr<SqlFragment> Test(const FilterExpr& expr) {
    switch (expr.kind) {
      case ExprKind::kAnd:
        return Chain(expr, " AND ");
      case ExprKind::kOr:
        return Chain(expr, " OR ");
      case ExprKind::kNot:
        return Not(expr);
      case ExprKind::kCompare:
        return Compare(expr);
      case ExprKind::kIn:
        return In(expr);
      case ExprKind::kLike:
        return Like(expr);
      case ExprKind::kBetween:
        return Between(expr);
      case ExprKind::kIs:
        return Is(expr);
      default:
        return Error(expr.position, "expected a condition");
    }
  }

  absl::StatusOr<SqlFragment> Chain(const FilterExpr& expr,
                                    absl::string_view word) {
    SqlFragment sql("(");
    for (size_t i = 0; i < expr.operands.size(); ++i) {
      RK_ASSIGN_OR_RETURN(const SqlFragment next, Condition(*expr.operands[i]));
      sql.Add(i == 0 ? "" : word).Add(next);
    }
    return sql.Add(")");
  }

  absl::StatusOr<SqlFragment> Not(const FilterExpr& expr) {
    RK_ASSIGN_OR_RETURN(const SqlFragment inner, Condition(*expr.operands[0]));
    return SqlFragment("(NOT ").Add(inner).Add(")");
  }

  absl::StatusOr<SqlFragment> Compare(const FilterExpr& expr) {
    RK_ASSIGN_OR_RETURN(Operand left, Value(*expr.operands[0]));
    RK_ASSIGN_OR_RETURN(Operand right, Value(*expr.operands[1]));
    RK_RETURN_IF_ERROR(ResolveEnum(right, &left));
    RK_RETURN_IF_ERROR(ResolveEnum(left, &right));
    RK_RETURN_IF_ERROR(CheckComparable(left, right));
    const bool ordered = expr.op != "=" && expr.op != "!=";
    if (ordered && (left.type == Type::kEnum || right.type == Type::kEnum)) {
      return Error(expr.position,
                   "states and types have no order; use = or IN");
    }
    SqlFragment sql("(");
    sql.Add(Comparison(left, expr.op, right));
    if (expr.op == "!=") sql.Add(OrUnset(left)).Add(OrUnset(right));
    return sql.Add(")");
  }

  absl::StatusOr<SqlFragment> In(const FilterExpr& expr) {
    RK_ASSIGN_OR_RETURN(const Operand value, Value(*expr.operands[0]));
    if (!value.enum_name.empty()) return UnknownName(value);
    SqlFragment sql("(");
    sql.Add(value.sql).Add(expr.negated ? " NOT IN (" : " IN (");
    for (size_t i = 1; i < expr.operands.size(); ++i) {
      RK_ASSIGN_OR_RETURN(Operand item, Value(*expr.operands[i]));
      RK_RETURN_IF_ERROR(ResolveEnum(value, &item));
      const bool is_null = item.type == Type::kNull && item.enum_name.empty();
      if (!is_null) RK_RETURN_IF_ERROR(CheckComparable(value, item));
      sql.Add(i == 1 ? "" : ", ").Add(item.sql);
    }
    sql.Add(")");
    if (expr.negated) sql.Add(OrUnset(value));
    return sql.Add(")");
  }

  absl::StatusOr<SqlFragment> Like(const FilterExpr& expr) {
    SqlFragment sql("(");
    for (const FilterExprPtr& expr_operand : expr.operands) {
      RK_ASSIGN_OR_RETURN(const Operand operand, Value(*expr_operand));
      if (!operand.enum_name.empty()) return UnknownName(operand);
      if (operand.type != Type::kString) {
        return Error(operand.position,
                     absl::StrCat("LIKE compares strings, not ",
                                  TypeName(operand.type)));
      }
      if (expr_operand != expr.operands.front()) {
        sql.Add(expr.negated ? " NOT LIKE " : " LIKE ");
      }
      sql.Add(operand.sql);
    }
    return sql.Add(")");
  }

  absl::StatusOr<SqlFragment> Between(const FilterExpr& expr) {
    RK_ASSIGN_OR_RETURN(const Operand value, Value(*expr.operands[0]));
    RK_ASSIGN_OR_RETURN(const Operand least, Value(*expr.operands[1]));
    RK_ASSIGN_OR_RETURN(const Operand greatest, Value(*expr.operands[2]));
    RK_RETURN_IF_ERROR(CheckComparable(value, least));
    RK_RETURN_IF_ERROR(CheckComparable(value, greatest));
    return SqlFragment(expr.negated ? "(NOT (" : "((")
        .Add(Comparison(value, ">=", least))
        .Add(" AND ")
        .Add(Comparison(value, "<=", greatest))
        .Add("))");
  }

  absl::StatusOr<SqlFragment> Is(const FilterExpr& expr) {
    RK_ASSIGN_OR_RETURN(const Operand value, Value(*expr.operands[0]));
    if (!value.enum_name.empty()) return UnknownName(value);
    SqlFragment sql("(");
    sql.Add(value.sql).Add(expr.negated ? " IS NOT " : " IS ");
    if (std::holds_alternative<std::monostate>(expr.literal)) {
      return sql.Add("NULL)");
    }
    if (value.type != Type::kBool) {
      return Error(expr.position,
                   absl::StrCat("IS TRUE and IS FALSE need a truth value, not ",
                                TypeName(value.type)));
    }
    return sql.Add(std::get<bool>(expr.literal) ? "TRUE)" : "FALSE)");
  }

  // --- checks ---------------------------------------------------------------

  // `left op right`, where NaN is different from anything, itself included, and
  // neither less nor greater. A stored NaN is text, which SQLite takes for
  // greater than any number and equal to itself. What is not set stays unknown.
  static SqlFragment Comparison(const Operand& left, absl::string_view op,
                                const Operand& right) {
    SqlFragment sql;
    sql.Add(left.sql).Add(absl::StrCat(" ", op, " ")).Add(right.sql);
    if (MayBeNan(left) && MayBeNan(right))
      return UnlessNan(left, op, right, sql);
    if (op[0] == '>' && MayBeNan(left)) sql.Add(" AND NOT ").Add(IsNan(left));
    if (op[0] == '<' && MayBeNan(right)) sql.Add(" AND NOT ").Add(IsNan(right));
    return sql;
  }

  static SqlFragment UnlessNan(const Operand& left, absl::string_view op,
                               const Operand& right, const SqlFragment& sql) {
    return SqlFragment("CASE WHEN ")
        .Add(left.sql)
        .Add(" IS NULL OR ")
        .Add(right.sql)
        .Add(" IS NULL THEN NULL WHEN ")
        .Add(IsNan(left))
        .Add(" OR ")
        .Add(IsNan(right))
        .Add(op == "!=" ? " THEN TRUE ELSE " : " THEN FALSE ELSE ")
        .Add(sql)
        .Add(" END");
  }

  static bool MayBeNan(const Operand& operand) {
    return operand.field != nullptr && operand.type == Type::kDouble;
  }

  static SqlFragment IsNan(const Operand& operand) {
    return SqlFragment("(typeof(").Add(operand.sql).Add(") = 'text')");
  }

  // A state or type that is not set is another one than any that is named. Of a
  // neighbour, that is: not of one that is not there.
  static SqlFragment OrUnset(const Operand& operand) {
    if (operand.field == nullptr || operand.type != Type::kEnum) return {};
    SqlFragment sql(" OR (");
    sql.Add(operand.sql).Add(" IS NULL");
    if (!operand.neighbour.empty()) {
      sql.Add(absl::StrCat(" AND ", operand.neighbour, ".node IS NOT NULL"));
    }
    return sql.Add(")");
  }

  // Gives a bare word its number, if it stands beside a field that knows it.
  absl::Status ResolveEnum(const Operand& beside, Operand* word) const {
    if (word->enum_name.empty() || beside.type != Type::kEnum) {
      return absl::OkStatus();
    }
    const auto* values = beside.field->values();
    const auto* value = values->FindValueByName(word->enum_name);
    if (value == nullptr) {
      return Error(word->position,
                   absl::StrCat("no such value; one of: ", Names(*values)));
    }
    word->type = Type::kInt;
    word->enum_name.clear();
    word->sql = SqlFragment().AddValue(static_cast<int64_t>(value->number()));
    return absl::OkStatus();
  }

  static std::string Names(const google::protobuf::EnumDescriptor& values) {
    std::vector<std::string> names;
    names.reserve(values.value_count());
    for (int i = 0; i < values.value_count(); ++i) {
      names.push_back(values.value(i)->name());
    }
    return absl::StrJoin(names, ", ");
  }

  absl::Status CheckComparable(const Operand& a, const Operand& b) const {
    if (!a.enum_name.empty()) return UnknownName(a);
    if (!b.enum_name.empty()) return UnknownName(b);
    if (a.type == Type::kNull || b.type == Type::kNull) {
      return Error(b.position, "NULL equals nothing; use IS NULL");
    }
    if (Comparable(a, b)) return absl::OkStatus();
    return Error(b.position, absl::StrCat("cannot compare ", TypeName(a.type),
                                          " with ", TypeName(b.type)));
  }

  // --- operands -------------------------------------------------------------

  static Operand Literal(const FilterExpr& expr) {
    Operand operand = {.position = expr.position};
    std::visit(
        [&](const auto& value) {
          using T = std::decay_t<decltype(value)>;
          if constexpr (std::is_same_v<T, std::monostate>) {
            operand.sql.Add("NULL");
          } else if constexpr (std::is_same_v<T, bool>) {
            operand.type = Type::kBool;
            operand.sql.Add(value ? "TRUE" : "FALSE");
          } else {
            operand.type = std::is_same_v<T, int64_t>  ? Type::kInt
                           : std::is_same_v<T, double> ? Type::kDouble
                                                       : Type::kString;
            operand.sql.AddValue(value);
          }
        },
        expr.literal);
    return operand;
  }

  absl::StatusOr<Operand> Name(const FilterExpr& expr) {
    const std::vector<std::string>& name = expr.name;
    if (name.size() == 1) return OwnField(expr);
    if (absl::EqualsIgnoreCase(name[0], "properties") ||
        absl::EqualsIgnoreCase(name[0], "custom_properties")) {
      return Property(expr);
    }
    for (const FilterNeighbour& neighbour : NeighboursOf(target_)) {
      if (absl::StartsWithIgnoreCase(name[0], neighbour.prefix) &&
          name[0].size() > neighbour.prefix.size()) {
        return NeighbourField(expr, neighbour);
      }
    }
    return Error(expr.position,
                 absl::StrCat("unknown name '", absl::StrJoin(name, "."), "'"));
  }

  absl::StatusOr<Operand> OwnField(const FilterExpr& expr) {
    const FilterField* field = FindField(NodeFields(target_), expr.name[0]);
    if (field == nullptr) {
      // Maybe the name of a state: what it is compared with will tell.
      return Operand{.enum_name = expr.name[0], .position = expr.position};
    }
    if (field->column != "type_name") return Column(expr, *field, "n");
    RK_ASSIGN_OR_RETURN(const std::string alias, TypeAlias(expr.position));
    Operand operand = Column(expr, *field, alias);
    operand.sql = SqlFragment(absl::StrCat(alias, ".name"));
    return operand;
  }

  absl::Status UnknownName(const Operand& word) const {
    return Error(word.position, absl::StrCat("unknown name '", word.enum_name,
                                             "'; ", TableOf(target_), " has: ",
                                             ListFields(NodeFields(target_))));
  }

  absl::StatusOr<Operand> NeighbourField(const FilterExpr& expr,
                                         const FilterNeighbour& neighbour) {
    const FilterField* field = expr.name.size() == 2
                                   ? FindField(neighbour.fields, expr.name[1])
                                   : nullptr;
    if (field == nullptr) {
      return Error(expr.position,
                   absl::StrCat("'", absl::StrJoin(expr.name, "."),
                                "' is not a field; ", neighbour.prefix,
                                "<alias> has: ", ListFields(neighbour.fields)));
    }
    RK_ASSIGN_OR_RETURN(
        const std::string alias,
        Join(absl::AsciiStrToLower(expr.name[0]), expr.position,
             SqlFragment("(").Add(neighbour.sql).Add(")"),
             [](const std::string& joined) {
               return SqlFragment(absl::StrCat(joined, ".node = n.id"));
             }));
    sql_.repeats = true;
    Operand operand = Column(expr, *field, alias);
    operand.neighbour = alias;
    return operand;
  }

  absl::StatusOr<Operand> Property(const FilterExpr& expr) {
    const std::vector<std::string>& name = expr.name;
    const FilterField* field =
        name.size() == 3 ? FindField(PropertyFields(), name[2]) : nullptr;
    if (field == nullptr) {
      return Error(expr.position,
                   absl::StrCat("a property is written ", name[0],
                                ".<name>.<kind>, with the kind one of: ",
                                ListFields(PropertyFields()),
                                "; put odd names in backquotes"));
    }
    const int64_t custom =
        absl::EqualsIgnoreCase(name[0], "custom_properties") ? 1 : 0;
    const absl::string_view table = TableOf(target_);
    RK_ASSIGN_OR_RETURN(
        const std::string alias,
        Join(absl::StrCat("property ", custom, " ", name[1]), expr.position,
             SqlFragment(absl::StrCat(table, "Property")),
             [&](const std::string& joined) {
               return SqlFragment(absl::StrCat(
                                      joined, ".", absl::AsciiStrToLower(table),
                                      "_id = n.id AND ", joined, ".name = "))
                   .AddValue(name[1])
                   .Add(absl::StrCat(" AND ", joined, ".is_custom_property = "))
                   .AddValue(custom);
             }));
    return Column(expr, *field, alias);
  }

  static Operand Column(const FilterExpr& expr, const FilterField& field,
                        absl::string_view alias) {
    return {.type = field.type,
            .sql = SqlFragment(absl::StrCat(alias, ".", field.column)),
            .field = &field,
            .position = expr.position};
  }

  // --- joins ----------------------------------------------------------------

  absl::StatusOr<std::string> TypeAlias(size_t position) {
    return Join("type", position, SqlFragment("Type"),
                [](const std::string& joined) {
                  return SqlFragment(absl::StrCat(joined, ".id = n.type_id"));
                });
  }

  // The name under which `table` is joined for `key`, joining it the first
  // time. A left join: a node without neighbours or property must not vanish
  // from the other side of an OR.
  template <typename On>
  absl::StatusOr<std::string> Join(const std::string& key, size_t position,
                                   const SqlFragment& table, On on) {
    const auto [entry, added] =
        joins_.try_emplace(key, absl::StrCat("j", joins_.size()));
    if (!added) return entry->second;
    if (joins_.size() > kMaxJoins) {
      return Error(position,
                   absl::StrCat("more than ", kMaxJoins,
                                " neighbours and properties in one filter"));
    }
    sql_.joins.Add(" LEFT JOIN ")
        .Add(table)
        .Add(absl::StrCat(" ", entry->second, " ON "))
        .Add(on(entry->second));
    return entry->second;
  }

  absl::string_view text_;
  FilterTarget target_;
  SqlFilter sql_;
  std::map<std::string, std::string> joins_;
  int tests_ = 0;
};

}  // namespace

absl::StatusOr<SqlFilter> FilterToSql(absl::string_view filter,
                                      FilterTarget target) {
  RK_ASSIGN_OR_RETURN(const FilterExprPtr parsed, ParseFilter(filter));
  return FilterToSql(*parsed, filter, target);
}

absl::StatusOr<SqlFilter> FilterToSql(const FilterExpr& filter,
                                      absl::string_view text,
                                      FilterTarget target) {
  return Translator(text, target).Run(filter);
}

}  // namespace rekindle
