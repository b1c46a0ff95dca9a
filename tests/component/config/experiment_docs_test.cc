// docs/experiments.md says what the configs themselves say. With
// REKINDLE_UPDATE_DOCS=1 the test writes the tables instead.
#include <cstdlib>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "component/config/config_layer.h"
#include "component/config/field_value.h"
#include "component/tasks/tabular_experiments.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rekindle/training/config.h"
#include "rekindle/training/experiment.h"
#include "rekindle/training/experiment_config.h"

namespace rekindle {
namespace {

constexpr char kFields[] = "<!-- fields ";
constexpr char kRefused[] = "<!-- refused -->";
constexpr char kShortNames[] = "<!-- short names -->";
// Shares the table of task.train_data.
constexpr char kLikeTrainData[] = "task.validation_data";
constexpr char kEnd[] = "<!-- end -->";

// The config in a field, made if it is not there; null for another field.
Config* Inner(const ConfigField& field) {
  if (const auto* config = std::get_if<Config*>(&field.target())) {
    return *config;
  }
  const auto* children = std::get_if<ConfigChildren>(&field.target());
  return children == nullptr ? nullptr : children->find_or_make("NAME");
}

// What the path of a config in a field goes on with.
std::string InnerName(const ConfigField& field) {
  const auto* children = std::get_if<ConfigChildren>(&field.target());
  return children != nullptr && children->is_map ? "NAME" : "";
}

std::string Code(const std::string& text) {
  return absl::StrCat("`", text, "`");
}

std::string Cell(const std::string& text) {
  return absl::StrReplaceAll(text, {{"|", "\\|"}});
}

// Writes tables of a config and of what is in it, except what has a table of
// its own.
class Tables {
 public:
  explicit Tables(std::set<std::string> own) : own_(std::move(own)) {}

  std::string Fields(const std::string& path, Config& config) const {
    return absl::StrCat(
        "| name | value | default | meaning |\n|---|---|---|---|\n",
        FieldRows(path, "", config));
  }

  static std::string Refused(Config& config) {
    std::set<std::string> rows;
    AddRefused("", config, &rows);
    std::string table = "| name | only | why |\n|---|---|---|\n";
    for (const std::string& row : rows) absl::StrAppend(&table, row);
    return table;
  }

 private:
  // `name` is relative to `path`, where the table begins.
  std::string FieldRows(const std::string& path, const std::string& name,
                        Config& config) const {
    ConfigFields fields;
    config.Describe(fields);
    std::string rows;
    for (const ConfigField& field : fields.fields()) {
      const std::string row_name = JoinPath(name, field.name());
      Config* inner = Inner(field);
      if (inner == nullptr) {
        absl::StrAppend(&rows, Row(row_name, field, fields));
      } else if (!own_.contains(JoinPath(path, row_name))) {
        absl::StrAppend(
            &rows,
            FieldRows(path, JoinPath(row_name, InnerName(field)), *inner));
      }
    }
    return rows;
  }

  static std::string Row(const std::string& name, const ConfigField& field,
                         const ConfigFields& fields) {
    const bool is_type = fields.is_choice() && field.name() == "type";
    const std::string value =
        is_type ? absl::StrCat("one of ", absl::StrJoin(fields.Choices(), ", "))
                : ExpectedValue(field);
    return absl::StrCat(
        "| ", Code(name), " | ", Cell(value), " | ",
        KeepsRules(field) ? Code(FieldValue(field).dump()) : "must be set",
        " | ", Cell(field.about()), " |\n");
  }

  static void AddRefused(const std::string& path, Config& config,
                         std::set<std::string>* rows) {
    ConfigFields fields;
    config.Describe(fields);
    for (const RefusedField& field : fields.refused()) {
      const std::string only =
          std::visit([](const auto& value) { return ConfigJson(value).dump(); },
                     field.default_value);
      rows->insert(absl::StrCat("| ", Code(JoinPath(path, field.name)), " | ",
                                Code(only), " | ", Cell(field.reason), " |\n"));
    }
    for (const ConfigField& field : fields.fields()) {
      const std::string inner_path = JoinPath(path, field.name());
      Config* inner = Inner(field);
      if (inner == nullptr || inner_path == kLikeTrainData) continue;
      AddRefused(JoinPath(inner_path, InnerName(field)), *inner, rows);
    }
  }

  const std::set<std::string> own_;
};

std::string ShortNameTable(const Experiment& experiment) {
  ShortNames names = CommonShortNames();
  names.insert(experiment.short_names.begin(), experiment.short_names.end());
  std::string table = "| short name | stands for |\n|---|---|\n";
  for (const auto& [name, paths] : names) {
    absl::StrAppend(&table, "| ", Code(name), " | ",
                    Code(absl::StrJoin(paths, "`, `")), " |\n");
  }
  return table;
}

// The config at a dotted path; null when there is none.
Config* ConfigAt(const std::string& path, Config* config) {
  for (const std::string_view name : absl::StrSplit(path, '.')) {
    ConfigFields fields;
    config->Describe(fields);
    const ConfigField* field = fields.Find(std::string(name));
    config = field == nullptr ? nullptr : Inner(*field);
    if (config == nullptr) return nullptr;
  }
  return config;
}

std::string ReadDocument() {
  std::stringstream text;
  text << std::ifstream(REKINDLE_EXPERIMENTS_DOCUMENT).rdbuf();
  return text.str();
}

// The path of "<!-- fields PATH -->"; empty for another line.
std::string MarkedPath(const std::string& line) {
  if (!line.starts_with(kFields)) return "";
  return line.substr(sizeof(kFields) - 1,
                     line.size() - sizeof(kFields) + 1 - sizeof(" -->") + 1);
}

std::set<std::string> MarkedPaths(const std::vector<std::string>& lines) {
  std::set<std::string> paths = {kLikeTrainData};
  for (const std::string& line : lines) paths.insert(MarkedPath(line));
  return paths;
}

class ExperimentDocsTest : public ::testing::Test {
 protected:
  ExperimentDocsTest() {
    RegisterTabularExperiments();
    experiment_ = *FindExperiment("tabular/classification");
    config_ = experiment_.make();
  }

  // What belongs between the line and kEnd; empty for a line without a table.
  std::string TableAt(const std::string& line, const Tables& tables) {
    if (line == kRefused) return Tables::Refused(*config_);
    if (line == kShortNames) return ShortNameTable(experiment_);
    const std::string path = MarkedPath(line);
    if (path.empty()) return "";
    Config* config = ConfigAt(path, config_.get());
    if (config != nullptr) return tables.Fields(path, *config);
    ADD_FAILURE() << "there is no " << path;
    return "";
  }

  // The document as it should be.
  std::string Rewrite(const std::string& document) {
    const std::vector<std::string> lines = absl::StrSplit(document, '\n');
    const Tables tables(MarkedPaths(lines));
    std::vector<std::string> out;
    bool in_table = false;
    for (const std::string& line : lines) {
      if (line == kEnd) in_table = false;
      if (in_table) continue;
      out.push_back(line);
      const std::string table = TableAt(line, tables);
      if (table.empty()) continue;
      out.push_back(table.substr(0, table.size() - 1));
      in_table = true;
    }
    return absl::StrJoin(out, "\n");
  }

  Experiment experiment_;
  std::unique_ptr<ExperimentConfig> config_;
};

TEST_F(ExperimentDocsTest, TheTablesAreThoseOfTheConfigs) {
  const std::string document = ReadDocument();
  ASSERT_THAT(document, ::testing::HasSubstr(kRefused));
  const std::string expected = Rewrite(document);
  if (std::getenv("REKINDLE_UPDATE_DOCS") != nullptr) {
    std::ofstream(REKINDLE_EXPERIMENTS_DOCUMENT) << expected;
  }
  EXPECT_EQ(ReadDocument(), expected)
      << "run this test with REKINDLE_UPDATE_DOCS=1";
}

// A table that is not there cannot be wrong: the first levels have one.
TEST_F(ExperimentDocsTest, EveryPartOfAnExperimentHasATable) {
  const auto marked = MarkedPaths(absl::StrSplit(ReadDocument(), '\n'));
  EXPECT_THAT(marked, ::testing::IsSupersetOf({"task", "trainer", "runtime"}));
}

}  // namespace
}  // namespace rekindle
