// linnet inspect: what a model's files say about it, without loading it.
#include <algorithm>

#include "base/error.h"
#include "base/quoted.h"
#include "flags.h"
#include "hub_model.h"
#include "inspect_report.h"
#include "json_text.h"
#include "output.h"
#include "runtime/memory_plan.h"
#include "verbs.h"

namespace linnet::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kInspectExamples = R"(Examples:
  linnet inspect model.gguf
  linnet inspect Llama-3.2-1B/ --template
  linnet inspect org/repo --json

Shows metadata, tokenizer, chat template and tensors. Only headers and settings are read, never the weights. Text from the
files is escaped, so that it cannot do anything to a terminal.)";

constexpr size_t kTemplateLines = 5;
constexpr size_t kSpecialTokens = 24;
constexpr size_t kWidest = 100;

struct InspectFlags {
  ModelFlags model;
  bool whole_template = false;
  bool json = false;
};

std::string shape_of(const TensorInfo& tensor) {
  std::string text = "[";
  for (const uint64_t dimension : tensor.shape) text += concat(text.size() > 1 ? ", " : "", dimension);
  return text + "]";
}

// Ids of the tokens that are no plain text, in their order.
std::vector<Token> special_tokens(const Tokenizer& tokenizer) {
  std::vector<Token> tokens;
  for (size_t i = 0; i < tokenizer.size(); ++i) {
    const TokenKind kind = tokenizer.vocabulary().kind(static_cast<Token>(i));
    if (kind == TokenKind::control || kind == TokenKind::unknown || kind == TokenKind::user_defined)
      tokens.push_back(static_cast<Token>(i));
  }
  return tokens;
}

std::string settings_text(const ModelReport& report) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& [key, value] : report.model.tensors.metadata().entries())
    rows.push_back({escaped(key, kWidest), type_name(value), value_line(value)});
  std::string text = rows.empty() ? "" : concat("\nmetadata\n", table(rows));
  for (const auto& [name, json] : report.settings) {
    std::vector<std::vector<std::string>> members;
    for (const auto& [key, value] : json.items())
      members.push_back({escaped(key, kWidest), escaped(json_line(value), kWidest)});
    text += concat("\n", name, "\n", table(members));
  }
  return text;
}

std::string tokenizer_text(const TokenizerReport& report) {
  if (!report.tokenizer) return concat("\ntokenizer: cannot be read: ", escaped(report.problem), "\n");
  const Tokenizer& tokenizer = *report.tokenizer;
  const auto named = [&](Token token) {
    return concat(token, " ", escaped(tokenizer.vocabulary().text(token), kWidest));
  };
  std::vector<std::vector<std::string>> rows;
  const auto add = [&](const char* role, std::optional<Token> token) {
    if (token) rows.push_back({role, named(*token)});
  };
  add("bos", tokenizer.bos());
  add("eos", tokenizer.eos());
  add("unknown", tokenizer.unknown());
  for (const Token token : tokenizer.end_of_generation()) add("ends", token);
  const std::vector<Token> special = special_tokens(tokenizer);
  for (size_t i = 0; i < std::min(kSpecialTokens, special.size()); ++i) add("special", special[i]);
  if (special.size() > kSpecialTokens)
    rows.push_back({"special", concat("… ", special.size() - kSpecialTokens, " more")});
  return concat("\ntokenizer: ", escaped(report.kind), ", ", tokenizer.size(), " tokens\n", table(rows));
}

std::string template_text(const ModelReport& report, bool whole) {
  if (!report.chat_template) return "\nchat template: none\n";
  std::string_view rest = *report.chat_template;
  const auto lines = 1 + std::count(rest.begin(), rest.end(), '\n');
  std::string text =
      concat("\nchat template: ", lines, lines == 1 ? " line, " : " lines, ", rest.size(), " bytes\n");
  for (size_t shown = 0; !rest.empty(); ++shown) {
    if (shown == kTemplateLines && !whole) return text + "  … ('--template' shows all of it)\n";
    const size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    text += concat("  ", whole ? escaped(line) : escaped(line, kWidest), "\n");
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return text;
}

std::string tensors_text(const ModelReport& report) {
  const TensorFile& file = report.model.tensors;
  const bool several = file.files().size() > 1;
  std::vector<std::vector<std::string>> rows = {{"name", "shape", "format", "bytes"}};
  if (several) rows.front().emplace_back("file");
  for (const TensorInfo& tensor : file.tensors()) {
    rows.push_back({escaped(tensor.name, kWidest), shape_of(tensor), std::string(tensor.stored_format),
                    concat(tensor.bytes)});
    if (several) rows.back().push_back(concat(tensor.file + 1));
  }
  return concat("\ntensors: ", file.tensors().size(), ", ", readable_bytes(report.tensor_bytes()), "\n",
                file.tensors().empty() ? "" : table(rows, "lllrr"));
}

std::string to_text(const ModelReport& report, bool whole_template) {
  std::string text = concat(report.format, "\n");
  for (const MappedFile& file : report.model.tensors.files())
    text += concat("  ", escaped(file.path().string()), ", ", readable_bytes(file.bytes().size()), "\n");
  return text + settings_text(report) + tokenizer_text(report.tokenizer) +
         template_text(report, whole_template) + tensors_text(report);
}

Json tokenizer_json(const TokenizerReport& report) {
  if (!report.tokenizer) return {{"problem", report.problem}};
  const Tokenizer& tokenizer = *report.tokenizer;
  const auto id = [](std::optional<Token> token) { return token ? Json(*token) : Json(nullptr); };
  Json special = Json::array();
  for (const Token token : special_tokens(tokenizer))
    special.push_back({{"id", token}, {"text", tokenizer.vocabulary().text(token)}});
  return {{"kind", report.kind},
          {"tokens", tokenizer.size()},
          {"bos", id(tokenizer.bos())},
          {"eos", id(tokenizer.eos())},
          {"unknown", id(tokenizer.unknown())},
          {"ends", tokenizer.end_of_generation()},
          {"special", std::move(special)}};
}

std::string to_json(const ModelReport& report) {
  Json files = Json::array();
  for (const MappedFile& file : report.model.tensors.files())
    files.push_back({{"path", file.path().string()}, {"bytes", file.bytes().size()}});
  Json metadata = Json::object();
  for (const auto& [key, value] : report.model.tensors.metadata().entries())
    metadata[key] = value_json(value);
  Json settings = Json::object();
  for (const auto& [name, json] : report.settings) settings[name] = json;
  Json tensors = Json::array();
  for (const TensorInfo& tensor : report.model.tensors.tensors()) {
    tensors.push_back({{"name", tensor.name},
                       {"shape", tensor.shape},
                       {"format", tensor.stored_format},
                       {"readable", tensor.format.has_value()},
                       {"bytes", tensor.bytes},
                       {"file", tensor.file}});
  }
  const Json json = {{"format", report.format},
                     {"files", std::move(files)},
                     {"metadata", std::move(metadata)},
                     {"settings", std::move(settings)},
                     {"tokenizer", tokenizer_json(report.tokenizer)},
                     {"chat_template", report.chat_template ? Json(*report.chat_template) : Json(nullptr)},
                     {"tensor_bytes", report.tensor_bytes()},
                     {"tensors", std::move(tensors)}};
  // In ASCII: a terminal may see this too.
  return json.dump(2, ' ', true, Json::error_handler_t::replace) + "\n";
}

int inspect(const InspectFlags& flags) {
  const ModelReport report(local_model(flags.model.model));
  print(flags.json ? to_json(report) : to_text(report, flags.whole_template));
  return 0;
}

}  // namespace

void add_inspect(CLI::App& program, Action& action) {
  CLI::App& verb = *program.add_subcommand("inspect", "show what a model's files say about it");
  InspectFlags& flags = add_verb<InspectFlags>(verb, action, inspect);
  verb.footer(kInspectExamples);
  flags.model.add_file_to(verb);
  verb.add_flag("--template", flags.whole_template,
                "print all of the chat template, not only its first lines");
  verb.add_flag("--json", flags.json, "print one object");
}

}  // namespace linnet::cli
