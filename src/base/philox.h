// Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC'11): a random number is a
// pure function of key and counter, so every device, batch and thread count draws the same ones.
#pragma once

#include <array>
#include <cstdint>

namespace linnet {

[[nodiscard]] constexpr std::array<uint32_t, 4> philox4x32(std::array<uint32_t, 4> counter,
                                                           uint64_t key) noexcept {
  uint32_t key_low = static_cast<uint32_t>(key);
  uint32_t key_high = static_cast<uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const uint64_t product0 = 0xD2511F53ull * counter[0];
    const uint64_t product1 = 0xCD9E8D57ull * counter[2];
    counter = {static_cast<uint32_t>(product1 >> 32) ^ counter[1] ^ key_low, static_cast<uint32_t>(product1),
               static_cast<uint32_t>(product0 >> 32) ^ counter[3] ^ key_high,
               static_cast<uint32_t>(product0)};
    key_low += 0x9E3779B9u;
    key_high += 0xBB67AE85u;
  }
  return counter;
}

// Uniform in [0, 1): the random number that belongs to one position of one seeded sequence.
[[nodiscard]] constexpr float philox_uniform(uint64_t seed, uint32_t position) noexcept {
  return static_cast<float>(philox4x32({position, 0, 0, 0}, seed)[0] >> 8) * 0x1p-24f;
}

}  // namespace linnet
