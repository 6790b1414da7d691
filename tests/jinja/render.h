// Short ways to render a template in a test.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "text/jinja/failure.h"
#include "text/jinja/json.h"
#include "text/jinja/template.h"

namespace linnet::jinja::test {

[[nodiscard]] inline std::string render(std::string_view source, std::string_view context = "{}",
                                        const Options& options = {}) {
  return Template::parse(source, options).render(parse_json(context));
}

// What is said when the template is refused; empty if it is not.
[[nodiscard]] inline std::string error_of(std::string_view source, std::string_view context = "{}",
                                          const Options& options = {}) {
  try {
    (void)render(source, context, options);
    return "";
  } catch (const TemplateError& error) {
    return error.what();
  }
}

[[nodiscard]] inline std::string contents_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

[[nodiscard]] inline std::filesystem::path testdata() {
  if (const char* folder = std::getenv("LINNET_TESTDATA")) return folder;
  return std::filesystem::path(LINNET_SOURCE_DIR) / ".." / "shared" / "testdata";
}

}  // namespace linnet::jinja::test
