#include "run_report.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "output.h"

namespace linnet::cli {
namespace {

std::string statistics_line(const v0::GenerateStatistics& statistics) {
  const std::string kept =
      statistics.kept_tokens != 0 ? concat(" (", statistics.kept_tokens, " of them kept)") : std::string();
  return concat("prompt: ", statistics.prompt_tokens, " tokens", kept, ", ",
                fixed(statistics.prompt_speed(), 1), " tokens/s; generated: ", statistics.generated_tokens,
                " tokens, ", fixed(statistics.decode_speed(), 1), " tokens/s; first token after ",
                fixed(statistics.first_token_seconds * 1e3, 1), " ms\n");
}

// Where, how many ops in how long, and their shares of that, the largest first.
std::string summary(const v0::Receipt& receipt, const v0::DeviceInfo& device) {
  std::vector<v0::ReceiptLine> lines = receipt.lines;
  std::ranges::sort(lines, std::greater(), &v0::ReceiptLine::seconds);
  constexpr size_t kWidest = 100;
  std::string shares, row;
  for (const v0::ReceiptLine& line : lines) {
    const double share = receipt.seconds() > 0 ? line.seconds / receipt.seconds() : 0;
    const std::string item = concat(line.op, " ", fixed(100 * share, 0), " %");
    if (!row.empty() && row.size() + 2 + item.size() > kWidest) shares += std::exchange(row, {}) + ",\n";
    row += (row.empty() ? "" : ", ") + item;
  }
  return concat("ran on ", receipt.backend, ": ", receipt.device, " (", device.detail, "); ", receipt.count(),
                " ops in ", fixed(receipt.seconds() * 1e3, 1), " ms\n", shares, row, "\n");
}

}  // namespace

nlohmann::ordered_json to_json(const RunFlags& flags, const v0::Generated& generated,
                               const v0::Receipt& receipt) {
  const v0::GenerateStatistics& statistics = generated.statistics;
  return {{"model", flags.model.model},
          {"text", generated.text},
          {"tokens", generated.tokens},
          {"finish_reason", v0::to_string(generated.finish_reason)},
          {"stop_string", generated.stop_string},
          {"prompt_tokens", statistics.prompt_tokens},
          {"generated_tokens", statistics.generated_tokens},
          {"timings",
           {{"first_token_seconds", statistics.first_token_seconds},
            {"prompt_seconds", statistics.prompt_seconds},
            {"prompt_tokens_per_second", statistics.prompt_speed()},
            {"decode_seconds", statistics.decode_seconds},
            {"decode_tokens_per_second", statistics.decode_speed()}}},
          {"receipt", nlohmann::ordered_json::parse(receipt.to_json())}};
}

void report(const RunFlags& flags, const v0::TextModel& model, const v0::Generated& generated) {
  std::string text;
  if (flags.receipt) text += concat(model.last_receipt());
  if (flags.summary) text += summary(model.last_receipt(), model.device().info());
  if (flags.receipt || flags.summary || flags.verbose) text += statistics_line(generated.statistics);
  if (generated.finish_reason == v0::FinishReason::context) {
    text += concat("linnet: the context of ", model.context(), " tokens is full; --context sets another\n");
  }
  print_error(text);
}

}  // namespace linnet::cli
