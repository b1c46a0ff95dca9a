#ifndef REKINDLE_CLI_COMMANDS_H_
#define REKINDLE_CLI_COMMANDS_H_

#include <string>
#include <vector>

namespace rekindle {

// The verbs of `rekindle`. Each gets the arguments behind its name and returns
// the exit code (cli/exit_code.h).
using Arguments = std::vector<std::string>;

int BlessCommand(const Arguments& arguments);
int EvaluateCommand(const Arguments& arguments);
int ExampleGenCommand(const Arguments& arguments);
int ExecCommand(const Arguments& arguments);
int ImportCommand(const Arguments& arguments);
int LintCommand(const Arguments& arguments);
int PushCommand(const Arguments& arguments);
int ResolveCommand(const Arguments& arguments);
int SchemaGenCommand(const Arguments& arguments);
int StatisticsGenCommand(const Arguments& arguments);
int StatisticsShowCommand(const Arguments& arguments);
int TrainCommand(const Arguments& arguments);

int CacheLsCommand(const Arguments& arguments);
int CacheInvalidateCommand(const Arguments& arguments);

int MetadataListCommand(const Arguments& arguments);
int MetadataGetCommand(const Arguments& arguments);
int MetadataLatestCommand(const Arguments& arguments);
int MetadataLineageCommand(const Arguments& arguments);
int MetadataWhyCommand(const Arguments& arguments);
int MetadataCheckCommand(const Arguments& arguments);
int MetadataDeleteCommand(const Arguments& arguments);
int MetadataBackupCommand(const Arguments& arguments);
int MetadataExportCommand(const Arguments& arguments);
int MetadataLoadCommand(const Arguments& arguments);

int LogsCommand(const Arguments& arguments);
int StopCommand(const Arguments& arguments);
int SubmitCommand(const Arguments& arguments);
int WatchCommand(const Arguments& arguments);

int ReapCommand(const Arguments& arguments);
int RunCommand(const Arguments& arguments);
int ServeCommand(const Arguments& arguments);
int TokenNewCommand(const Arguments& arguments);

}  // namespace rekindle

#endif  // REKINDLE_CLI_COMMANDS_H_
