// linnet: the command line. Exit codes: 0 done, 1 failure, 2 usage, 3 model, 4 device, 5 does not fit, 130
// interrupted.
#include <csignal>
#include <iostream>
#include <new>

#include "base/error.h"
#include "linnet/linnet.hpp"
#include "output.h"
#include "suggest.h"
#include "verbs.h"

namespace linnet::cli {
namespace {

constexpr int kUsage = static_cast<int>(ErrorKind::usage);

constexpr const char* kMainExamples = R"(Examples:
  linnet run "What is the capital of France?"
  linnet run -m model.gguf
  linnet inspect model.gguf
  linnet plan model.gguf --context 4096
  linnet devices

Exit codes: 0 done, 1 failure, 2 usage, 3 model missing or invalid, 4 device not available, 5 does not fit, 130 interrupted.
'linnet VERB --help' tells more about each verb.)";

int complain(std::string_view message, int code) noexcept {
  try {
    print_error(concat("linnet: ", message, "\n"));
  } catch (const std::bad_alloc&) {
    print_error("linnet: the system has no memory left\n");
  }
  return code;
}

// The innermost verb that was understood so far.
const CLI::App& chosen_verb(const CLI::App& program) {
  const auto verbs = program.get_subcommands();
  return verbs.empty() ? program : chosen_verb(*verbs.front());
}

std::string path_of(const CLI::App& verb) {
  return verb.get_parent() == nullptr ? verb.get_name() : path_of(*verb.get_parent()) + " " + verb.get_name();
}

int usage_error(const CLI::App& program, const CLI::ParseError& error) {
  const CLI::App& verb = chosen_verb(program);
  std::string message = error.what();
  const std::vector<std::string> extras = program.remaining(true);
  // What was not understood explains a missing option better than the option's absence does.
  const bool explained_by_extras = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr ||
                                   dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  if (!extras.empty() && explained_by_extras) {
    const std::string& first = extras.front();
    const bool is_option = first.starts_with("-");
    const std::string close = nearest(first, is_option ? option_names(verb) : verb_names(verb));
    message = concat(is_option ? "unknown option '" : "unexpected argument '", first, "'",
                     close.empty() ? "" : concat("; did you mean '", close, "'?"));
  }
  return complain(concat(message, "\nlinnet: '", path_of(verb), " --help' shows what it takes"), kUsage);
}

// CLI11 would take an unknown verb for one argument too many.
std::string unknown_verb(const CLI::App& program, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return {};
  const std::vector<std::string> verbs = verb_names(program);
  if (std::ranges::find(verbs, argv[1]) != verbs.end()) return {};
  const std::string close = nearest(argv[1], verbs);
  std::string list;
  for (const std::string& verb : verbs) list += (list.empty() ? "" : ", ") + verb;
  return concat("unknown verb '", argv[1], "'", close.empty() ? "" : concat("; did you mean '", close, "'?"),
                "\nlinnet: the verbs are ", list);
}

std::string hint(int code) {
  return code == static_cast<int>(ErrorKind::device)
             ? "\nlinnet: 'linnet devices' shows what can be used here"
             : "";
}

int run_action(const Action& action) {
  try {
    return action();
  } catch (const ReaderGone&) {
    return 0;
  } catch (const Error& error) {
    return complain(error.what() + hint(error.exit_code()), error.exit_code());
  } catch (const v0::Error& error) {
    const int code = static_cast<int>(error.kind());
    return complain(error.what() + hint(code), code);
  } catch (const std::bad_alloc&) {
    return complain("the system has no memory left", static_cast<int>(ErrorKind::does_not_fit));
  } catch (const std::exception& error) {
    return complain(error.what(), static_cast<int>(ErrorKind::failure));
  }
}

int run(int argc, char** argv) {
  CLI::App program("Linnet runs transformers on the processor that is there.", "linnet");
  program.set_version_flag("--version", "linnet " + std::string(v0::version()), "print the version");
  program.set_help_flag("-h,--help", "show this help");
  program.require_subcommand(1);
  program.footer(kMainExamples);
  program.get_formatter()->column_width(34);
  Action action;
  add_run(program, action);
  add_devices(program, action);
  add_doctor(program, action);
  add_bisect(program, action);
  add_bench(program, action);
  add_tokenize(program, action);
  add_template(program, action);
  add_inspect(program, action);
  add_plan(program, action);
  add_quantize(program, action);
  add_pull(program, action);
  add_list(program, action);
  add_rm(program, action);

  if (const std::string message = unknown_verb(program, argc, argv); !message.empty())
    return complain(message, kUsage);
  try {
    program.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return run_action([&] {
      print(program.help());  // of the verb that was chosen
      return 0;
    });
  } catch (const CLI::CallForVersion& version) {
    return run_action([&] {
      print(std::string(version.what()) + "\n");
      return 0;
    });
  } catch (const CLI::ParseError& error) {
    return usage_error(program, error);
  }
  return run_action(action);
}

}  // namespace
}  // namespace linnet::cli

int main(int argc, char** argv) {
  linnet::cli::open_standard_streams();
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is an error of write()
  try {
    return linnet::cli::run(argc, argv);
  } catch (const std::exception& error) {
    return linnet::cli::complain(error.what(), 1);
  }
}
