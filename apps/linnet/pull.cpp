// linnet pull: brings a model from the hub into the cache.
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "hub_model.h"
#include "interrupt.h"
#include "json_text.h"
#include "output.h"
#include "progress.h"
#include "runtime/memory_plan.h"
#include "verbs.h"

namespace linnet::cli {
namespace {

constexpr const char* kPullExamples = R"(Examples:
  linnet pull org/repo:Q8_0
  linnet pull org/repo
  linnet run -m org/repo:Q8_0 "Hello"

Files go to Hugging Face's own cache (HF_HOME, HF_HUB_CACHE), checked by their hashes; what was begun is continued.
HF_TOKEN, HF_ENDPOINT, HF_HUB_OFFLINE and the usual proxy variables are honoured.)";

struct PullFlags {
  std::string name;
  bool json = false;
};

int pull(const PullFlags& flags) {
  catch_interrupt();
  hub::PulledModel pulled;
  {
    ProgressBar bar("pulling");
    pulled = hub::pull(flags.name, hub_options(), [&](const hub::Progress& progress) {
      bar.show(progress.all_done, progress.all_total);
    });
  }
  if (flags.json) {
    const nlohmann::ordered_json json = {{"repo", pulled.repo},
                                         {"commit", pulled.commit},
                                         {"model", pulled.model.string()},
                                         {"files", pulled.files},
                                         {"downloaded_bytes", pulled.downloaded_bytes}};
    print(json_text(json));
  } else {
    print(concat(pulled.repo, ": ", pulled.files.size(), pulled.files.size() == 1 ? " file, " : " files, ",
                 readable_bytes(pulled.downloaded_bytes), " downloaded\n", pulled.model.string(), "\n"));
  }
  return 0;
}

}  // namespace

void add_pull(CLI::App& program, Action& action) {
  CLI::App& verb = *program.add_subcommand("pull", "bring a model from the hub into the cache");
  PullFlags& flags = add_verb<PullFlags>(verb, action, pull);
  verb.footer(kPullExamples);
  verb.add_option("NAME", flags.name, "org/repo, org/repo:QUANT or org/repo@REVISION[:QUANT]")
      ->required()
      ->type_name("");
  verb.add_flag("--json", flags.json, "print one object at the end");
}

}  // namespace linnet::cli
