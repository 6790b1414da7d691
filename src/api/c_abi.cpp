#include <memory>
#include <nlohmann/json.hpp>

#include "api/c_boundary.h"
#include "linnet/linnet.hpp"

struct linnet_device {
  linnet::v0::Device device;
};

struct linnet_model {
  linnet::v0::TextModel model;
};

namespace linnet::v0 {
namespace {

Format kv_format(std::string_view name) {
  for (const Format format : {Format::f32, Format::f16, Format::bf16}) {
    if (to_string(format) == name) return format;
  }
  refuse("kv: expected f32, f16 or bf16, got '" + std::string(name) + "'");
}

TextOptions text_options(const linnet_model_options* given) {
  const auto from = read_options(given, "linnet_model_options");
  TextOptions options;
  options.context = from.context;
  options.slots = from.slots == 0 ? 1 : from.slots;
  if (from.kv != nullptr) options.kv = kv_format(from.kv);
  if (from.progress != nullptr) {
    options.progress = [from](size_t done, size_t total) {
      return from.progress(done, total, from.progress_user) != 0;
    };
  }
  return options;
}

GenerateOptions generate_options(const linnet_generate_options* given) {
  const auto from = read_options(given, "linnet_generate_options");
  GenerateOptions options;
  options.max_tokens = from.max_tokens;
  options.temperature = from.temperature;
  options.top_k = from.top_k;
  options.top_p = from.top_p == 0 ? 1 : from.top_p;
  options.seed = from.seed;
  if (from.stop_count != 0) required(from.stop, "stop");
  for (size_t i = 0; i < from.stop_count; ++i) options.stop.emplace_back(&required(from.stop[i], "stop"));
  if (from.cancelled != nullptr) {
    options.cancelled = [from] { return from.cancelled(from.cancelled_user) != 0; };
  }
  return options;
}

// The caller's function as a TextCallback; what it points to must live as long as that.
TextCallback text_callback(linnet_text_callback on_text, void* user) {
  if (on_text == nullptr) return {};
  return [on_text, user, piece_with_end = std::string()](std::string_view piece) mutable {
    piece_with_end = piece;
    return on_text(piece_with_end.c_str(), piece_with_end.size(), user) != 0;
  };
}

linnet_generated c_result(const Generated& generated) {
  linnet_generated result{};
  result.finish_reason = static_cast<uint32_t>(generated.finish_reason);
  result.prompt_tokens = generated.statistics.prompt_tokens;
  result.generated_tokens = generated.statistics.generated_tokens;
  result.kept_tokens = generated.statistics.kept_tokens;
  result.first_token_seconds = generated.statistics.first_token_seconds;
  result.prompt_seconds = generated.statistics.prompt_seconds;
  result.decode_seconds = generated.statistics.decode_seconds;
  return result;
}
static_assert(static_cast<int>(FinishReason::stop) == LINNET_FINISH_STOP);
static_assert(static_cast<int>(FinishReason::length) == LINNET_FINISH_LENGTH);
static_assert(static_cast<int>(FinishReason::context) == LINNET_FINISH_CONTEXT);
static_assert(static_cast<int>(FinishReason::cancelled) == LINNET_FINISH_CANCELLED);

}  // namespace
}  // namespace linnet::v0

using namespace linnet::v0;

extern "C" {

const char* linnet_version(void) {
  return version().data();
}  // a literal

linnet_status linnet_device_open(const char* name, const linnet_device_options* options,
                                 linnet_device** device) {
  return without_exceptions([&] {
    required(device, "device") = nullptr;
    const auto from = read_options(options, "linnet_device_options");
    const DeviceOptions chosen{
        .threads = from.threads,
        .instruction_set = from.instruction_set != nullptr ? from.instruction_set : ""};
    auto opened =
        std::make_unique<linnet_device>(linnet_device{open_device(name != nullptr ? name : "auto", chosen)});
    *device = opened.release();
  });
}

void linnet_device_close(linnet_device* device) {
  std::unique_ptr<linnet_device>(device).reset();
}

linnet_status linnet_backends_json(char** json) {
  return without_exceptions([&] {
    required(json, "json") = nullptr;
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const BackendStatus& backend : backends()) {
      all.push_back({{"name", backend.name},
                     {"description", backend.description},
                     {"compiled_in", backend.compiled_in},
                     {"usable", backend.unavailable.empty()},
                     {"reason", backend.unavailable},
                     {"device", backend.device.name},
                     {"detail", backend.device.detail},
                     {"total_memory", backend.device.total_memory},
                     {"free_memory", backend.device.free_memory},
                     {"recommended", backend.recommended}});
    }
    *json = given_string(all.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  });
}

linnet_status linnet_builtin_text_model(char** path) {
  return without_exceptions([&] {
    required(path, "path") = nullptr;
    *path = given_string(builtin_text_model().string());
  });
}

linnet_status linnet_model_load(const char* path, linnet_device* device, const linnet_model_options* options,
                                linnet_model** model) {
  return without_exceptions([&] {
    required(model, "model") = nullptr;
    auto loaded = std::make_unique<linnet_model>(linnet_model{
        TextModel::load(&required(path, "path"), required(device, "device").device, text_options(options))});
    *model = loaded.release();
  });
}

void linnet_model_free(linnet_model* model) {
  std::unique_ptr<linnet_model>(model).reset();
}

linnet_status linnet_plan(const char* path, linnet_device* device, const linnet_model_options* options,
                          linnet_memory_plan* into) {
  return without_exceptions([&] {
    check_result(&required(into, "plan"), "linnet_memory_plan");
    const MemoryPlan made =
        plan(&required(path, "path"), required(device, "device").device, text_options(options));
    linnet_memory_plan result{};
    result.weights = made.weights;
    result.kv = made.kv;
    result.scratch = made.scratch;
    result.other = made.other;
    result.total = made.total;
    result.available = made.available;
    result.fits = made.fits ? 1 : 0;
    result.context = made.context;
    result.slots = made.slots;
    write_result(result, into, "linnet_memory_plan");
  });
}

linnet_status linnet_generate(linnet_model* model, const char* prompt, const linnet_generate_options* options,
                              linnet_text_callback on_text, void* user, linnet_generated* generated) {
  return without_exceptions([&] {
    check_result(generated, "linnet_generated");
    const Generated result = required(model, "model")
                                 .model.generate(&required(prompt, "prompt"), generate_options(options),
                                                 text_callback(on_text, user));
    if (generated != nullptr) write_result(c_result(result), generated, "linnet_generated");
  });
}

linnet_status linnet_chat(linnet_model* model, const linnet_message* messages, size_t count,
                          const linnet_generate_options* options, linnet_text_callback on_text, void* user,
                          linnet_generated* generated) {
  return without_exceptions([&] {
    check_result(generated, "linnet_generated");
    if (count != 0) required(messages, "messages");
    std::vector<Message> conversation;
    for (const linnet_message& message : std::span(messages, count)) {
      conversation.push_back({&required(message.role, "role"), &required(message.content, "content")});
    }
    const Generated result =
        required(model, "model")
            .model.chat(conversation, generate_options(options), text_callback(on_text, user));
    if (generated != nullptr) write_result(c_result(result), generated, "linnet_generated");
  });
}

linnet_status linnet_has_chat_template(const linnet_model* model, int* has) {
  return without_exceptions([&] {
    required(has, "has") = 0;
    *has = required(model, "model").model.has_chat_template() ? 1 : 0;
  });
}

linnet_status linnet_tokenize(const linnet_model* model, const char* text, int add_special, int32_t* ids,
                              size_t capacity, size_t* count) {
  return without_exceptions([&] {
    required(count, "count") = 0;
    if (capacity != 0) required(ids, "ids");
    const std::vector<int32_t> all =
        required(model, "model").model.tokenize(&required(text, "text"), add_special != 0);
    *count = all.size();
    std::copy_n(all.begin(), std::min(capacity, all.size()), ids);
    if (capacity != 0 && capacity < all.size()) {
      refuse("capacity: expected at least " + std::to_string(all.size()) + ", got " +
             std::to_string(capacity));
    }
  });
}

linnet_status linnet_detokenize(const linnet_model* model, const int32_t* ids, size_t count, char** text) {
  return without_exceptions([&] {
    required(text, "text") = nullptr;
    if (count != 0) required(ids, "ids");
    *text = given_string(required(model, "model").model.detokenize({ids, count}));
  });
}

linnet_status linnet_receipt_json(const linnet_model* model, char** json) {
  return without_exceptions([&] {
    required(json, "json") = nullptr;
    *json = given_string(required(model, "model").model.last_receipt().to_json());
  });
}
}
