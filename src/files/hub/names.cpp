#include "files/hub/names.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/quoted.h"

namespace linnet::hub {
namespace {

constexpr size_t kLongestRepo = 96;  // of the hub
constexpr size_t kLongestPart = 255;
constexpr size_t kLongestPath = 1024;

bool is_alphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// One half of "org/repo" by the hub's rules, which also keep "--" free to separate the halves in the cache.
bool is_repo_part(std::string_view part) {
  if (part.empty() || part.size() > kLongestRepo) return false;
  const auto at_edge = [](char c) { return is_alphanumeric(c) || c == '_'; };
  if (!at_edge(part.front()) || !at_edge(part.back())) return false;
  if (part.find("--") != std::string_view::npos || part.find("..") != std::string_view::npos ||
      part.ends_with(".git"))
    return false;
  return std::all_of(part.begin(), part.end(),
                     [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

bool is_quant(std::string_view quant) {
  if (quant.ends_with(".gguf")) return is_safe_path(quant);
  const auto allowed = [](char c) { return is_alphanumeric(c) || c == '_' || c == '-' || c == '.'; };
  return !quant.empty() && quant.size() <= 64 && is_alphanumeric(quant.front()) &&
         std::all_of(quant.begin(), quant.end(), allowed);
}

// Empty, or why the text is no name of a model.
std::string parse(std::string_view text, ModelName& name) {
  std::string_view rest = text;
  if (const auto colon = rest.find(':'); colon != std::string_view::npos) {
    name.quant = rest.substr(colon + 1);
    rest = rest.substr(0, colon);
    if (!is_quant(name.quant)) return "what follows ':' is no name of a quantization or .gguf file";
  }
  if (const auto at = rest.find('@'); at != std::string_view::npos) {
    name.revision = rest.substr(at + 1);
    rest = rest.substr(0, at);
    if (!is_safe_path(name.revision)) return "what follows '@' is no name of a revision";
  }
  const auto slash = rest.find('/');
  if (slash == std::string_view::npos) return "there is no '/'";
  if (!is_repo_part(rest.substr(0, slash)) || !is_repo_part(rest.substr(slash + 1))) {
    return "organization and repository consist of letters, digits, '-', '_' and '.'";
  }
  name.repo = rest;
  return {};
}

}  // namespace

ModelName parse_model_name(std::string_view text) {
  ModelName name;
  if (const auto reason = parse(text, name); !reason.empty()) {
    fail(ErrorKind::usage, "hub: ", quoted_name(text),
         " is not org/repo[@revision][:quantization]: ", reason);
  }
  return name;
}

bool is_model_name(std::string_view text) {
  ModelName name;
  return parse(text, name).empty();
}

bool is_safe_path(std::string_view path) {
  if (path.empty() || path.size() > kLongestPath) return false;
  const auto forbidden = [](unsigned char c) { return c < 0x20 || c == 0x7F || c == '\\'; };
  if (std::any_of(path.begin(), path.end(), forbidden)) return false;
  while (true) {
    const auto slash = path.find('/');
    const auto part = path.substr(0, slash);
    if (part.empty() || part == "." || part == ".." || part.size() > kLongestPart) return false;
    if (slash == std::string_view::npos) return true;
    path.remove_prefix(slash + 1);
  }
}

void check_file_name(std::string_view name) {
  if (!is_safe_path(name)) {
    fail(ErrorKind::failure, "hub: the server names a file ", quoted_name(name),
         ", which could lie outside the cache");
  }
}

bool is_hex(std::string_view text, size_t digits) {
  return text.size() == digits && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

}  // namespace linnet::hub
