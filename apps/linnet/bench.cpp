// linnet bench: speed, in two kinds.
#include "verbs.h"

namespace linnet::cli {

void add_bench(CLI::App& program, Action& action) {
  CLI::App& verb =
      *program.add_subcommand("bench", "measure speed: of a model (text) or of single ops (ops)");
  verb.require_subcommand(1);
  verb.footer(R"(Examples:
  linnet bench text -m model.gguf
  linnet bench text -m model.gguf -p 512 -n 128 -r 5 --threads 2
  linnet bench ops)");
  add_bench_text(verb, action);
  add_bench_ops(verb, action);
}

}  // namespace linnet::cli
