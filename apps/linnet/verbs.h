// The verbs of the command line, one file each. A verb adds itself to the program; when it was chosen, its
// callback leaves in `action` what is to be done once the whole line has been understood.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace linnet::cli {

using Action = std::function<int()>;  // returns the exit code

void add_run(CLI::App& program, Action& action);
void add_devices(CLI::App& program, Action& action);
void add_doctor(CLI::App& program, Action& action);
void add_bisect(CLI::App& program, Action& action);
void add_bench(CLI::App& program, Action& action);
void add_bench_text(CLI::App& bench, Action& action);
void add_bench_ops(CLI::App& bench, Action& action);
void add_tokenize(CLI::App& program, Action& action);
void add_template(CLI::App& program, Action& action);
void add_inspect(CLI::App& program, Action& action);
void add_plan(CLI::App& program, Action& action);
void add_quantize(CLI::App& program, Action& action);
void add_pull(CLI::App& program, Action& action);
void add_list(CLI::App& program, Action& action);
void add_rm(CLI::App& program, Action& action);

// Adds a verb whose options live in a Flags; `work` runs with them.
template <class Flags, class Work>
Flags& add_verb(CLI::App& verb, Action& action, Work work) {
  auto flags = std::make_shared<Flags>();
  verb.callback([flags, work, &action] { action = [flags, work] { return work(*flags); }; });
  return *flags;
}

}  // namespace linnet::cli
