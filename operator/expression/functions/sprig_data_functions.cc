#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "base/uuid.h"
#include "operator/expression/functions/function_table.h"
#include "operator/expression/functions/go_time.h"

// sprig's functions on numbers, lists, maps and times.
namespace rekindle::argo {
namespace {

using Args = Value::List;

// sprig reads numbers out of strings and bools, and takes 0 where there is
// none.
double Number(const Value& value) {
  if (value.is_number()) return value.number();
  if (const bool* b = value.as_bool()) return *b ? 1 : 0;
  double number = 0;
  if (const std::string* text = value.as_string()) {
    if (!absl::SimpleAtod(*text, &number)) return 0;
  }
  return number;
}

int64_t Whole(const Value& value) {
  if (const int64_t* whole = value.as_int()) return *whole;
  const double number = Number(value);
  return std::fabs(number) < 9.2e18 ? static_cast<int64_t>(number) : 0;
}

bool IsEmpty(const Value& value) {
  if (const bool* b = value.as_bool()) return !*b;
  if (const std::string* text = value.as_string()) return text->empty();
  if (const Value::List* list = value.as_list()) return list->empty();
  if (const Value::Map* map = value.as_map()) return map->empty();
  return value.is_nil() || (value.is_number() && value.number() == 0);
}

template <typename Combine>
Value Fold(const Args& args, Combine combine) {
  uint64_t total = static_cast<uint64_t>(Whole(args[0]));
  for (size_t i = 1; i < args.size(); ++i) {
    total = combine(total, static_cast<uint64_t>(Whole(args[i])));
  }
  return Value(static_cast<int64_t>(total));
}

absl::StatusOr<Value> Divide(const Args& args, bool remainder) {
  const int64_t by = Whole(args[1]);
  const int64_t from = Whole(args[0]);
  if (by == 0) return absl::InvalidArgumentError("a division by zero");
  if (by == -1)
    return remainder ? Value(0) : Fold({Value(0), args[0]}, std::minus<>());
  return Value(remainder ? from % by : from / by);
}

Value Extreme(const Args& args, bool greatest) {
  int64_t best = Whole(args[0]);
  for (const Value& arg : args) {
    best = greatest ? std::max(best, Whole(arg)) : std::min(best, Whole(arg));
  }
  return Value(best);
}

Value Round(const Args& args) {
  const double factor = std::pow(10, Whole(args[1]));
  return Value(std::round(Number(args[0]) * factor) / factor);
}

absl::StatusOr<Value> Count(int64_t from, int64_t to, int64_t step) {
  static constexpr int64_t kMost = 100'000;
  Value::List list;
  if (step == 0) return Value(std::move(list));
  for (int64_t i = from; step > 0 ? i < to : i > to; i += step) {
    if (static_cast<int64_t>(list.size()) == kMost) {
      return absl::InvalidArgumentError("a sequence of over 100000 numbers");
    }
    list.emplace_back(i);
  }
  return Value(std::move(list));
}

Value Part(const Args& args, int64_t from, int64_t without_end) {
  const Value::List& list = *args[0].as_list();
  const int64_t size = static_cast<int64_t>(list.size());
  const int64_t start = std::min(from, size);
  const int64_t end = size - std::min(without_end, size);
  return end <= start
             ? Value(Value::List())
             : Value(Value::List(list.begin() + start, list.begin() + end));
}

Value Dict(const Args& args) {
  Value::Map map;
  for (size_t i = 0; i < args.size(); i += 2) {
    map[ToText(args[i])] = i + 1 < args.size() ? args[i + 1] : Value("");
  }
  return Value(std::move(map));
}

Value Chosen(const Args& args, bool keep) {
  Value::Map map = *args[0].as_map();
  std::erase_if(map, [&](const auto& entry) {
    const bool named = std::find(args.begin() + 1, args.end(),
                                 Value(entry.first)) != args.end();
    return named != keep;
  });
  return Value(std::move(map));
}

Value Has(const Args& args) {
  const Value::List* list = args[1].as_list();
  return Value(list != nullptr &&
               std::find(list->begin(), list->end(), args[0]) != list->end());
}

Value Without(const Args& args) {
  Value::List list = *args[0].as_list();
  std::erase_if(list, [&](const Value& item) {
    return std::find(args.begin() + 1, args.end(), item) != args.end();
  });
  return Value(std::move(list));
}

Value Appended(const Args& args, bool at_end) {
  Value::List list = *args[0].as_list();
  list.insert(at_end ? list.end() : list.begin(), args[1]);
  return Value(std::move(list));
}

absl::Time TimeOf(const Value& value) {
  if (const absl::Time* time = value.as_time()) return *time;
  return value.is_number() ? absl::FromUnixSeconds(Whole(value)) : absl::Now();
}

Value FirstNotEmpty(const Args& args) {
  for (const Value& arg : args) {
    if (!IsEmpty(arg)) return arg;
  }
  return Value();
}

absl::StatusOr<Value> Ternary(const Args& args) {
  if (args[2].as_bool() == nullptr) {
    return absl::InvalidArgumentError("'sprig.ternary' takes a bool last");
  }
  return *args[2].as_bool() ? args[0] : args[1];
}

void AddNumbers(FunctionTable* table) {
  FunctionTable& add = *table;
  add["sprig.add"] = {"a*", [](const Args& a) {
                        return a.empty() ? Value(0) : Fold(a, std::plus<>());
                      }};
  add["sprig.add1"] = {"a", [](const Args& a) {
                         return Fold({a[0], Value(1)}, std::plus<>());
                       }};
  add["sprig.sub"] = {"aa",
                      [](const Args& a) { return Fold(a, std::minus<>()); }};
  add["sprig.mul"] = {
      "aa*", [](const Args& a) { return Fold(a, std::multiplies<>()); }};
  add["sprig.div"] = {"aa", [](const Args& a) { return Divide(a, false); }};
  add["sprig.mod"] = {"aa", [](const Args& a) { return Divide(a, true); }};
  add["sprig.max"] = {"aa*", [](const Args& a) { return Extreme(a, true); }};
  add["sprig.min"] = {"aa*", [](const Args& a) { return Extreme(a, false); }};
  add["sprig.ceil"] = {"a",
                       [](const Args& a) { return std::ceil(Number(a[0])); }};
  add["sprig.floor"] = {"a",
                        [](const Args& a) { return std::floor(Number(a[0])); }};
  add["sprig.round"] = {"aa", Round};
  for (const char* name : {"sprig.int", "sprig.int64", "sprig.atoi"}) {
    add[name] = {"a", [](const Args& a) { return Whole(a[0]); }};
  }
  add["sprig.float64"] = {"a", [](const Args& a) { return Number(a[0]); }};
  add["sprig.toString"] = {"a", [](const Args& a) { return ToText(a[0]); }};
  add["sprig.until"] = {"i", [](const Args& a) {
                          const int64_t end = *a[0].as_int();
                          return Count(0, end, end < 0 ? -1 : 1);
                        }};
  add["sprig.untilStep"] = {"iii", [](const Args& a) {
                              return Count(*a[0].as_int(), *a[1].as_int(),
                                           *a[2].as_int());
                            }};
}

void AddCollections(FunctionTable* table) {
  FunctionTable& add = *table;
  add["sprig.list"] = {"a*", [](const Args& a) { return Value(a); }};
  add["sprig.first"] = add["first"];
  add["sprig.last"] = add["last"];
  add["sprig.rest"] = {"l", [](const Args& a) { return Part(a, 1, 0); }};
  add["sprig.initial"] = {"l", [](const Args& a) { return Part(a, 0, 1); }};
  add["sprig.append"] = {"la", [](const Args& a) { return Appended(a, true); }};
  add["sprig.prepend"] = {"la",
                          [](const Args& a) { return Appended(a, false); }};
  add["sprig.concat"] = add["concat"];
  add["sprig.has"] = {"aa", Has};
  add["sprig.without"] = {"la*", Without};
  add["sprig.uniq"] = add["uniq"];
  add["sprig.reverse"] = add["reverse"];
  add["sprig.dict"] = {"a*", Dict};
  add["sprig.get"] = {
      "ms", [](const Args& a) {
        const auto found = a[0].as_map()->find(*a[1].as_string());
        return found == a[0].as_map()->end() ? Value("") : found->second;
      }};
  add["sprig.hasKey"] = {
      "ms", [](const Args& a) {
        return Value(a[0].as_map()->contains(*a[1].as_string()));
      }};
  add["sprig.keys"] = add["keys"];
  add["sprig.values"] = add["values"];
  add["sprig.pick"] = {"ms*", [](const Args& a) { return Chosen(a, true); }};
  add["sprig.omit"] = {"ms*", [](const Args& a) { return Chosen(a, false); }};
}

void AddOthers(FunctionTable* table) {
  FunctionTable& add = *table;
  add["sprig.default"] = {"a?a", [](const Args& a) {
                            return a.size() == 1 || IsEmpty(a[1]) ? a[0] : a[1];
                          }};
  add["sprig.empty"] = {"a", [](const Args& a) { return IsEmpty(a[0]); }};
  add["sprig.coalesce"] = {"a*", FirstNotEmpty};
  add["sprig.ternary"] = {"aaa", Ternary};
  add["sprig.fail"] = {"s", [](const Args& a) -> absl::StatusOr<Value> {
                         return absl::InvalidArgumentError(*a[0].as_string());
                       }};
  add["sprig.now"] = add["now"];
  add["sprig.date"] = {"sa", [](const Args& a) {
                         return FormatGoTime(*a[0].as_string(), TimeOf(a[1]));
                       }};
  add["sprig.toDate"] = {
      "ss", [](const Args& a) -> absl::StatusOr<Value> {
        RK_ASSIGN_OR_RETURN(const absl::Time time,
                            ParseGoTime(*a[0].as_string(), *a[1].as_string()));
        return Value(time);
      }};
  add["sprig.unixEpoch"] = {
      "t", [](const Args& a) {
        return absl::StrCat(absl::ToUnixSeconds(*a[0].as_time()));
      }};
  add["sprig.uuidv4"] = {"", [](const Args&) { return RandomUuid(); }};
}

}  // namespace

void AddSprigDataFunctions(FunctionTable* table) {
  AddNumbers(table);
  AddCollections(table);
  AddOthers(table);
}

}  // namespace rekindle::argo
