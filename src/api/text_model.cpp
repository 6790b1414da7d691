#include "api/text_model.h"

#include "api/receipt.h"
#include "api/tensor.h"
#include "text/detokenizer.h"
#include "text/model_tokenizer.h"

namespace linnet::v0 {
namespace {

linnet::Format number(Format format, std::string_view what) {
  if (format == Format::f32 || format == Format::f16 || format == Format::bf16)
    return internal_format(format);
  fail(linnet::ErrorKind::usage, what, ": expected f32, f16 or bf16, got ", to_string(format));
}

TextModelOptions internal_options(const TextOptions& options, const linnet::Device& device) {
  TextModelOptions result;
  result.context = options.context;
  result.slots = options.slots;
  if (options.kv || options.activations) {
    const linnet::DeviceInfo info = device.info();
    result.compile = CompileOptions{
        .activations = options.activations ? number(*options.activations, "activations") : info.compute,
        .kv = options.kv ? number(*options.kv, "kv") : info.kv};
  }
  return result;
}

LoadProgress internal_progress(const TextOptions& options) {
  if (!options.progress) return {};
  return [&options](size_t done, size_t total) {
    if (!options.progress(done, total)) fail(linnet::ErrorKind::interrupted, "loading was stopped");
  };
}

MemoryPlan public_plan(const linnet::MemoryPlan& plan) {
  return {.weights = plan.weights,
          .kv = plan.kv,
          .scratch = plan.scratch,
          .other = plan.other,
          .total = plan.total,
          .available = plan.available,
          .fits = plan.fits,
          .context = plan.context,
          .slots = plan.slots};
}

linnet::GenerateOptions internal_options(const GenerateOptions& options) {
  linnet::GenerateOptions result;
  result.max_tokens = options.max_tokens;
  result.temperature = options.temperature;
  result.top_k = options.top_k;
  result.top_p = options.top_p;
  result.seed = options.seed;
  result.stop = options.stop;
  return result;
}

FinishReason public_reason(linnet::FinishReason reason) {
  switch (reason) {
    case linnet::FinishReason::stop:
      return FinishReason::stop;
    case linnet::FinishReason::length:
      return FinishReason::length;
    case linnet::FinishReason::context:
      return FinishReason::context;
    case linnet::FinishReason::cancelled:
      return FinishReason::cancelled;
    case linnet::FinishReason::none:
    case linnet::FinishReason::error:
      break;
  }
  fail(linnet::ErrorKind::failure, "the generation ended without a reason");
}

GenerateStatistics public_statistics(const linnet::GenerateStatistics& from) {
  return {.prompt_tokens = from.prompt_tokens,
          .kept_tokens = from.kept_tokens,
          .generated_tokens = from.generated_tokens,
          .first_token_seconds = from.first_token_seconds,
          .prompt_seconds = from.prompt_seconds,
          .decode_seconds = from.decode_seconds};
}

// run_to_end() with a question in between.
void pump(Generation& generation, linnet::Device& device, const std::function<bool()>& cancelled) {
  while (!generation.finished() || !generation.idle()) {
    if (cancelled && cancelled()) generation.cancel();
    generation.step();
    if (generation.idle()) continue;
    device.wait(std::chrono::milliseconds(100));
    device.poll();
  }
  if (generation.error()) std::rethrow_exception(generation.error());
}

}  // namespace

TextModel::Impl::Impl(std::shared_ptr<Device::Impl> owner, ModelFiles files, const TextOptions& options)
    : on(std::move(owner)),
      tokenizer(make_tokenizer(files)),
      model(std::move(files), *on->device, internal_options(options, *on->device),
            internal_progress(options)),
      kept(model),
      memory(public_plan(model.plan())) {}

Generated TextModel::Impl::generate(std::vector<Token> prompt, const GenerateOptions& options,
                                    const TextCallback& on_text, KeptSequence* continued) {
  Generated result;
  const linnet::Receipt before = on->device->receipt();
  {
    Generation generation(
        model, *tokenizer, std::move(prompt), internal_options(options),
        [&](std::string_view piece) {
          result.text += piece;
          return !on_text || on_text(piece);
        },
        continued);
    try {
      pump(generation, *on->device, options.cancelled);
    } catch (...) {
      last_receipt = public_receipt(on->device->receipt().since(before));
      throw;
    }
    result.tokens = generation.tokens();
    result.finish_reason = public_reason(generation.reason());
    result.stop_string = generation.stop_string();
    result.statistics = public_statistics(generation.statistics());
  }
  last_receipt = public_receipt(on->device->receipt().since(before));
  return result;
}

TextModel::Impl& TextModel::Impl::of(const std::unique_ptr<Impl>& impl) {
  if (!impl) fail(linnet::ErrorKind::usage, "model: this handle was moved from");
  return *impl;
}

TextModel::TextModel(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TextModel::TextModel(TextModel&&) noexcept = default;
TextModel& TextModel::operator=(TextModel&&) noexcept = default;
TextModel::~TextModel() = default;

TextModel TextModel::load(const std::filesystem::path& path, const Device& device,
                          const TextOptions& options) {
  return at_boundary([&] {
    return TextModel(std::make_unique<Impl>(Internals::shared(device), open_model(path), options));
  });
}

Generated TextModel::generate(std::string_view prompt, const GenerateOptions& options,
                              const TextCallback& on_text) {
  return at_boundary([&] {
    Impl& impl = Impl::of(impl_);
    if (prompt.empty()) fail(linnet::ErrorKind::usage, "prompt: expected some text, got none");
    if (impl.model.free_slots() == 0) impl.kept.forget();  // a conversation has it
    return impl.generate(impl.tokenizer->encode(prompt), options, on_text, nullptr);
  });
}

std::vector<int32_t> TextModel::tokenize(std::string_view text, bool special) const {
  return at_boundary([&] { return Impl::of(impl_).tokenizer->encode(text, {.add_special = special}); });
}

std::string TextModel::detokenize(std::span<const int32_t> tokens) const {
  return at_boundary([&] { return linnet::detokenize(*Impl::of(impl_).tokenizer, tokens); });
}

const Receipt& TextModel::last_receipt() const {
  return at_boundary([&]() -> const Receipt& { return Impl::of(impl_).last_receipt; });
}

const MemoryPlan& TextModel::memory() const {
  return at_boundary([&]() -> const MemoryPlan& { return Impl::of(impl_).memory; });
}

uint32_t TextModel::context() const {
  return at_boundary([&] { return Impl::of(impl_).model.context(); });
}

Device TextModel::device() const {
  return at_boundary([&] { return Internals::handle(Impl::of(impl_).on); });
}

MemoryPlan plan(const std::filesystem::path& path, const Device& device, const TextOptions& options) {
  return at_boundary([&] {
    const linnet::Device& inner = Internals::device(device);
    return public_plan(plan_memory(open_model(path), internal_options(options, inner), inner));
  });
}

std::string_view to_string(FinishReason reason) noexcept {
  switch (reason) {
    case FinishReason::stop:
      return "stop";
    case FinishReason::length:
      return "length";
    case FinishReason::context:
      return "context";
    case FinishReason::cancelled:
      return "cancelled";
  }
  return "?";
}

double GenerateStatistics::prompt_speed() const noexcept {
  return prompt_seconds > 0 ? (prompt_tokens - kept_tokens) / prompt_seconds : 0;
}

double GenerateStatistics::decode_speed() const noexcept {
  return decode_seconds > 0 && generated_tokens > 1 ? (generated_tokens - 1) / decode_seconds : 0;
}

}  // namespace linnet::v0
