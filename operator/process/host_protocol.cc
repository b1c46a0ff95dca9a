#include "operator/process/host_protocol.h"

#include <cstring>
#include <string>
#include <unistd.h>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace rekindle::argo {
namespace {

// Lists of strings, one behind the other: a count, and strings that end with a
// zero byte.
class Writer {
 public:
  void Add(const std::vector<std::string>& strings) {
    const auto count = static_cast<uint32_t>(strings.size());
    text_.append(reinterpret_cast<const char*>(&count), sizeof(count));
    for (const std::string& s : strings) text_.append(s.c_str(), s.size() + 1);
  }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

class Reader {
 public:
  explicit Reader(std::string& text) : at_(text.data()) {}

  std::vector<char*> Next() {
    uint32_t count = 0;
    std::memcpy(&count, at_, sizeof(count));
    at_ += sizeof(count);
    std::vector<char*> strings;
    strings.reserve(count + 1);
    for (; count > 0; --count) {
      strings.push_back(at_);
      at_ += std::strlen(at_) + 1;
    }
    return strings;
  }

 private:
  char* at_;
};

// Where the program may be: as a shell would look for it.
std::vector<std::string> Programs(const std::string& name,
                                  const std::string& search_path) {
  if (absl::StrContains(name, '/')) return {name};
  std::vector<std::string> programs;
  for (absl::string_view folder : absl::StrSplit(search_path, ':')) {
    programs.push_back(absl::StrCat(folder.empty() ? "." : folder, "/", name));
  }
  return programs;
}

std::string IdMap(unsigned int id) { return absl::StrCat(id, " ", id, " 1\n"); }

}  // namespace

std::string EncodeSpec(const ProcessSpec& spec) {
  Writer writer;
  writer.Add(spec.argv);
  writer.Add(spec.environment);
  writer.Add(Programs(spec.argv.at(0), spec.search_path));
  std::vector<std::string> binds;
  for (const Bind& bind : spec.view.binds) {
    binds.push_back(bind.source);
    binds.push_back(bind.target);
    binds.emplace_back(bind.read_only ? "ro" : "rw");
  }
  writer.Add(binds);
  const bool user = geteuid() != 0;
  writer.Add({spec.folder, spec.view.root, user ? IdMap(geteuid()) : "",
              user ? IdMap(getegid()) : ""});
  return writer.Take();
}

StartPlan DecodeSpec(std::string& text) {
  Reader reader(text);
  StartPlan plan;
  plan.argv = reader.Next();
  plan.argv.push_back(nullptr);
  plan.environment = reader.Next();
  plan.environment.push_back(nullptr);
  for (char* program : reader.Next()) plan.programs.push_back(program);
  const std::vector<char*> binds = reader.Next();
  for (size_t i = 0; i + 2 < binds.size(); i += 3) {
    plan.binds.push_back(
        {binds[i], binds[i + 1], std::strcmp(binds[i + 2], "ro") == 0});
  }
  const std::vector<char*> rest = reader.Next();
  const auto or_null = [](const char* s) { return *s == '\0' ? nullptr : s; };
  plan.folder = rest[0];
  plan.root = or_null(rest[1]);
  plan.uid_map = or_null(rest[2]);
  plan.gid_map = or_null(rest[3]);
  return plan;
}

}  // namespace rekindle::argo
