#include "operator/workflow/depends.h"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "operator/expression/value.h"

namespace rekindle::argo {
namespace {

constexpr auto kResults = std::to_array<absl::string_view>(
    {"Succeeded", "Failed", "Errored", "Skipped", "Omitted", "Daemoned",
     "AnySucceeded", "AllFailed"});

bool IsResult(absl::string_view name) {
  return std::find(kResults.begin(), kResults.end(), name) != kResults.end();
}

// A piece of `depends`: a task with or without a result, or what is between.
struct Piece {
  std::string text;    // between tasks
  std::string task;    // empty: `text` counts
  std::string result;  // "Succeeded"; empty: none was given
};

std::vector<Piece> SplitDepends(const std::string& depends) {
  std::vector<Piece> pieces;
  size_t at = 0;
  const auto in_name = [&] {
    return at < depends.size() &&
           (absl::ascii_isalnum(depends[at]) || depends[at] == '-');
  };
  while (at < depends.size()) {
    const size_t start = at;
    if (!absl::ascii_isalnum(depends[at])) {
      while (at < depends.size() && !absl::ascii_isalnum(depends[at])) ++at;
      pieces.push_back({depends.substr(start, at - start), "", ""});
      continue;
    }
    while (in_name()) ++at;
    Piece piece{"", depends.substr(start, at - start), ""};
    if (at + 1 < depends.size() && depends[at] == '.' &&
        absl::ascii_isupper(depends[at + 1])) {
      const size_t result = ++at;
      while (at < depends.size() && absl::ascii_isalpha(depends[at])) ++at;
      piece.result = depends.substr(result, at - result);
    }
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

// `dependencies` as pieces: all of them.
std::vector<Piece> PiecesOf(const Step& task) {
  if (!task.depends.empty()) return SplitDepends(task.depends);
  std::vector<Piece> pieces;
  for (const std::string& name : task.dependencies) {
    if (!pieces.empty()) pieces.push_back({" && ", "", ""});
    pieces.push_back({"", name, ""});
  }
  return pieces;
}

const Step* FindTask(const Dag& dag, const std::string& name) {
  for (const Step& task : dag.tasks) {
    if (task.name == name) return &task;
  }
  return nullptr;
}

// What a task without a result stands for.
std::string AnyGoodEnd(const std::string& variable, const Step* task) {
  std::vector<std::string> ends = {"Succeeded", "Skipped", "Daemoned"};
  if (task != nullptr && task->continue_on.has_value()) {
    if (task->continue_on->error) ends.emplace_back("Errored");
    if (task->continue_on->failed) ends.emplace_back("Failed");
  }
  for (std::string& end : ends) end = absl::StrCat(variable, ".", end);
  return absl::StrCat("(", absl::StrJoin(ends, " || "), ")");
}

size_t AddOnce(const std::string& name, std::vector<std::string>* names) {
  const auto found = std::find(names->begin(), names->end(), name);
  if (found != names->end()) return found - names->begin();
  names->push_back(name);
  return names->size() - 1;
}

Value ToValue(const TaskResult& result) {
  return Value(Value::Map{{"Succeeded", Value(result.succeeded)},
                          {"Failed", Value(result.failed)},
                          {"Errored", Value(result.errored)},
                          {"Skipped", Value(result.skipped)},
                          {"Omitted", Value(result.omitted)},
                          {"Daemoned", Value(result.daemoned)},
                          {"AnySucceeded", Value(result.any_succeeded)},
                          {"AllFailed", Value(result.all_failed)}});
}

}  // namespace

absl::StatusOr<Depends> Depends::Parse(const Step& task, const Dag& dag) {
  std::vector<std::string> tasks;
  std::vector<std::string> item_tasks;
  std::string logic;
  for (const Piece& piece : PiecesOf(task)) {
    if (piece.task.empty()) {
      absl::StrAppend(&logic, piece.text);
      continue;
    }
    if (!piece.result.empty() && !IsResult(piece.result)) {
      return absl::InvalidArgumentError(
          absl::StrCat("a task has no result '", piece.result,
                       "'; there are: ", absl::StrJoin(kResults, ", ")));
    }
    const std::string variable = absl::StrCat("t", AddOnce(piece.task, &tasks));
    if (piece.result == "AnySucceeded" || piece.result == "AllFailed") {
      AddOnce(piece.task, &item_tasks);
    }
    absl::StrAppend(&logic,
                    piece.result.empty()
                        ? AnyGoodEnd(variable, FindTask(dag, piece.task))
                        : absl::StrCat(variable, ".", piece.result));
  }
  absl::StatusOr<Expression> expression =
      Expression::Parse(logic.empty() ? "true" : logic);
  if (!expression.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the condition '", task.depends,
                     "' cannot be read; tasks are joined by "
                     "&&, || and !"));
  }
  Depends depends(*std::move(expression));
  depends.tasks_ = std::move(tasks);
  depends.item_tasks_ = std::move(item_tasks);
  return depends;
}

absl::StatusOr<bool> Depends::Evaluate(
    const std::map<std::string, TaskResult>& results) const {
  Value::Map variables;
  for (size_t i = 0; i < tasks_.size(); ++i) {
    const auto found = results.find(tasks_[i]);
    if (found == results.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("there is no result of task '", tasks_[i], "'"));
    }
    variables[absl::StrCat("t", i)] = ToValue(found->second);
  }
  return logic_.EvaluateBool(variables);
}

std::vector<std::string> DependencyNames(const Step& task) {
  std::vector<std::string> names;
  for (const Piece& piece : PiecesOf(task)) {
    if (!piece.task.empty()) AddOnce(piece.task, &names);
  }
  return names;
}

std::vector<std::string> Ancestors(const Dag& dag, const std::string& name) {
  std::vector<std::string> found;
  std::vector<std::string> waiting = {name};
  while (!waiting.empty()) {
    const Step* task = FindTask(dag, waiting.back());
    waiting.pop_back();
    if (task == nullptr) continue;
    for (const std::string& next : DependencyNames(*task)) {
      if (std::find(found.begin(), found.end(), next) != found.end()) continue;
      found.push_back(next);
      waiting.push_back(next);
    }
  }
  return found;
}

std::string FindCycle(const Dag& dag) {
  std::set<std::string> done;
  std::vector<std::string> path;
  const std::function<bool(const std::string&)> visit =
      [&](const std::string& name) {
        const bool again =
            std::find(path.begin(), path.end(), name) != path.end();
        path.push_back(name);
        if (again) return true;
        const Step* task = FindTask(dag, name);
        if (task != nullptr && !done.contains(name)) {
          for (const std::string& next : DependencyNames(*task)) {
            if (visit(next)) return true;
          }
        }
        done.insert(name);
        path.pop_back();
        return false;
      };
  for (const Step& task : dag.tasks) {
    if (!visit(task.name)) continue;
    path.erase(path.begin(), std::find(path.begin(), path.end(), path.back()));
    return absl::StrJoin(path, " -> ");
  }
  return "";
}

}  // namespace rekindle::argo
