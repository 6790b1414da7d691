// linnet list: the models in the cache.
#include <ctime>
#include <nlohmann/json.hpp>

#include "hub_model.h"
#include "json_text.h"
#include "output.h"
#include "runtime/memory_plan.h"
#include "verbs.h"

namespace linnet::cli {
namespace {

constexpr const char* kListExamples = R"(Examples:
  linnet list
  linnet list --json)";

struct ListFlags {
  bool json = false;
};

std::string day_of(std::chrono::system_clock::time_point time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[sizeof "2026-11-15"];
  return std::strftime(text, sizeof text, "%F", &parts) == 0 ? "?" : text;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::string to_json(const std::vector<hub::CachedModel>& models) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const hub::CachedModel& model : models) {
    nlohmann::ordered_json files = nlohmann::ordered_json::array();
    for (const hub::CachedFile& file : model.files)
      files.push_back({{"name", file.name}, {"bytes", file.size}});
    json.push_back({{"repo", model.repo},
                    {"commit", model.commit},
                    {"revisions", model.revisions},
                    {"bytes", model.size},
                    {"last_used", day_of(model.last_used)},
                    {"files", std::move(files)}});
  }
  return json_text(json);
}

std::string to_text(const std::vector<hub::CachedModel>& models) {
  if (models.empty()) return "no models in the cache; 'linnet pull org/repo' brings one\n";
  std::vector<std::vector<std::string>> rows = {
      {"model", "revision", "commit", "files", "size", "last used"}};
  for (const hub::CachedModel& model : models) {
    rows.push_back({model.repo, joined(model.revisions), model.commit.substr(0, 8),
                    std::to_string(model.files.size()), readable_bytes(model.size), day_of(model.last_used)});
  }
  return table(rows, "lllrrl");
}

int list(const ListFlags& flags) {
  const std::vector<hub::CachedModel> models = hub::list(hub_options());
  print(flags.json ? to_json(models) : to_text(models));
  return 0;
}

}  // namespace

void add_list(CLI::App& program, Action& action) {
  CLI::App& verb = *program.add_subcommand("list", "show the models in the cache");
  ListFlags& flags = add_verb<ListFlags>(verb, action, list);
  verb.footer(kListExamples);
  verb.add_flag("--json", flags.json, "print one array");
}

}  // namespace linnet::cli
