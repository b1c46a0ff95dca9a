#include <algorithm>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "base/utf8.h"
#include "operator/expression/functions/function_table.h"
#include "operator/expression/ordering.h"

// expr-lang's functions on lists and maps.
namespace rekindle::argo {
namespace {

using Args = Value::List;

absl::StatusOr<Value> Len(const Args& args) {
  if (const auto* text = args[0].as_string()) {
    return Value(static_cast<int64_t>(CountCharacters(*text)));
  }
  if (const auto* list = args[0].as_list()) {
    return Value(static_cast<int64_t>(list->size()));
  }
  if (const auto* map = args[0].as_map()) {
    return Value(static_cast<int64_t>(map->size()));
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "'len' takes a string, an array or a map, not ", args[0].kind()));
}

Value First(const Args& args) {
  const Value::List& list = *args[0].as_list();
  return list.empty() ? Value() : list.front();
}

Value Last(const Args& args) {
  const Value::List& list = *args[0].as_list();
  return list.empty() ? Value() : list.back();
}

Value Get(const Args& args) {
  if (const Value::Map* map = args[0].as_map()) {
    const std::string* key = args[1].as_string();
    const auto found = key == nullptr ? map->end() : map->find(*key);
    return found == map->end() ? Value() : found->second;
  }
  const Value::List* list = args[0].as_list();
  const int64_t* at = args[1].as_int();
  if (list == nullptr || at == nullptr) return Value();
  const int64_t size = static_cast<int64_t>(list->size());
  const int64_t index = *at < 0 ? *at + size : *at;
  return index < 0 || index >= size ? Value() : (*list)[index];
}

absl::StatusOr<Value> Take(const Args& args) {
  const Value::List& list = *args[0].as_list();
  const int64_t count = *args[1].as_int();
  if (count < 0) {
    return absl::InvalidArgumentError("'take' cannot take less than nothing");
  }
  const int64_t most = std::min(static_cast<int64_t>(list.size()), count);
  return Value(Value::List(list.begin(), list.begin() + most));
}

Value Keys(const Args& args) {
  Value::List keys;
  for (const auto& [key, value] : *args[0].as_map()) keys.emplace_back(key);
  return Value(std::move(keys));
}

Value Values(const Args& args) {
  Value::List values;
  for (const auto& [key, value] : *args[0].as_map()) values.push_back(value);
  return Value(std::move(values));
}

Value ToPairs(const Args& args) {
  Value::List pairs;
  for (const auto& [key, value] : *args[0].as_map()) {
    pairs.emplace_back(Value::List{Value(key), value});
  }
  return Value(std::move(pairs));
}

absl::StatusOr<Value> FromPairs(const Args& args) {
  Value::Map map;
  for (const Value& item : *args[0].as_list()) {
    const Value::List* pair = item.as_list();
    if (pair == nullptr || pair->size() != 2) {
      return absl::InvalidArgumentError(
          "'fromPairs' takes an array of [key, value]");
    }
    map[ToText((*pair)[0])] = (*pair)[1];
  }
  return Value(std::move(map));
}

Value Reverse(const Args& args) {
  Value::List list = *args[0].as_list();
  std::reverse(list.begin(), list.end());
  return Value(std::move(list));
}

Value Uniq(const Args& args) {
  Value::List unique;
  for (const Value& item : *args[0].as_list()) {
    if (std::find(unique.begin(), unique.end(), item) == unique.end()) {
      unique.push_back(item);
    }
  }
  return Value(std::move(unique));
}

Value Concat(const Args& args) {
  Value::List all;
  for (const Value& list : args) {
    all.insert(all.end(), list.as_list()->begin(), list.as_list()->end());
  }
  return Value(std::move(all));
}

void FlattenInto(const Value::List& list, Value::List* flat) {
  for (const Value& item : list) {
    if (item.as_list() != nullptr) {
      FlattenInto(*item.as_list(), flat);
    } else {
      flat->push_back(item);
    }
  }
}

Value Flatten(const Args& args) {
  Value::List flat;
  FlattenInto(*args[0].as_list(), &flat);
  return Value(std::move(flat));
}

absl::StatusOr<Value> Sort(const Args& args) {
  const Value::List& list = *args[0].as_list();
  const bool descending = args.size() == 2 && *args[1].as_string() == "desc";
  RK_ASSIGN_OR_RETURN(Value::List sorted, SortByKeys(list, list, descending));
  return Value(std::move(sorted));
}

}  // namespace

void AddListFunctions(FunctionTable* table) {
  FunctionTable& add = *table;
  add["len"] = {"a", Len};
  add["type"] = {"a", [](const Args& a) { return Value(a[0].kind()); }};
  add["first"] = {"l", First};
  add["last"] = {"l", Last};
  add["get"] = {"aa", Get};
  add["take"] = {"li", Take};
  add["keys"] = {"m", Keys};
  add["values"] = {"m", Values};
  add["toPairs"] = {"m", ToPairs};
  add["fromPairs"] = {"l", FromPairs};
  add["reverse"] = {"l", Reverse};
  add["uniq"] = {"l", Uniq};
  add["concat"] = {"ll*", Concat};
  add["flatten"] = {"l", Flatten};
  add["sort"] = {"l?s", Sort};
}

}  // namespace rekindle::argo
