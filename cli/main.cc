#include <algorithm>
#include <array>
#include <csignal>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/first_process.h"
#include "base/nearest_name.h"
#include "cli/commands.h"
#include "cli/exit_code.h"

namespace rekindle {
namespace {

struct Command {
  const char* name;  // one word, or two: "metadata list"
  const char* summary;
  int (*run)(const Arguments& arguments);
};

constexpr auto kCommands = std::to_array<Command>({
    {"run", "run an Argo Workflow on this machine, without a cluster",
     RunCommand},
    {"example-gen", "CSV or TFRecord files to tf.Examples in splits",
     ExampleGenCommand},
    {"statistics-gen", "compute statistics of each split of examples",
     StatisticsGenCommand},
    {"statistics show", "print statistics as tables, or as a page",
     StatisticsShowCommand},
    {"schema-gen", "infer a schema from statistics or examples",
     SchemaGenCommand},
    {"train", "train a model, warm-started from the latest one", TrainCommand},
    {"evaluate", "measure a model, and bless it if it is good enough",
     EvaluateCommand},
    {"bless", "a person's decision on a model", BlessCommand},
    {"push", "put a blessed model where it is served from", PushCommand},
    {"resolve", "choose artifacts for the steps behind it", ResolveCommand},
    {"exec", "any command as a step, with inputs and outputs", ExecCommand},
    {"import", "make existing files an artifact", ImportCommand},
    {"lint", "check workflows before they are submitted", LintCommand},
    {"cache ls", "what steps computed and others may reuse", CacheLsCommand},
    {"cache invalidate", "keep steps from reusing results",
     CacheInvalidateCommand},
    {"metadata list", "list artifacts, executions, contexts or types",
     MetadataListCommand},
    {"metadata get", "everything recorded of one node", MetadataGetCommand},
    {"metadata latest", "the artifact a warm start would choose",
     MetadataLatestCommand},
    {"metadata lineage", "what an artifact or execution came from",
     MetadataLineageCommand},
    {"metadata why", "what an execution took as its inputs, and what not",
     MetadataWhyCommand},
    {"metadata check", "whether recorded files and the store are sound",
     MetadataCheckCommand},
    {"metadata delete", "delete records", MetadataDeleteCommand},
    {"metadata backup", "copy the store while it is in use",
     MetadataBackupCommand},
    {"metadata export", "everything in the store as JSON lines",
     MetadataExportCommand},
    {"metadata load", "fill an empty store from an export",
     MetadataLoadCommand},
    {"submit", "send a workflow to a cluster with Argo", SubmitCommand},
    {"watch", "the live graph of a cluster's workflow", WatchCommand},
    {"logs", "what the steps of a cluster's workflow wrote", LogsCommand},
    {"stop", "end a cluster's workflow", StopCommand},
    {"reap", "close executions whose process vanished", ReapCommand},
    {"serve", "a metadata store over gRPC and HTTP", ServeCommand},
    {"token new", "a token for a client of 'rekindle serve'", TokenNewCommand},
});

std::string Help() {
  std::string help =
      "Usage: rekindle COMMAND [flags]\n"
      "Training steps for plain Argo Workflows, with a memory.\n\n";
  for (const Command& command : kCommands) {
    absl::StrAppendFormat(&help, "  %-18s%s\n", command.name, command.summary);
  }
  absl::StrAppend(
      &help,
      "\n'rekindle COMMAND --help' lists a command's flags. REKINDLE_FLAG_NAME "
      "in the\nenvironment stands in for --flag-name; --flag=@FILE takes the "
      "value from a file.\nExit status: 0 ok, 1 failed, 2 wrong usage, 3 not "
      "found, 4 conflict, 75 try again,\n130/143 cancelled.\n\n"
      "Example: rekindle metadata list artifacts --db=rekindle.db\n");
  return help;
}

absl::Status UnknownCommand(const std::string& typed) {
  std::vector<std::string> names;
  names.reserve(kCommands.size());
  for (const Command& command : kCommands) names.emplace_back(command.name);
  const std::optional<std::string> nearest = NearestName(typed, names);
  return absl::InvalidArgumentError(absl::StrCat(
      "unknown command '", typed, "'; ",
      nearest.has_value() ? absl::StrCat("did you mean '", *nearest, "'?")
                          : "--help lists the commands"));
}

int Run(const Arguments& arguments) {
  if (arguments.empty()) {
    std::cerr << Help();
    return kUsage;
  }
  if (arguments[0] == "--help" || arguments[0] == "-h" ||
      arguments[0] == "help") {
    std::cout << Help();
    return kOk;
  }
  if (arguments[0] == "--version") {
    std::cout << "rekindle " << REKINDLE_VERSION << '\n';
    return kOk;
  }
  std::string typed;
  for (auto rest = arguments.begin() + 1;; ++rest) {
    typed = absl::StrJoin(arguments.begin(), rest, " ");
    for (const Command& command : kCommands) {
      if (typed == command.name) return command.run({rest, arguments.end()});
    }
    const bool two_words = rest - arguments.begin() == 2;
    if (two_words || rest == arguments.end()) break;
  }
  return Fail(UnknownCommand(typed));
}

}  // namespace
}  // namespace rekindle

int main(int argc, char** argv) {
  // A closed pipe (`rekindle ... | head`) is an error of a write, not the end.
  std::signal(SIGPIPE, SIG_IGN);
  // So is a file that grows beyond `ulimit -f`.
  std::signal(SIGXFSZ, SIG_IGN);
  return rekindle::RunAsFirstProcess([&] {
    return rekindle::Run({argv + 1, argv + argc});
  });
}
