// Attention of prompts on the matrix units, after FlashAttention-2 (Dao, 2023). A block takes 64 rows of one
// sequence, for two heads that share a key head or for one; or 128 rows of one head where no other shares its
// key head. Pages of keys and values come into shared memory, each while the one before it is multiplied.
#include "backends/cuda/kernels/attention_prompt.cuh"
#include "backends/cuda/kernels/launch.cuh"

namespace linnet::cuda {
namespace {

using namespace prompt;

// Rows that sequences must have on average. Below, the kernel for few rows, whose warps share the tokens
// instead of the rows. Captured prompts have 16 rows or 32: with the limit between them a prompt takes the
// same kernel whether it is captured or not.
constexpr uint32_t kFewestRows = 17;

template <class T, uint32_t kWidth, uint32_t kTiles>
__global__ void __launch_bounds__(kThreads, 2)
    prompt_attention_kernel(AttentionArgs args, uint32_t heads, Stamp mark, KernelFailure* failure) {
  using In = Layout<kWidth, kTiles>;
  extern __shared__ __align__(256) std::byte memory[];
  begin(mark);
  const Pages& pages = args.pages;
  // The last rows of a sequence see most: they come first, so that short blocks fill the end.
  const Rows rows = find_rows(pages, gridDim.y - 1 - blockIdx.y, kTiles / heads * kTileRows, mark, failure);
  if (rows.slot < 0) return;
  const Queries<kTiles> of{rows, blockIdx.x * heads, heads};

  auto* limits = reinterpret_cast<int32_t*>(memory + In::kLimits);
  const uint32_t tokens = find_limits(pages, of, limits, mark, failure);
  if (tokens == 0) return;
  count_bytes(args, mark, tokens);

  const auto queries = static_cast<uint32_t>(__cvta_generic_to_shared(memory));
  fetch_queries<kWidth>(args, of, queries);
  // Tokens behind the last are zeros: nobody has written them, and a weight of zero does not hide a NaN.
  const auto fetch = [&](uint32_t token) {
    const uint32_t kv_head = of.first_head / (args.heads / pages.kv_heads);
    uint64_t page = place_of_token(pages, rows.slot, token, kv_head, mark, failure);
    if (page == ~0ull) page = 0;
    const uint32_t into = queries + In::pages_at(token);
#pragma unroll
    for (uint32_t i = 0; i < In::kPage / 16; i += kThreads) {
      const uint32_t row = (i + threadIdx.x) / In::kPieces;
      const uint64_t from = 2 * page + (i + threadIdx.x) * 16;
      const uint32_t to = into + In::place(row, threadIdx.x % In::kPieces);
      copy_16(to, args.k_cache + from, token + row < tokens);
      copy_16(to + In::kPage, args.v_cache + from, token + row < tokens);
    }
  };
  fetch(0);

  WarpRows<T, kWidth, kTiles> mine;
  const Seen seen = seen_by_warp<kTiles>(limits);
  for (uint32_t token = 0; token < tokens; token += kTokens) {
    wait_for_copies();
    __syncthreads();  // this page is there, and nobody needs the one before
    if (token + kTokens < tokens) fetch(token + kTokens);
    mine.take(queries, queries + In::pages_at(token), token, limits, seen, args.scale * kLog2E);
  }

#pragma unroll
  for (uint32_t i = 0; i < kTiles; ++i) {
#pragma unroll
    for (uint32_t half = 0; half < 2; ++half) {
      const float share = mine.softmax[i].share(half);
      const uint32_t slot = slot_of(i, half);
      if (limits[slot] < 0) continue;
#pragma unroll
      for (uint32_t n = 0; n < kWidth / 8; ++n) {
        const uint32_t column = of.head(slot) * kWidth + 8 * n + threadIdx.x % 4 * 2;
        store_two(args.out, rows.first + of.row(slot), column, mine.out[i][n][2 * half] * share,
                  mine.out[i][n][2 * half + 1] * share);
      }
    }
  }
}

template <class T, uint32_t kWidth, uint32_t kTiles>
bool launch_tiles(const AttentionArgs& args, const Common& common) {
  const auto kernel = prompt_attention_kernel<T, kWidth, kTiles>;
  constexpr uint32_t kShared = Layout<kWidth, kTiles>::kBytes;
  static const cudaError_t raised =
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared);
  static_cast<void>(raised);
  const uint32_t group = args.heads / args.pages.kv_heads;
  const uint32_t heads = group % kTiles == 0 ? kTiles : 1;
  const uint32_t most = kTiles / heads * kTileRows;
  // Each sequence may add one tile that is not full.
  const uint32_t tiles = args.pages.rows / most + args.pages.sequences;
  launch(kernel, dim3(args.heads / heads, tiles), kThreads, kShared, common, args, heads, common.stamp,
         common.failure);
  return true;
}

template <class T, uint32_t kWidth>
bool launch_width(const AttentionArgs& args, const Common& common) {
  // Two tiles a block read the keys half as often. A multiprocessor holds two such blocks and needs a third
  // for balance, as blocks differ in length; with fewer, many small ones.
  const uint64_t tiles = uint64_t{args.pages.rows} * args.heads / kTileRows;
  return tiles >= uint64_t{2} * 3 * args.processors ? launch_tiles<T, kWidth, 2>(args, common)
                                                    : launch_tiles<T, kWidth, 1>(args, common);
}

template <class T>
bool launch_format(const AttentionArgs& args, const Common& common) {
  return args.pages.width == 64 ? launch_width<T, 64>(args, common) : launch_width<T, 128>(args, common);
}

}  // namespace

bool attention_of_prompts(const AttentionArgs& args) {
  const Pages& pages = args.pages;
  const bool rows =
      args.splits == 1 && pages.sequences > 0 && pages.rows >= uint64_t{kFewestRows} * pages.sequences;
  const bool pairs = args.out.stride % 2 == 0 && reinterpret_cast<uintptr_t>(args.out.data) % 8 == 0;
  return rows && pairs && args.scale > 0;  // the largest score is looked for before the scale
}

bool launch_prompt_attention(const AttentionArgs& args, const Common& common) {
  return args.format == Format::bf16 ? launch_format<__nv_bfloat16>(args, common)
                                     : launch_format<__half>(args, common);
}

}  // namespace linnet::cuda
