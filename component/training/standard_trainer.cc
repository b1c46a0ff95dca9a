#include "component/training/standard_trainer.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "component/optimizers/moving_average.h"
#include "component/training/graph_session.h"
#include "component/training/measures.h"
#include "component/training/replicated_graph.h"
#include "component/training/trainer_state.h"

namespace rekindle {
namespace {

using ::tensorflow::Tensor;

// How much a step computes, about.
double WorkPerStep(const Model& model, const DataConfig& data) {
  const int64_t examples = std::max<int64_t>(data.global_batch_size, 1);
  return model.WorkPerExample() * static_cast<double>(examples);
}

Tensor Filled(const VariableSpec& spec, float value) {
  Tensor tensor(tensorflow::DT_FLOAT, spec.shape);
  tensor.flat<float>().setConstant(value);
  return tensor;
}

class StandardTrainer final : public Trainer {
 public:
  explicit StandardTrainer(const TrainerParts& parts) : parts_(parts) {}

  absl::Status Open() {
    RK_RETURN_IF_ERROR(OpenInputs());
    RK_ASSIGN_OR_RETURN(model_, parts_.task->BuildModel());
    // An evaluation asks it which averages to look at.
    RK_ASSIGN_OR_RETURN(optimizer_, parts_.task->CreateOptimizer(
                                        parts_.config->trainer.optimizer_config,
                                        parts_.config->runtime));
    GraphParts graph_parts{.task = parts_.task,
                           .model = model_.get(),
                           .strategy = parts_.strategy,
                           .optimizer = optimizer_.get()};
    if (parts_.train) {
      graph_parts.train_spec = &train_data_->spec();
      train_measures_ = Measures(parts_.task->BuildMetrics(/*training=*/true));
    }
    if (parts_.evaluate) {
      graph_parts.validation_spec = &validation_data_->spec();
      validation_measures_ =
          Measures(parts_.task->BuildMetrics(/*training=*/false));
    }
    RK_ASSIGN_OR_RETURN(ReplicatedGraph graph,
                        BuildReplicatedGraph(graph_parts));
    const DataConfig& data = parts_.train
                                 ? parts_.task->config().train_data
                                 : parts_.task->config().validation_data;
    RK_ASSIGN_OR_RETURN(
        auto session, parts_.strategy->OpenSession(WorkPerStep(*model_, data)));
    RK_ASSIGN_OR_RETURN(session_,
                        GraphSession::Open(std::move(graph), std::move(session),
                                           !train_measures_.empty()));
    return absl::OkStatus();
  }

  int64_t global_step() const override { return global_step_; }

  absl::StatusOr<Logs> Train(int64_t steps) override {
    train_measures_.Reset();
    for (int64_t i = 0; i < steps; ++i) {
      if (parts_.before_step &&
          parts_.before_step(global_step_) != NextStep::kGoOn) {
        break;
      }
      RK_RETURN_IF_ERROR(TrainStep());
    }
    Logs logs = train_measures_.Report("training_loss");
    if (global_step_ > 0) {
      logs["learning_rate"] = optimizer_->LearningRate(global_step_ - 1);
    }
    return logs;
  }

  absl::StatusOr<Logs> Evaluate(int64_t steps) override {
    RK_RETURN_IF_ERROR(validation_data_->Seek({}));
    validation_measures_.Reset();
    std::shared_ptr<void> aggregated;
    for (int64_t i = 0; steps < 0 || i < steps; ++i) {
      RK_ASSIGN_OR_RETURN(const bool more, validation_data_->Next(&batch_));
      if (!more) break;
      RK_RETURN_IF_ERROR(ValidationStep(&aggregated));
    }
    Logs logs = validation_measures_.Report("validation_loss");
    logs["validation_examples"] =
        static_cast<double>(validation_measures_.examples());
    RK_ASSIGN_OR_RETURN(Logs reduced, parts_.task->ReduceAggregatedLogs(
                                          aggregated, global_step_));
    logs.merge(reduced);
    return logs;
  }

  absl::Status Initialize() override {
    NamedTensors values = model_->InitialValues(
        static_cast<uint64_t>(parts_.config->runtime.seed));
    restored_.clear();
    RK_RETURN_IF_ERROR(parts_.task->Initialize(*model_, &values, &restored_));
    for (const SlotSpec& slot : optimizer_->Slots(model_->variables())) {
      values[slot.variable.name] =
          slot.copy_of.empty() ? Filled(slot.variable, slot.initial_value)
                               : values.at(slot.copy_of);
    }
    if (!parts_.train) {
      evaluated_ = values;
      AddTrainerState({}, &evaluated_);
    }
    return session_->Assign(values);
  }

  absl::StatusOr<NamedTensors> State() override {
    if (!parts_.train) return evaluated_;
    RK_ASSIGN_OR_RETURN(NamedTensors state, session_->Read());
    AddTrainerState(
        {.global_step = global_step_, .input = train_data_->position()},
        &state);
    return state;
  }

  absl::Status Restore(const NamedTensors& state) override {
    std::vector<VariableSpec> variables;
    for (const VariableNodes& variable : session_->graph().variables) {
      variables.push_back(variable.spec);
    }
    RK_ASSIGN_OR_RETURN(const TrainerState restored,
                        ReadTrainerState(state, variables));
    if (!parts_.train) RK_RETURN_IF_ERROR(CheckAverages(state));
    RK_RETURN_IF_ERROR(session_->Assign(state));
    if (parts_.train) {
      RK_RETURN_IF_ERROR(train_data_->Seek(restored.input));
    } else {
      evaluated_ = state;
    }
    global_step_ = restored.global_step;
    return absl::OkStatus();
  }

  absl::StatusOr<NamedTensors> ExportValues() override {
    RK_ASSIGN_OR_RETURN(const NamedTensors all, session_->Read());
    NamedTensors values;
    for (const VariableSpec& spec : model_->variables()) {
      const std::string average = optimizer_->AverageOf(spec);
      values[spec.name] = all.at(average.empty() ? spec.name : average);
    }
    return values;
  }

  absl::StatusOr<NamedTensors> FirstValidationStep() override {
    RK_RETURN_IF_ERROR(validation_data_->Seek({}));
    RK_ASSIGN_OR_RETURN(const bool any, validation_data_->Next(&batch_));
    if (!any) return NamedTensors();
    RK_RETURN_IF_ERROR(session_->Validate(batch_).status());
    return StepTensors(validation_data_->spec(), batch_, 0,
                       session_->graph().validation);
  }

  tensorflow::GraphDef Graph() const override {
    return session_->graph().graph;
  }

  const Model& model() const override { return *model_; }
  const RestoreReport& restored() const override { return restored_; }

 private:
  absl::Status OpenInputs() {
    const TaskConfig& task = parts_.task->config();
    if (parts_.train) {
      RK_ASSIGN_OR_RETURN(
          train_data_, parts_.task->BuildInputs(
                           task.train_data, parts_.strategy->input_context()));
      train_batches_.resize(parts_.strategy->devices().size());
    }
    if (parts_.evaluate) {
      RK_ASSIGN_OR_RETURN(
          validation_data_,
          parts_.task->BuildInputs(task.validation_data, InputContext()));
    }
    return absl::OkStatus();
  }

  // What a run with averages evaluates and exports must not depend on whether
  // whoever looks at its checkpoint has heard of them.
  absl::Status CheckAverages(const NamedTensors& state) const {
    for (const VariableSpec& spec : model_->variables()) {
      if (!optimizer_->AverageOf(spec).empty() ||
          !state.contains(MovingAverage::SlotOf(spec.name))) {
        continue;
      }
      return absl::FailedPreconditionError(absl::StrCat(
          "the checkpoint holds moving averages, as of '", spec.name,
          "', which are evaluated and exported in place of the weights: set "
          "trainer.optimizer_config.ema as in the params.yaml of its run"));
    }
    return absl::OkStatus();
  }

  absl::Status TrainStep() {
    int64_t examples = 0;
    for (Batch& batch : train_batches_) {
      RK_ASSIGN_OR_RETURN(const bool more, train_data_->Next(&batch));
      if (!more) {
        return absl::FailedPreconditionError(
            absl::StrCat("the training data ends at step ", global_step_,
                         ": it must repeat (is_training)"));
      }
      examples += batch.size;
    }
    RK_ASSIGN_OR_RETURN(
        const float loss,
        session_->Train(train_batches_, optimizer_->Scalars(global_step_)));
    ++global_step_;
    train_measures_.AddLoss(loss, examples);
    if (train_measures_.empty()) return absl::OkStatus();
    for (size_t i = 0; i < train_batches_.size(); ++i) {
      RK_RETURN_IF_ERROR(train_measures_.Add(StepTensors(
          train_data_->spec(), train_batches_[i], i, session_->graph().train)));
    }
    return absl::OkStatus();
  }

  absl::Status ValidationStep(std::shared_ptr<void>* aggregated) {
    RK_ASSIGN_OR_RETURN(const float loss, session_->Validate(batch_));
    validation_measures_.AddLoss(loss, batch_.size);
    const NamedTensors& step = StepTensors(validation_data_->spec(), batch_, 0,
                                           session_->graph().validation);
    RK_RETURN_IF_ERROR(validation_measures_.Add(step));
    return parts_.task->AggregateLogs(step, aggregated);
  }

  // The tensors of a batch and what the step put out for it, by name.
  const NamedTensors& StepTensors(const std::vector<TensorSpec>& spec,
                                  const Batch& batch, size_t replica,
                                  const StepNodes& nodes) {
    for (size_t i = 0; i < spec.size(); ++i) {
      step_[spec[i].name] = batch.tensors[i];
    }
    const std::vector<std::string>& names =
        nodes.replicas[replica].output_names;
    const std::span<const Tensor> outputs = session_->Outputs(replica);
    for (size_t i = 0; i < names.size(); ++i) step_[names[i]] = outputs[i];
    return step_;
  }

  const TrainerParts parts_;
  std::unique_ptr<Dataset> train_data_;
  std::unique_ptr<Dataset> validation_data_;
  std::unique_ptr<Model> model_;
  std::unique_ptr<Optimizer> optimizer_;
  std::unique_ptr<GraphSession> session_;
  RestoreReport restored_;
  NamedTensors evaluated_;  // the whole checkpoint, where nothing trains
  Measures train_measures_;
  Measures validation_measures_;
  int64_t global_step_ = 0;
  // Kept between steps for their memory.
  std::vector<Batch> train_batches_;
  Batch batch_;
  NamedTensors step_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Trainer>> MakeStandardTrainer(
    const TrainerParts& parts) {
  auto trainer = std::make_unique<StandardTrainer>(parts);
  RK_RETURN_IF_ERROR(trainer->Open());
  return trainer;
}

}  // namespace rekindle
