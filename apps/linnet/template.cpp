// linnet template: a conversation as the text that a model is given.
#include <filesystem>

#include "files/model_files.h"
#include "flags.h"
#include "hub_model.h"
#include "output.h"
#include "text/jinja/chat.h"
#include "text/jinja/json.h"
#include "verbs.h"

namespace linnet::cli {
namespace {

constexpr const char* kTemplateExamples = R"(Examples:
  echo '{"messages": [{"role": "user", "content": "Hello"}]}' | linnet template model.gguf
  linnet template chat_template.jinja < request.json

Reads one JSON object from stdin and prints the text, with no newline added:
  messages   the conversation: [{"role": …, "content": …}, …]
  tools      descriptions of functions, for templates that know tools
  documents  for templates that know documents
  kwargs     further variables of the template, e.g. {"enable_thinking": false}; add_generation_prompt is true
             unless it is here
  bos_token, eos_token
             by default the model's
  now        the time that the template sees, e.g. "2026-11-15T12:34:56"; by default this machine's

Exit code 2: the template refuses this conversation, and says why. 3: it is no valid template.)";

struct TemplateFlags {
  std::string model;
};

[[nodiscard]] ChatTemplate template_of(const std::filesystem::path& path) {
  const bool is_folder = std::filesystem::is_directory(path);
  // A folder with a template needs no weights for it.
  for (const char* name : {"tokenizer_config.json", "chat_template.jinja"})
    if (is_folder && std::filesystem::exists(path / name)) return find_chat_template(path);
  if (!is_folder && path.extension() != ".gguf" && path.extension() != ".safetensors")
    return read_chat_template(path);
  const ModelFiles model = open_model(path);
  return model.folder ? find_chat_template(*model.folder) : find_chat_template(model.tensors.metadata());
}

int render(const TemplateFlags& flags) {
  const ChatTemplate chat = template_of(local_model(flags.model));
  if (stdin_is_terminal())
    fail(ErrorKind::usage, "nothing is piped in; 'linnet template --help' shows what is expected on stdin");
  print(jinja::render_chat(chat, jinja::parse_json(read_stdin())));
  return 0;
}

}  // namespace

void add_template(CLI::App& program, Action& action) {
  CLI::App& verb =
      *program.add_subcommand("template", "show the text that a chat template makes of messages");
  TemplateFlags& flags = add_verb<TemplateFlags>(verb, action, render);
  verb.footer(kTemplateExamples);
  verb.add_option("FILE,-m,--model", flags.model,
                  "a template (.jinja); or a model: a GGUF file, a Hugging Face folder, org/repo[:quant] "
                  "from the cache, or 'builtin'")
      ->required()
      ->type_name("");
}

}  // namespace linnet::cli
