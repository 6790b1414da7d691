// linnet rm: removes a model from the cache.
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "hub_model.h"
#include "json_text.h"
#include "output.h"
#include "runtime/memory_plan.h"
#include "verbs.h"

namespace linnet::cli {
namespace {

constexpr const char* kRmExamples = R"(Examples:
  linnet rm org/repo
  linnet rm org/repo --json

All of the repository goes: every snapshot, partial files and locks. It is refused while a process downloads into it.)";

struct RmFlags {
  std::string repo;
  bool json = false;
};

int remove(const RmFlags& flags) {
  const uint64_t freed = hub::remove(flags.repo, hub_options());
  if (flags.json) {
    print(json_text({{"repo", flags.repo}, {"freed_bytes", freed}}));
  } else {
    print(concat(flags.repo, " removed, ", readable_bytes(freed), " freed\n"));
  }
  return 0;
}

}  // namespace

void add_rm(CLI::App& program, Action& action) {
  CLI::App& verb = *program.add_subcommand("rm", "remove a model from the cache");
  RmFlags& flags = add_verb<RmFlags>(verb, action, remove);
  verb.footer(kRmExamples);
  verb.add_option("REPO", flags.repo, "org/repo")->required()->type_name("");
  verb.add_flag("--json", flags.json, "print one object");
}

}  // namespace linnet::cli
