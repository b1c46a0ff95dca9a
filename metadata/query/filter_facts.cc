#include "metadata/query/filter_facts.h"

#include <variant>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "ml_metadata/proto/metadata_store.pb.h"

namespace rekindle {
namespace {

using ExprKind = FilterExpr::Kind;
using ::ml_metadata::Artifact;

constexpr absl::string_view kContexts = "contexts_";

// Sets `fact` if the expression is a literal of its kind.
template <typename T>
void Note(const FilterExpr& value, std::optional<T>& fact) {
  if (value.kind != ExprKind::kLiteral) return;
  if (const T* literal = std::get_if<T>(&value.literal)) fact = *literal;
}

void NoteState(const FilterExpr& value, std::optional<int64_t>& fact) {
  Note(value, fact);
  Artifact::State state;
  if (value.kind == ExprKind::kName && value.name.size() == 1 &&
      Artifact::State_Parse(value.name[0], &state)) {
    fact = state;
  }
}

void NoteOwn(const std::string& field, const FilterExpr& value,
             ArtifactFacts& facts) {
  if (field == "type_id") Note(value, facts.type_id);
  if (field == "type") Note(value, facts.type);
  if (field == "state") NoteState(value, facts.state);
}

void NoteContext(const std::string& field, const FilterExpr& value,
                 ArtifactFacts::Context& facts) {
  if (field == "id") Note(value, facts.id);
  if (field == "type") Note(value, facts.type);
  if (field == "name") Note(value, facts.name);
}

void NoteEquality(const FilterExpr& left, const FilterExpr& right,
                  ArtifactFacts& facts) {
  if (left.kind != ExprKind::kName) return;
  const std::string first = absl::AsciiStrToLower(left.name[0]);
  if (left.name.size() == 1) {
    NoteOwn(first, right, facts);
  } else if (left.name.size() == 2 && absl::StartsWith(first, kContexts)) {
    NoteContext(absl::AsciiStrToLower(left.name[1]), right,
                facts.contexts[first]);
  }
}

void NoteAll(const FilterExpr& expr, ArtifactFacts& facts) {
  if (expr.kind == ExprKind::kAnd) {
    for (const FilterExprPtr& part : expr.operands) NoteAll(*part, facts);
  } else if (expr.kind == ExprKind::kCompare && expr.op == "=") {
    NoteEquality(*expr.operands[0], *expr.operands[1], facts);
  }
}

}  // namespace

ArtifactFacts FactsOf(const FilterExpr& filter) {
  ArtifactFacts facts;
  NoteAll(filter, facts);
  return facts;
}

}  // namespace rekindle
