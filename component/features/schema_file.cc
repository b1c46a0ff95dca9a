#include "component/features/schema_file.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/io/tokenizer.h"
#include "google/protobuf/text_format.h"

namespace rekindle {
namespace {

namespace tfmd = ::tensorflow::metadata::v0;

// More ids than this are no range to enumerate.
constexpr uint64_t kLargestRange = 1'000'000;

// Keeps the first error with its place, instead of logging all of them.
class FirstError final : public google::protobuf::io::ErrorCollector {
 public:
  void RecordError(int line, int column, absl::string_view message) override {
    if (!text_.empty()) return;
    text_ = absl::StrCat(line + 1, ":", column + 1, ": ", message);
  }
  void RecordWarning(int, int, absl::string_view) override {}

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::vector<std::string> Words(const tfmd::StringDomain& domain) {
  return {domain.value().begin(), domain.value().end()};
}

}  // namespace

absl::StatusOr<tfmd::Schema> ParseSchema(const std::string& text,
                                         const std::string& name) {
  FirstError error;
  google::protobuf::TextFormat::Parser parser;
  parser.AllowUnknownField(true);
  parser.AllowUnknownExtension(true);
  parser.RecordErrorsTo(&error);
  tfmd::Schema schema;
  if (!parser.ParseFromString(text, &schema)) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", name, "' is not a schema: ", error.text()));
  }
  return schema;
}

std::vector<std::string> SchemaWords(const tfmd::Schema& schema,
                                     const tfmd::Feature& feature) {
  if (feature.has_string_domain()) return Words(feature.string_domain());
  if (!feature.has_domain()) return {};
  for (const tfmd::StringDomain& domain : schema.string_domain()) {
    if (domain.name() == feature.domain()) return Words(domain);
  }
  return {};
}

const tfmd::IntDomain* SchemaIntDomain(const tfmd::Schema& schema,
                                       const tfmd::Feature& feature) {
  if (feature.has_int_domain()) return &feature.int_domain();
  if (!feature.has_domain()) return nullptr;
  for (const tfmd::IntDomain& domain : schema.int_domain()) {
    if (domain.name() == feature.domain()) return &domain;
  }
  return nullptr;
}

std::optional<IntegerRange> SchemaRange(const tfmd::Schema& schema,
                                        const tfmd::Feature& feature) {
  if (feature.has_bool_domain()) return IntegerRange{.min = 0, .max = 1};
  const tfmd::IntDomain* domain = SchemaIntDomain(schema, feature);
  if (domain == nullptr || !domain->has_min() || !domain->has_max() ||
      domain->max() < domain->min()) {
    return std::nullopt;
  }
  const uint64_t last = static_cast<uint64_t>(domain->max()) -
                        static_cast<uint64_t>(domain->min());
  if (last >= kLargestRange) return std::nullopt;
  return IntegerRange{.min = domain->min(), .max = domain->max()};
}

}  // namespace rekindle
