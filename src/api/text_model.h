// What is behind a public TextModel.
#pragma once

#include <memory>
#include <vector>

#include "api/boundary.h"
#include "files/model_files.h"
#include "linnet/text.hpp"
#include "runtime/text_model.h"
#include "tasks/generate.h"
#include "tasks/kept_sequence.h"
#include "text/tokenizer.h"

namespace linnet::v0 {

struct TextModel::Impl {
  Impl(std::shared_ptr<Device::Impl> owner, ModelFiles files, const TextOptions& options);

  // From the prompt to the end. With `continued` the sequence goes on there, and stays.
  Generated generate(std::vector<Token> prompt, const GenerateOptions& options, const TextCallback& on_text,
                     KeptSequence* continued);

  // Throws Error(usage) for a handle that was moved from.
  [[nodiscard]] static Impl& of(const std::unique_ptr<Impl>& impl);

  std::shared_ptr<Device::Impl> on;
  std::unique_ptr<Tokenizer> tokenizer;
  linnet::TextModel model;
  KeptSequence kept;  // of the last chat()
  MemoryPlan memory;
  Receipt last_receipt;
};

}  // namespace linnet::v0
