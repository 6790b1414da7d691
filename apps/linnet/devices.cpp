// linnet devices: every backend, what it found here, and the recommended one.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "json_text.h"
#include "linnet/linnet.hpp"
#include "output.h"
#include "runtime/memory_plan.h"
#include "verbs.h"

namespace linnet::cli {
namespace {

constexpr const char* kDevicesExamples = R"(Examples:
  linnet devices
  linnet devices --json

A name from the first column is what --device takes. 'auto' takes the recommended one.)";

struct DevicesFlags {
  bool json = false;
};

std::string recommended(const std::vector<v0::BackendStatus>& all) {
  const auto found = std::ranges::find(all, true, &v0::BackendStatus::recommended);
  return found == all.end() ? "" : found->name;
}

std::string to_json(const std::vector<v0::BackendStatus>& all) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const v0::BackendStatus& backend : all) {
    nlohmann::ordered_json entry = {{"name", backend.name},
                                    {"description", backend.description},
                                    {"compiled_in", backend.compiled_in},
                                    {"usable", backend.unavailable.empty()}};
    if (backend.unavailable.empty()) {
      entry["device"] = backend.device.name;
      entry["detail"] = backend.device.detail;
      entry["total_memory"] = backend.device.total_memory;
      entry["free_memory"] = backend.device.free_memory;
    } else {
      entry["reason"] = backend.unavailable;
    }
    list.push_back(std::move(entry));
  }
  const nlohmann::ordered_json json = {{"backends", std::move(list)}, {"recommended", recommended(all)}};
  return json_text(json);
}

std::string to_text(const std::vector<v0::BackendStatus>& all) {
  std::vector<std::vector<std::string>> rows = {{"backend", "compiled in", "device", "total", "free"}};
  for (const v0::BackendStatus& backend : all) {
    const std::string compiled = backend.compiled_in ? "yes" : "no";
    if (backend.unavailable.empty()) {
      rows.push_back({backend.name, compiled, concat(backend.device.name, " (", backend.device.detail, ")"),
                      readable_bytes(backend.device.total_memory),
                      readable_bytes(backend.device.free_memory)});
    } else {
      rows.push_back({backend.name, compiled, concat("not usable: ", backend.unavailable), "-", "-"});
    }
  }
  const std::string best = recommended(all);
  return concat(table(rows, "lllrr"), "\nrecommended: ", best.empty() ? "none: no device can be used" : best,
                "\n");
}

int devices(const DevicesFlags& flags) {
  const std::vector<v0::BackendStatus> all = v0::backends();
  print(flags.json ? to_json(all) : to_text(all));
  return 0;
}

}  // namespace

void add_devices(CLI::App& program, Action& action) {
  CLI::App& verb = *program.add_subcommand("devices", "list what Linnet can compute on here");
  DevicesFlags& flags = add_verb<DevicesFlags>(verb, action, devices);
  verb.footer(kDevicesExamples);
  verb.add_flag("--json", flags.json, "print one object");
}

}  // namespace linnet::cli
