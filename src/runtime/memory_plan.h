// What a model will need on a device, from the files' headers alone: stated by `linnet plan`, and enforced by
// loading before anything is allocated.
#pragma once

#include <cstddef>
#include <iosfwd>

#include "device/device.h"
#include "files/model_files.h"
#include "runtime/text_options.h"
#include "runtime/text_programs.h"

namespace linnet {

struct MemoryPlan {
  size_t weights = 0;
  size_t kv = 0;       // keys and values of all slots at full context
  size_t scratch = 0;  // one arena, the largest of all programs
  size_t other = 0;    // logits, tables and slot state; loaded code, the process itself and the vocabulary
  size_t total = 0;
  size_t available = 0;  // what the device has free now
  bool fits = false;

  uint32_t context = 0;  // what it was made for
  uint32_t slots = 0;
};

// What the process is apart from the model: code and libraries, the threads' stacks, the allocator's own.
// Measured on x86-64 with glibc (release build, 2 threads): 5.6 MB resident beyond the other terms, of
// which 3.5 MB at the start.
inline constexpr size_t kProcessBytes = size_t{6} << 20;
// Per entry of the vocabulary: text, index and score in the tokenizer, and the file's header, which stays
// mapped. Measured: 147 bytes with 32,000 entries and 146 with 128,000, of 14 characters each.
inline constexpr size_t kBytesPerToken = 150;

// Throws Error(model) for a file that describes no model we can run, Error(usage) for impossible options.
[[nodiscard]] MemoryPlan plan_memory(const ModelFiles& model, const TextModelOptions& options,
                                     const Device& device);
[[nodiscard]] MemoryPlan plan_memory(const TextPrograms& programs, const Device& device);

// Throws Error(does_not_fit) with what is needed, what there is and what to try.
void require_fit(const MemoryPlan& plan);

// "3.42 GiB".
[[nodiscard]] std::string readable_bytes(size_t bytes);

}  // namespace linnet
