#ifndef REKINDLE_TRAINING_METRICS_H_
#define REKINDLE_TRAINING_METRICS_H_

#include <memory>
#include <string>
#include <vector>

#include "rekindle/training/metric.h"

namespace rekindle {

// Where a measure of classification finds its tensors in a step, by name.
//
// Labels are class numbers: of int32, int64 or float, one per example. Scores
// are float: one column holds the probability of class 1 of two, more hold the
// probability of each class. NaN is no error here: the loss shows it too.
struct ClassificationInputs {
  std::string label;
  std::string scores;
  // Names of the classes, for the measures of single ones; empty: numbers.
  std::vector<std::string> classes;
};

// The share of examples whose class is the one with the highest score (the
// first of them), or, with one column, on the right side of 0.5: "accuracy".
std::unique_ptr<Metric> MakeAccuracy(ClassificationInputs inputs);

// How many of the examples taken for a class are of it ("precision"), and how
// many of the examples of a class are taken for it ("recall"): of class 1 with
// one column, else "precision/<class>" of each, and the mean over all classes.
// 0 where there is no such example.
std::unique_ptr<Metric> MakePrecisionAndRecall(ClassificationInputs inputs);

// The area under the ROC curve, as Keras has it by default: over 200 thresholds
// with a straight line between two of them. Named as above ("auc"); a class is
// set against all others. 0 where there are only positives or only negatives.
std::unique_ptr<Metric> MakeAuc(ClassificationInputs inputs);

// The mean of -log(probability of the label), kept 1e-7 away from 0 and 1:
// "log_loss".
std::unique_ptr<Metric> MakeLogLoss(ClassificationInputs inputs);

// Where a measure of regression finds its tensors in a step, by name: float,
// int32 or int64, as many labels as predictions.
struct RegressionInputs {
  std::string label;
  std::string prediction;
};

// The means of the squares and of the sizes of all errors: "mse" and "mae".
std::unique_ptr<Metric> MakeMeanSquaredError(RegressionInputs inputs);
std::unique_ptr<Metric> MakeMeanAbsoluteError(RegressionInputs inputs);

// The mean of a float tensor's elements, under its own name. A scalar stands
// for a mean over the examples of its step and counts as often as `examples`
// has rows.
std::unique_ptr<Metric> MakeMean(std::string tensor, std::string examples);

}  // namespace rekindle

#endif  // REKINDLE_TRAINING_METRICS_H_
