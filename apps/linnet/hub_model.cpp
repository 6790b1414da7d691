#include "hub_model.h"

#include <filesystem>

#include "base/error.h"
#include "interrupt.h"
#include "linnet/text.hpp"

namespace linnet::cli {

hub::Options hub_options() {
  hub::Options options = hub::options_from_environment();
  options.interrupt = &interrupt_flag();
  return options;
}

std::string local_model(const std::string& given) {
  if (given == kBuiltinModel) return v0::builtin_text_model().string();
  std::error_code ignored;
  if (std::filesystem::exists(given, ignored) || !hub::is_model_name(given)) return given;
  try {
    return hub::resolve(given, hub_options()).string();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::model) throw;
    fail(ErrorKind::model, error.what(), "; 'linnet pull ", given,
         "' brings it, if it is not a file that was meant");
  }
}

}  // namespace linnet::cli
