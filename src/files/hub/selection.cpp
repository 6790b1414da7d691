#include "files/hub/selection.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>

#include "base/error.h"
#include "base/quoted.h"
#include "files/hub/names.h"
#include "files/part_name.h"

namespace linnet::hub {
namespace {

constexpr std::string_view kExtension = ".gguf";
// What this version computes with, the one that costs least first.
constexpr std::string_view kDefaultQuants[] = {"Q8_0", "F16", "BF16", "F32"};
constexpr std::string_view kCompanions[] = {"config.json",
                                            "generation_config.json",
                                            "tokenizer.json",
                                            "tokenizer_config.json",
                                            "tokenizer.model",
                                            "special_tokens_map.json",
                                            "vocab.txt",
                                            "merges.txt",
                                            "modules.json",
                                            "1_Pooling/config.json",
                                            "chat_template.jinja",
                                            "sentence_bert_config.json",
                                            "config_sentence_transformers.json"};

std::string upper(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return std::toupper(c); });
  return result;
}

bool is_digits(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// A file that is no part of several is the only part.
PartName part_of(std::string_view name) {
  if (auto part = parse_part_name(name, kExtension)) return *std::move(part);
  return {std::string(name.substr(0, name.size() - kExtension.size()))};
}

struct GgufModel {
  std::string stem;
  std::string quant;                      // in capitals, may be empty
  std::map<unsigned, std::string> parts;  // by number
  unsigned count = 1;
};

// Projectors for images and importance matrices are no models.
std::vector<GgufModel> gguf_models(const std::set<std::string>& names) {
  std::map<std::pair<std::string, unsigned>, GgufModel> models;  // by stem and number of parts
  for (const auto& name : names) {
    const std::string base = upper(name.substr(name.rfind('/') + 1));
    if (!name.ends_with(kExtension) || base.starts_with("MMPROJ") ||
        base.find("IMATRIX") != std::string_view::npos)
      continue;
    const PartName part = part_of(name);
    auto& model = models[{part.stem, part.count}];
    model.stem = part.stem;
    model.quant = quant_of(name);
    model.count = part.count;
    model.parts[part.number] = name;
  }
  std::vector<GgufModel> result;
  for (auto& [key, model] : models) result.push_back(std::move(model));
  return result;
}

bool is_separator(char c) {
  return c == '-' || c == '.' || c == '_' || c == '/';
}

// True for "…-Q8_0" and quant "Q8_0", both in capitals.
bool ends_with_word(std::string_view stem, std::string_view quant) {
  if (!stem.ends_with(quant)) return false;
  return stem.size() == quant.size() || is_separator(stem[stem.size() - quant.size() - 1]);
}

// Begins like the name of a format: Q4_…, IQ4_…, TQ1_…, F16, BF16, MXFP4.
bool is_quant_label(std::string_view text) {
  for (const std::string_view prefix : {"Q", "IQ", "TQ"}) {
    if (text.size() > prefix.size() && text.starts_with(prefix) && is_digits(text.substr(prefix.size(), 1)))
      return true;
  }
  return text == "F16" || text == "F32" || text == "BF16" || text == "FP16" || text == "FP32" ||
         text.starts_with("MXFP4");
}

// Longest label at the end of a word-separated text; '_' separates words and also stands inside labels.
std::string label_at_end(std::string_view text) {
  for (size_t begin = 0; begin < text.size(); ++begin) {
    const bool at_word = begin == 0 || is_separator(text[begin - 1]);
    const auto label = text.substr(begin);
    if (at_word && label.find_first_of("-./") == std::string_view::npos && is_quant_label(label)) {
      if (label == "FP16") return "F16";
      if (label == "FP32") return "F32";
      return std::string(label);
    }
  }
  return {};
}

std::string list_of(const std::vector<GgufModel>& models) {
  std::set<std::string> labels;
  for (const auto& model : models) {
    labels.insert(model.quant.empty() ? model.parts.begin()->second : model.quant);
  }
  std::string text;
  for (const auto& label : labels) text += (text.empty() ? "" : ", ") + label;
  return text;
}

Selection whole_model(std::string_view repo, const GgufModel& model) {
  Selection selection;
  for (unsigned number = 1; number <= model.count; ++number) {
    const auto part = model.parts.find(number);
    if (part == model.parts.end()) {
      fail(ErrorKind::model, "hub: ", repo, ": part ", number, " of ", model.count, " of ",
           quoted_name(model.parts.begin()->second), " is missing");
    }
    selection.files.push_back(part->second);
  }
  selection.gguf = selection.files.front();
  return selection;
}

Selection select_gguf(std::string_view repo, const std::vector<GgufModel>& models, std::string_view quant) {
  const std::string wanted = upper(quant);
  const bool is_path = quant.ends_with(kExtension);
  std::vector<const GgufModel*> exact;
  std::vector<const GgufModel*> similar;
  for (const auto& model : models) {
    const bool named = std::any_of(model.parts.begin(), model.parts.end(),
                                   [&](const auto& part) { return part.second == quant; });
    if (is_path ? named : model.quant == (wanted == "FP16" ? "F16" : wanted)) exact.push_back(&model);
    if (!is_path && ends_with_word(upper(model.stem), wanted)) similar.push_back(&model);
  }
  const auto& found = exact.empty() ? similar : exact;
  if (found.empty()) {
    fail(ErrorKind::model, "hub: ", repo, " has no GGUF file for ", quoted_name(quant), "; it has ",
         list_of(models));
  }
  if (found.size() > 1) {
    std::string files;
    for (const auto* model : found) files += (files.empty() ? "" : ", ") + model->parts.begin()->second;
    fail(ErrorKind::model, "hub: ", repo, " has several files for ", quoted_name(quant), ": ", files,
         "; name one as ", repo, ":FILE.gguf");
  }
  return whole_model(repo, *found.front());
}

Selection select_default_gguf(std::string_view repo, const std::vector<GgufModel>& models) {
  if (models.size() == 1) return whole_model(repo, models.front());
  for (const auto quant : kDefaultQuants) {
    for (const auto& model : models) {
      if (model.quant == quant) return select_gguf(repo, models, quant);
    }
  }
  fail(ErrorKind::model, "hub: ", repo, " has several quantizations and none of the usual ones; name one as ",
       repo, ":QUANT of ", list_of(models));
}

// Nothing if there are no safetensors in the outermost folder.
std::optional<Selection> select_safetensors(const std::set<std::string>& names) {
  constexpr std::string_view kSingle = "model.safetensors";
  constexpr std::string_view kIndex = "model.safetensors.index.json";
  Selection selection;
  for (const auto companion : kCompanions) {
    if (names.contains(std::string(companion))) selection.files.emplace_back(companion);
  }
  if (names.contains(std::string(kSingle))) {  // transformers also takes it before an index
    selection.files.emplace_back(kSingle);
    return selection;
  }
  if (names.contains(std::string(kIndex))) {
    selection.files.emplace_back(kIndex);
    selection.index = kIndex;
    return selection;
  }
  bool any = false;
  for (const auto& name : names) {
    if (!name.ends_with(".safetensors") || name.find('/') != std::string_view::npos) continue;
    selection.files.push_back(name);
    any = true;
  }
  return any ? std::optional(std::move(selection)) : std::nullopt;
}

}  // namespace

std::string quant_of(std::string_view name) {
  if (!name.ends_with(kExtension)) return {};
  const std::string stem = upper(part_of(name).stem);
  const auto slash = stem.rfind('/');
  const std::string_view view = stem;
  std::string label = label_at_end(view.substr(slash == std::string_view::npos ? 0 : slash + 1));
  if (!label.empty() || slash == std::string_view::npos) return label;
  const auto folder = view.substr(0, slash);  // "Q8_0/part-00001-of-00002.gguf"
  return label_at_end(folder.substr(folder.rfind('/') + 1));
}

Selection select_files(std::string_view repo, const std::set<std::string>& names, std::string_view quant) {
  const auto models = gguf_models(names);
  if (!quant.empty() && models.empty()) fail(ErrorKind::model, "hub: ", repo, " has no GGUF files");
  if (!quant.empty()) return select_gguf(repo, models, quant);
  if (auto safetensors = select_safetensors(names)) return *std::move(safetensors);
  if (models.empty()) fail(ErrorKind::model, "hub: ", repo, " has neither safetensors nor GGUF files");
  return select_default_gguf(repo, models);
}

}  // namespace linnet::hub
