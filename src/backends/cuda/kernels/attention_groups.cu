// A block takes 64 rows of one sequence for two heads that share a key head, a group of four warps for each;
// or 128 rows of one head. One thread asks for pages of keys and values (tensor copies into a ring). While
// one group has its softmax, the other multiplies (Shah et al., FlashAttention-3, 2024).
#include "backends/cuda/kernels/attention_groups.h"

#include "backends/cuda/kernels/attention_prompt.cuh"
#include "backends/cuda/kernels/eights.cuh"
#include "backends/cuda/kernels/launch.cuh"
#include "backends/cuda/kernels/tensor_copies.cuh"
#include "backends/cuda/kernels/warpgroup.cuh"

namespace linnet::cuda {
namespace {

using namespace prompt;

constexpr uint32_t kGroups = 2;
constexpr uint32_t kAttend = 128 * kGroups;
constexpr uint32_t kBlockThreads = kAttend + 128;  // registers are moved between groups of warps
constexpr uint32_t kSlots = 4;
// Of 168 for every thread: those who attend keep queries, scores and outputs in theirs.
[[maybe_unused]] constexpr uint32_t kAskRegisters = 40;
[[maybe_unused]] constexpr uint32_t kAttendRegisters = 232;
constexpr uint32_t kHalfBytes = kTokens * 128;  // a page's tokens, 64 numbers of each

// What lies where in shared memory.
template <uint32_t kWidth>
struct Room {
  static constexpr uint32_t kHalves = kWidth / 64;
  static constexpr uint32_t kPageBytes = kHalves * kHalfBytes;
  static constexpr uint32_t kSlotBytes = 2 * kPageBytes;  // keys, values
  static constexpr uint32_t kQueriesAt = kSlots * kSlotBytes;
  static constexpr uint32_t kLimitsAt = kQueriesAt + Layout<kWidth, kGroups>::kQueries;
  static constexpr uint32_t kBarriersAt = kLimitsAt + kGroups * kTileRows * sizeof(int32_t);
  static constexpr uint32_t kBytes = kBarriersAt + 2 * kSlots * sizeof(uint64_t);
};

struct Ring {
  uint64_t* full;
  uint64_t* empty;
};

// By one thread: pages of all tokens, in order.
template <uint32_t kWidth>
__device__ __forceinline__ void ask_for_pages(const GroupAttentionArgs& args, int32_t slot, uint32_t kv_head,
                                              uint32_t tokens, const Ring& ring, uint32_t memory,
                                              const Stamp& mark, KernelFailure* failure) {
  using In = Room<kWidth>;
  const Pages& pages = args.attention.pages;
  // A token of a page that is not there is reported, and another page read.
  const auto row_of = [&](uint32_t token) {
    const uint64_t place = place_of_token(pages, slot, token, kv_head, mark, failure);
    return place == ~0ull ? 0u : static_cast<uint32_t>(place / kWidth);
  };
  TileRing at;
  uint32_t next = row_of(0);
#pragma unroll 1
  for (uint32_t token = 0; token < tokens; token += kTokens) {
    const uint32_t row = next;
    if (token + kTokens < tokens) next = row_of(token + kTokens);  // is on its way while this one waits
    if (token >= kSlots * kTokens) wait(&ring.empty[at.slot], at.parity ^ 1);
    uint64_t* full = &ring.full[at.slot];
    const uint32_t to = memory + at.slot * In::kSlotBytes;
    expect_bytes(full, In::kSlotBytes);
#pragma unroll
    for (uint32_t half = 0; half < In::kHalves; ++half) {
      copy_box(to + half * kHalfBytes, args.keys, 64 * half, row, full);
      copy_box(to + In::kPageBytes + half * kHalfBytes, args.values, 64 * half, row, full);
    }
    at.advance(kSlots);
  }
}

// Values of tokens behind the last: nobody has written them, and a weight of zero does not hide a NaN. By all
// groups, which meet.
template <uint32_t kWidth>
__device__ __forceinline__ void clear_behind(std::byte* values, uint32_t first) {
  const uint32_t pieces = (kTokens - first) * (kHalfBytes / kTokens / 16);
  for (uint32_t i = threadIdx.x; i < Room<kWidth>::kHalves * pieces; i += kAttend) {
    auto* half = reinterpret_cast<uint4*>(values + i / pieces * kHalfBytes + first * (kHalfBytes / kTokens));
    half[i % pieces] = make_uint4(0, 0, 0, 0);
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  asm volatile("bar.sync 1, %0;" ::"n"(kAttend) : "memory");
}

// What a group keeps of its 64 rows.
template <uint32_t kWidth>
struct GroupRows {
  static constexpr uint32_t kHalves = kWidth / 64;
  float out[kHalves][32] = {};
  Softmax<__nv_bfloat16, kTokens> softmax;
  uint32_t q[kWidth / 16][4];
  float scores[32];
  uint32_t high[kTokens / 16][4];  // weights, and what they lost
  uint32_t low[kTokens / 16][4];

  // The last tokens that all of a group's rows see, and that any does.
  __device__ __forceinline__ static Seen seen(const int32_t* limits) {
    const uint32_t first = threadIdx.x / 128 * kTileRows + threadIdx.x % 32;
    Seen all{min(limits[first], limits[first + 32]), max(limits[first], limits[first + 32])};
#pragma unroll
    for (uint32_t offset = 1; offset < 32; offset *= 2) {
      all.by_all = min(all.by_all, __shfl_xor_sync(~0u, all.by_all, offset));
      all.by_any = max(all.by_any, __shfl_xor_sync(~0u, all.by_any, offset));
    }
    return all;
  }

  __device__ __forceinline__ void load_queries(uint32_t queries) {
    using Rows = Layout<kWidth, kGroups>;
    const uint32_t lane = threadIdx.x % 32;
    const uint32_t from = queries + Rows::place(threadIdx.x / 32 * 16 + lane % 16, lane / 16);
#pragma unroll
    for (uint32_t i = 0; i < kWidth / 16; ++i) load_matrices(q[i], from ^ i * 32);
  }

  // Both begin products that go on meanwhile.
  __device__ __forceinline__ void multiply_keys(uint32_t keys) {
#pragma unroll
    for (uint32_t i = 0; i < kWidth / 16; ++i)
      multiply_registers<false>(scores, q[i], to_the_right(describe_tile(keys + i / 4 * kHalfBytes), i % 4),
                                i > 0);
  }
  __device__ __forceinline__ void add_values(uint32_t values) {
#pragma unroll
    for (uint32_t half = 0; half < kHalves; ++half) {
#pragma unroll
      for (uint32_t t = 0; t < kTokens / 16; ++t) {
        const uint64_t tile = describe_tile(values + half * kHalfBytes + t * 16 * 128);
        multiply_registers<true>(out[half], high[t], tile, true);
        multiply_registers<true>(out[half], low[t], tile, true);
      }
    }
  }

  __device__ __forceinline__ void weigh(uint32_t token, bool all_see, const int32_t* limits, float scale) {
    auto& by_eights = reinterpret_cast<float(&)[kTokens / 8][4]>(scores);
    if (!all_see) softmax.hide(token, 0, limits, by_eights);
    float factor[2];
    if (__any_sync(~0u, softmax.weigh(by_eights, scale, factor))) {
#pragma unroll
      for (uint32_t half = 0; half < kHalves; ++half) {
#pragma unroll
        for (uint32_t i = 0; i < 32; ++i) out[half][i] *= factor[i % 4 / 2];
      }
    }
#pragma unroll
    for (uint32_t t = 0; t < kTokens / 16; ++t) {
#pragma unroll
      for (uint32_t j = 0; j < 4; ++j)
        split<__nv_bfloat16>(scores[8 * t + 2 * j], scores[8 * t + 2 * j + 1], high[t][j], low[t][j]);
    }
  }

  __device__ __forceinline__ void store(const AttentionArgs& args, const Queries<kGroups>& of,
                                        const int32_t* limits) {
#pragma unroll
    for (uint32_t half = 0; half < 2; ++half) {
      const float share = softmax.share(half);
      const uint32_t slot = slot_of(0, half);
      std::byte* to = args.out.data + 2 * ((of.rows.first + of.row(slot)) * args.out.stride +
                                           uint64_t{of.head(slot)} * kWidth);
#pragma unroll
      for (uint32_t i = 0; i < kHalves * 8; i += 4) {
        uint32_t two[4];
#pragma unroll
        for (uint32_t j = 0; j < 4; ++j) {
          const float* sums = &out[(i + j) / 8][4 * ((i + j) % 8) + 2 * half];
          two[j] = as_bf16(sums[0] * share, sums[1] * share);
        }
        store_groups(limits[slot] < 0 ? nullptr : to + 16 * i, two);
      }
    }
  }
};

template <uint32_t kWidth>
__device__ __forceinline__ void attend(const AttentionArgs& args, const Queries<kGroups>& of, uint32_t tokens,
                                       const Ring& ring, std::byte* memory) {
  using In = Room<kWidth>;
  const uint32_t base = shared_address(memory);
  const auto* limits = reinterpret_cast<const int32_t*>(memory + In::kLimitsAt);
  const Seen seen = GroupRows<kWidth>::seen(limits);
  const float scale = args.scale * kLog2E;
  GroupRows<kWidth> mine;
  mine.load_queries(base + In::kQueriesAt);
  TileRing at;
  const auto await_page = [&](uint32_t token) {
    wait(&ring.full[at.slot], at.parity);
    if (token + kTokens > tokens)
      clear_behind<kWidth>(memory + at.slot * In::kSlotBytes + In::kPageBytes, tokens - token);
    __syncwarp();  // the products are those of whole warps
  };
  // Every phase of a barrier is waited for: nobody asks for more into the last slots.
  const auto give_back = [&](uint32_t slot, uint32_t token) {
    if (threadIdx.x % 32 == 0 && token + kSlots * kTokens < tokens) arrive(&ring.empty[slot]);
  };
  const auto begin_scores = [&](uint32_t token) {
    await_page(token);
    begin_products();
    mine.multiply_keys(base + at.slot * In::kSlotBytes);
    end_products();
  };
  const auto until = static_cast<uint32_t>(seen.by_any + 1);
  uint32_t token = 0;
  if (until > 0) {
    begin_scores(0);
    wait_for_products<0>();
#pragma unroll 1
    do {
      const uint32_t slot = at.slot;
      mine.weigh(token, static_cast<int32_t>(token + kTokens - 1) <= seen.by_all, limits, scale);
      begin_products();
      mine.add_values(base + slot * In::kSlotBytes + In::kPageBytes);
      end_products();
      at.advance(kSlots);
      if (token + kTokens < until) begin_scores(token + kTokens);
      wait_for_products<0>();
      give_back(slot, token);
      token += kTokens;
    } while (token < until);
  }
  // What only the other group sees.
#pragma unroll 1
  for (; token < tokens; token += kTokens) {
    await_page(token);
    give_back(at.slot, token);
    at.advance(kSlots);
  }
  mine.store(args, of, limits);
}

template <uint32_t kWidth>
__device__ __forceinline__ void run_groups(const GroupAttentionArgs& args, uint32_t heads, const Stamp& mark,
                                           KernelFailure* failure) {
  using In = Room<kWidth>;
  extern __shared__ __align__(1024) std::byte memory[];
  auto* barriers = reinterpret_cast<uint64_t*>(memory + In::kBarriersAt);
  const Ring ring{barriers, barriers + kSlots};
  begin(mark);
  const AttentionArgs& attention = args.attention;
  // The last rows of a sequence see most: they come first, so that short blocks fill the end.
  const Rows rows =
      find_rows(attention.pages, gridDim.y - 1 - blockIdx.y, kGroups / heads * kTileRows, mark, failure);
  if (rows.slot < 0) return;
  const Queries<kGroups> of{rows, blockIdx.x * heads, heads};
  if (threadIdx.x == 0) {
    for (uint32_t i = 0; i < kSlots; ++i) {
      init_barrier(&ring.full[i], 1);
      init_barrier(&ring.empty[i], kAttend / 32);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  const uint32_t tokens =
      find_limits(attention.pages, of, reinterpret_cast<int32_t*>(memory + In::kLimitsAt), mark, failure);
  if (tokens == 0) return;
  count_bytes(attention, mark, tokens);
  fetch_queries<kWidth>(attention, of, shared_address(memory) + In::kQueriesAt);
  wait_for_copies();
  __syncthreads();
  if (threadIdx.x >= kAttend) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kAskRegisters));
    if (threadIdx.x / 32 == kAttend / 32 && one_lane())
      ask_for_pages<kWidth>(args, rows.slot, of.first_head / (attention.heads / attention.pages.kv_heads),
                            tokens, ring, shared_address(memory), mark, failure);
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kAttendRegisters));
    attend<kWidth>(attention, of, tokens, ring, memory);
  }
}

template <uint32_t kWidth>
__global__ void __launch_bounds__(kBlockThreads, 1)
    group_attention_kernel(const __grid_constant__ GroupAttentionArgs args, uint32_t heads, Stamp mark,
                           KernelFailure* failure) {
  if constexpr (LINNET_HAS_WARPGROUPS) run_groups<kWidth>(args, heads, mark, failure);
}

template <uint32_t kWidth>
bool launch_width(const GroupAttentionArgs& args, const Common& common) {
  const auto kernel = group_attention_kernel<kWidth>;
  constexpr uint32_t kShared = Room<kWidth>::kBytes;
  static const cudaError_t raised =
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared);
  static_cast<void>(raised);
  const AttentionArgs& attention = args.attention;
  const uint32_t heads = attention.heads / attention.pages.kv_heads % kGroups == 0 ? kGroups : 1;
  // Each sequence may add one tile that is not full.
  const uint32_t tiles = attention.pages.rows / (kGroups / heads * kTileRows) + attention.pages.sequences;
  launch(kernel, dim3(attention.heads / heads, tiles), kBlockThreads, kShared, common, args, heads,
         common.stamp, common.failure);
  return true;
}

}  // namespace

bool group_attention_takes(const AttentionArgs& args) {
  return args.format == Format::bf16 && args.q.format == Format::bf16 && args.out.format == Format::bf16 &&
         attention_on_matrix_units(args) && args.out.stride % 8 == 0 &&
         reinterpret_cast<uintptr_t>(args.out.data) % 16 == 0;
}

bool group_attention_pays(const AttentionArgs& args) {
  constexpr uint32_t kBlocks = 2;  // for each multiprocessor, for they differ in length
  const uint64_t tiles = uint64_t{args.pages.rows} * args.heads / kTileRows;
  return attention_of_prompts(args) && tiles >= uint64_t{kGroups} * kBlocks * args.processors;
}

bool launch_group_attention(const GroupAttentionArgs& args, const Common& common) {
  if (args.attention.pages.rows == 0) return false;
  return args.attention.pages.width == 64 ? launch_width<64>(args, common) : launch_width<128>(args, common);
}

}  // namespace linnet::cuda
