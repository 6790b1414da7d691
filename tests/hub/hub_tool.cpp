// The hub client on a command line, for hub_test.py: hub_tool pull|resolve|list|rm [NAME] [--option VALUE …].
// Results are JSON on stdout, errors go to stderr, the exit code is the error's kind. The environment
// configures it.
#include <atomic>
#include <csignal>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "files/hub/hub.h"

namespace {

using Json = nlohmann::json;
namespace hub = linnet::hub;

std::atomic<bool> interrupted{false};
void on_signal(int) {
  interrupted = true;
}

struct Command {
  std::string verb;
  std::string name;
  hub::Options options = hub::options_from_environment();
  bool show_progress = false;
  hub::IfMissing if_missing = hub::IfMissing::fail;
};

Command parse(const std::vector<std::string>& arguments) {
  Command command;
  command.options.interrupt = &interrupted;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    const auto value = [&] { return i + 1 < arguments.size() ? arguments[++i] : std::string("0"); };
    if (argument == "--retries")
      command.options.retries = static_cast<uint32_t>(std::stoul(value()));
    else if (argument == "--first-wait")
      command.options.first_wait = std::chrono::milliseconds(std::stol(value()));
    else if (argument == "--stall")
      command.options.stall_timeout = std::chrono::seconds(std::stol(value()));
    else if (argument == "--longest-retry-after") {
      command.options.longest_retry_after = std::chrono::seconds(std::stol(value()));
    } else if (argument == "--resolve")
      command.options.addresses.push_back(value());
    else if (argument == "--allow-private")
      command.options.allow_private_addresses = true;
    else if (argument == "--pull")
      command.if_missing = hub::IfMissing::pull;
    else if (argument == "--progress")
      command.show_progress = true;
    else if (command.verb.empty())
      command.verb = argument;
    else
      command.name = argument;
  }
  return command;
}

void show(const hub::Progress& progress) {
  std::cerr << "progress " << static_cast<int>(progress.stage) << ' ' << progress.file << ' ' << progress.done
            << ' ' << progress.total << ' ' << progress.all_done << ' ' << progress.all_total << ' '
            << progress.file_number << ' ' << progress.file_count << std::endl;
}

Json inventory(const hub::Options& options) {
  Json models = Json::array();
  for (const auto& model : hub::list(options)) {
    Json files = Json::object();
    for (const auto& file : model.files) files[file.name] = file.size;
    models.push_back({{"repo", model.repo},
                      {"commit", model.commit},
                      {"revisions", model.revisions},
                      {"size", model.size},
                      {"files", files},
                      {"snapshot", model.snapshot.string()},
                      {"last_used", std::chrono::system_clock::to_time_t(model.last_used)}});
  }
  return models;
}

Json run(const Command& command) {
  const hub::ProgressCallback progress = command.show_progress ? show : hub::ProgressCallback{};
  if (command.verb == "pull") {
    const auto model = hub::pull(command.name, command.options, progress);
    return {{"repo", model.repo},
            {"commit", model.commit},
            {"snapshot", model.snapshot.string()},
            {"model", model.model.string()},
            {"files", model.files},
            {"downloaded", model.downloaded_bytes}};
  }
  if (command.verb == "resolve") {
    return hub::resolve(command.name, command.options, command.if_missing, progress).string();
  }
  if (command.verb == "list") return inventory(command.options);
  if (command.verb == "rm") return hub::remove(command.name, command.options);
  linnet::fail(linnet::ErrorKind::usage, "pull, resolve, list or rm");
}

}  // namespace

int main(int count, char** arguments) {
  std::signal(SIGINT, on_signal);
  try {
    std::cout << run(parse({arguments + 1, arguments + count})).dump() << '\n';
    return 0;
  } catch (const linnet::Error& error) {
    std::cerr << error.what() << '\n';
    return error.exit_code();
  }
}
