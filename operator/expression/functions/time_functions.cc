#include <array>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "operator/expression/functions/function_table.h"
#include "operator/expression/functions/functions.h"
#include "operator/expression/functions/go_time.h"

// expr-lang's functions on times, and the methods of Go's times.
namespace rekindle::argo {
namespace {

using Args = Value::List;
using Method = absl::StatusOr<Value> (*)(const Value& base, const Args& args);

absl::StatusOr<Value> ParseDuration(const Args& args) {
  absl::Duration duration;
  if (!absl::ParseDuration(*args[0].as_string(), &duration)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "'", *args[0].as_string(), "' is no duration such as 1h30m"));
  }
  return Value(duration);
}

absl::StatusOr<Value> Date(const Args& args) {
  const std::string& text = *args[0].as_string();
  if (args.size() == 2) {
    RK_ASSIGN_OR_RETURN(const absl::Time time,
                        ParseGoTime(*args[1].as_string(), text));
    return Value(time);
  }
  for (const char* layout : {"2006-01-02", "15:04:05", "2006-01-02 15:04:05",
                             "2006-01-02T15:04:05Z07:00", "02 Jan 06 15:04 MST",
                             "Mon, 02 Jan 2006 15:04:05 MST"}) {
    if (auto time = ParseGoTime(layout, text); time.ok()) return Value(*time);
  }
  return absl::InvalidArgumentError(absl::StrCat("'", text, "' is no date"));
}

absl::CivilSecond Civil(const Value& base) {
  return absl::ToCivilSecond(*base.as_time(), absl::UTCTimeZone());
}

struct MethodEntry {
  const char* name;
  char base;             // 't' of a time, 'd' of a duration
  const char* argument;  // its letter, or "" for none
  Method call;
};

constexpr auto kMethods = std::to_array<MethodEntry>({
    {"Format", 't', "s",
     [](const Value& t, const Args& a) -> absl::StatusOr<Value> {
       return Value(FormatGoTime(*a[0].as_string(), *t.as_time()));
     }},
    {"Unix", 't', "",
     [](const Value& t, const Args&) -> absl::StatusOr<Value> {
       return Value(absl::ToUnixSeconds(*t.as_time()));
     }},
    {"UnixMilli", 't', "",
     [](const Value& t, const Args&) -> absl::StatusOr<Value> {
       return Value(absl::ToUnixMillis(*t.as_time()));
     }},
    {"UTC", 't', "",
     [](const Value& t, const Args&) -> absl::StatusOr<Value> { return t; }},
    {"Year", 't', "",
     [](const Value& t, const Args&) -> absl::StatusOr<Value> {
       return Value(static_cast<int64_t>(Civil(t).year()));
     }},
    {"Month", 't', "",
     [](const Value& t, const Args&) -> absl::StatusOr<Value> {
       return Value(Civil(t).month());
     }},
    {"Day", 't', "",
     [](const Value& t, const Args&) -> absl::StatusOr<Value> {
       return Value(Civil(t).day());
     }},
    {"Hour", 't', "",
     [](const Value& t, const Args&) -> absl::StatusOr<Value> {
       return Value(Civil(t).hour());
     }},
    {"Minute", 't', "",
     [](const Value& t, const Args&) -> absl::StatusOr<Value> {
       return Value(Civil(t).minute());
     }},
    {"Second", 't', "",
     [](const Value& t, const Args&) -> absl::StatusOr<Value> {
       return Value(Civil(t).second());
     }},
    {"Add", 't', "d",
     [](const Value& t, const Args& a) -> absl::StatusOr<Value> {
       return Value(*t.as_time() + *a[0].as_duration());
     }},
    {"Sub", 't', "t",
     [](const Value& t, const Args& a) -> absl::StatusOr<Value> {
       return Value(*t.as_time() - *a[0].as_time());
     }},
    {"Before", 't', "t",
     [](const Value& t, const Args& a) -> absl::StatusOr<Value> {
       return Value(*t.as_time() < *a[0].as_time());
     }},
    {"After", 't', "t",
     [](const Value& t, const Args& a) -> absl::StatusOr<Value> {
       return Value(*t.as_time() > *a[0].as_time());
     }},
    {"Hours", 'd', "",
     [](const Value& d, const Args&) -> absl::StatusOr<Value> {
       return Value(absl::ToDoubleHours(*d.as_duration()));
     }},
    {"Minutes", 'd', "",
     [](const Value& d, const Args&) -> absl::StatusOr<Value> {
       return Value(absl::ToDoubleMinutes(*d.as_duration()));
     }},
    {"Seconds", 'd', "",
     [](const Value& d, const Args&) -> absl::StatusOr<Value> {
       return Value(absl::ToDoubleSeconds(*d.as_duration()));
     }},
    {"Milliseconds", 'd', "",
     [](const Value& d, const Args&) -> absl::StatusOr<Value> {
       return Value(absl::ToInt64Milliseconds(*d.as_duration()));
     }},
    {"String", 'd', "",
     [](const Value& d, const Args&) -> absl::StatusOr<Value> {
       return Value(ToText(d));
     }},
});

bool Takes(const MethodEntry& method, const Value& base, const Args& args) {
  const bool right_base = method.base == 't' ? base.as_time() != nullptr
                                             : base.as_duration() != nullptr;
  const std::string wanted = method.argument;
  if (!right_base || args.size() != wanted.size()) return false;
  if (wanted.empty()) return true;
  return wanted == "s"   ? args[0].as_string() != nullptr
         : wanted == "t" ? args[0].as_time() != nullptr
                         : args[0].as_duration() != nullptr;
}

}  // namespace

bool IsMethod(const std::string& name) {
  for (const MethodEntry& method : kMethods) {
    if (name == method.name) return true;
  }
  return false;
}

absl::StatusOr<Value> CallMethod(const Value& base, const std::string& name,
                                 const Value::List& arguments) {
  for (const MethodEntry& method : kMethods) {
    if (name == method.name && Takes(method, base, arguments)) {
      return method.call(base, arguments);
    }
  }
  return absl::InvalidArgumentError(absl::StrCat(
      base.kind(), " has no method '", name, "' for what it is given"));
}

void AddTimeFunctions(FunctionTable* table) {
  FunctionTable& add = *table;
  add["now"] = {"", [](const Args&) { return Value(absl::Now()); }};
  add["duration"] = {"s", ParseDuration};
  add["date"] = {"s?s", Date};
}

}  // namespace rekindle::argo
