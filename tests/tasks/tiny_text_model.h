// A tiny text model on each device, with its tokenizer: what tests of tasks begin with.
#pragma once

#include <memory>

#include "runtime/devices.h"
#include "runtime/text_model.h"
#include "runtime/tiny_model.h"
#include "text/model_tokenizer.h"

namespace linnet::testing {

class TinyTextModelOnEachDevice : public EachDevice {
 protected:
  void SetUp() override {
    EachDevice::SetUp();
    if (IsSkipped()) return;
    model = std::make_unique<TextModel>(
        open_tiny_model({.context = 256}), *device,
        TextModelOptions{.slots = 2, .prompt_rows = 16, .compile = steady_compile(*device)});
    tokenizer = make_tokenizer(model->files().tensors.metadata());
  }

  std::unique_ptr<TextModel> model;
  std::unique_ptr<Tokenizer> tokenizer;
};

}  // namespace linnet::testing
