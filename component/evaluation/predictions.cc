#include "component/evaluation/predictions.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/nearest_name.h"
#include "base/status_macros.h"

namespace rekindle {
namespace {

using ::tensorflow::Tensor;

// Under these names models answer what is to be measured, the most telling
// first.
constexpr const char* kUsualKeys[] = {"scores", "logistic", "probabilities",
                                      "predictions", "logits"};
// Names of the classes, one row for each example.
constexpr char kClassesKey[] = "classes";
// How far the sum of a row of probabilities may be from 1.
constexpr float kSumTolerance = 1e-3F;

bool IsFloat(const Tensor& tensor) {
  return tensor.dtype() == tensorflow::DT_FLOAT;
}

std::vector<std::string> FloatKeys(const NamedTensors& answers) {
  std::vector<std::string> keys;
  for (const auto& [key, tensor] : answers) {
    if (IsFloat(tensor)) keys.push_back(key);
  }
  return keys;
}

absl::Status CheckNamed(const std::string& key, const NamedTensors& answers) {
  const auto found = answers.find(key);
  if (found != answers.end() && IsFloat(found->second)) {
    return absl::OkStatus();
  }
  const std::optional<std::string> nearest =
      NearestName(key, FloatKeys(answers));
  return absl::InvalidArgumentError(absl::StrCat(
      "the model answers no float numbers under '", key, "'; ",
      nearest.has_value()
          ? absl::StrCat("did you mean '", *nearest, "'?")
          : absl::StrCat("it does under: ",
                         absl::StrJoin(FloatKeys(answers), ", "))));
}

absl::StatusOr<std::string> FindKey(const std::string& named,
                                    const NamedTensors& answers) {
  if (!named.empty()) {
    RK_RETURN_IF_ERROR(CheckNamed(named, answers));
    return named;
  }
  for (const char* usual : kUsualKeys) {
    const auto found = answers.find(usual);
    if (found != answers.end() && IsFloat(found->second)) return usual;
  }
  const std::vector<std::string> keys = FloatKeys(answers);
  if (keys.size() == 1) return keys.front();
  return absl::InvalidArgumentError(
      keys.empty()
          ? "the model answers no float numbers: there is nothing to "
            "measure"
          : absl::StrCat("the model answers under ", absl::StrJoin(keys, ", "),
                         "; --prediction-key says which to measure"));
}

// Columns of a tensor with a row for each example.
absl::StatusOr<int64_t> ColumnsOf(const std::string& key, const Tensor& tensor,
                                  int64_t rows) {
  const bool is_list = tensor.dims() == 1;
  const bool is_table = tensor.dims() == 2;
  if ((is_list || is_table) && tensor.dim_size(0) == rows) {
    return is_list ? 1 : tensor.dim_size(1);
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "the model answers ", tensor.shape().DebugString(), " under '", key,
      "', expected one row for each of ", rows, " examples"));
}

bool IsProbability(float value) { return value >= 0 && value <= 1; }

// Whether all rows could be of probabilities.
bool AreProbabilities(const Tensor& tensor, int64_t columns) {
  const auto values = tensor.flat<float>();
  for (int64_t row = 0; row < values.size(); row += columns) {
    float sum = 0;
    for (int64_t i = row; i < row + columns; ++i) {
      if (!IsProbability(values(i))) return false;
      sum += values(i);
    }
    if (columns > 1 && std::abs(sum - 1) > kSumTolerance) return false;
  }
  return true;
}

bool IsBinary(const FeatureValue& label) {
  return std::holds_alternative<std::string>(label) || HasText(label, "0") ||
         HasText(label, "1");
}

// One column is a regression's where it is called so, or where the labels are
// other numbers than 0 and 1.
bool LooksLikeRegression(const std::string& key, int64_t columns,
                         const std::vector<FeatureValue>& labels) {
  if (columns != 1) return false;
  return key == "predictions" ||
         !std::all_of(labels.begin(), labels.end(), IsBinary);
}

PredictionKind KindOf(const std::string& key, const Tensor& tensor,
                      int64_t columns,
                      const std::vector<FeatureValue>& labels) {
  if (LooksLikeRegression(key, columns, labels)) return PredictionKind::kValues;
  return AreProbabilities(tensor, columns) ? PredictionKind::kProbabilities
                                           : PredictionKind::kLogits;
}

// The classes of the first example, which are those of all.
std::vector<std::string> ClassesIn(const NamedTensors& answers,
                                   int64_t columns) {
  const auto found = answers.find(kClassesKey);
  if (found == answers.end() || columns < 2 ||
      found->second.dtype() != tensorflow::DT_STRING ||
      found->second.dims() != 2 || found->second.dim_size(1) != columns) {
    return {};
  }
  const auto names = found->second.flat<tensorflow::tstring>();
  return {names.data(), names.data() + columns};
}

absl::Status NotAProbability(const PredictionForm& form, float value) {
  return absl::InvalidArgumentError(
      absl::StrCat("the model answers ", value, " under '", form.key,
                   "', which is no probability; --prediction-kind=logits or "
                   "--prediction-kind=values says what it is"));
}

// Probabilities as they are, checked. NaN is let through: the metrics show it.
absl::Status CheckProbabilities(const PredictionForm& form, const Tensor& all) {
  const auto values = all.flat<float>();
  for (int64_t i = 0; i < values.size(); ++i) {
    if (!IsProbability(values(i)) && !std::isnan(values(i))) {
      return NotAProbability(form, values(i));
    }
  }
  return absl::OkStatus();
}

void Softmax(float* row, int64_t columns) {
  const float highest = *std::max_element(row, row + columns);
  float sum = 0;
  for (int64_t i = 0; i < columns; ++i) {
    row[i] = std::exp(row[i] - highest);
    sum += row[i];
  }
  for (int64_t i = 0; i < columns; ++i) row[i] /= sum;
}

// Logits as probabilities, in a tensor of their own.
Tensor FromLogits(const Tensor& logits, int64_t columns) {
  Tensor probabilities(tensorflow::DT_FLOAT, logits.shape());
  auto values = probabilities.flat<float>();
  const auto given = logits.flat<float>();
  std::copy(given.data(), given.data() + given.size(), values.data());
  for (int64_t row = 0; row < values.size(); row += columns) {
    if (columns == 1) {
      values(row) = 1 / (1 + std::exp(-values(row)));
    } else {
      Softmax(values.data() + row, columns);
    }
  }
  return probabilities;
}

}  // namespace

absl::StatusOr<PredictionForm> FindForm(
    const EvaluationInput& input, const NamedTensors& answers,
    const std::vector<FeatureValue>& labels) {
  PredictionForm form;
  RK_ASSIGN_OR_RETURN(form.key, FindKey(input.prediction_key, answers));
  const Tensor& tensor = answers.at(form.key);
  RK_ASSIGN_OR_RETURN(
      form.columns,
      ColumnsOf(form.key, tensor, static_cast<int64_t>(labels.size())));
  form.kind = input.prediction_kind;
  if (form.kind == PredictionKind::kAuto) {
    form.kind = KindOf(form.key, tensor, form.columns, labels);
  }
  if (form.is_regression() && form.columns != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("the model answers ", form.columns, " numbers under '",
                     form.key, "'; a regression has one"));
  }
  form.classes = ClassesIn(answers, form.columns);
  return form;
}

absl::StatusOr<Tensor> ReadPredictions(const PredictionForm& form,
                                       const NamedTensors& answers,
                                       int64_t rows) {
  RK_RETURN_IF_ERROR(CheckNamed(form.key, answers));
  const Tensor& tensor = answers.at(form.key);
  RK_ASSIGN_OR_RETURN(const int64_t columns, ColumnsOf(form.key, tensor, rows));
  if (columns != form.columns) {
    return absl::InvalidArgumentError(
        absl::StrCat("the model answers ", columns, " columns under '",
                     form.key, "', and answered ", form.columns, " before"));
  }
  if (form.kind == PredictionKind::kLogits) return FromLogits(tensor, columns);
  if (!form.is_regression()) {
    RK_RETURN_IF_ERROR(CheckProbabilities(form, tensor));
  }
  return tensor;
}

}  // namespace rekindle
