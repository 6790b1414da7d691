#include "backends/cpu/kernels/product.h"

#include "backends/cpu/kernels/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/product.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>

#include <cstring>

#include "backends/cpu/kernels/dispatch.h"
#include "format/q8_a.h"

HWY_BEFORE_NAMESPACE();
namespace linnet::cpu::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// --- Rows: the weight as the file has it, dot products along k
// -------------------------------------------------

struct LoadF32 {
  using Stored = float;
  template <class D>
  static HWY_INLINE hn::Vec<D> vector(D d, const Stored* p) {
    return hn::LoadU(d, p);
  }
};

struct LoadF16 {
  using Stored = hwy::float16_t;
  template <class D>
  static HWY_INLINE hn::Vec<D> vector(D d, const Stored* p) {
    return hn::PromoteTo(d, hn::LoadU(hn::Rebind<hwy::float16_t, D>(), p));
  }
};

struct LoadBf16 {
  using Stored = hwy::bfloat16_t;
  template <class D>
  static HWY_INLINE hn::Vec<D> vector(D d, const Stored* p) {
    return hn::PromoteTo(d, hn::LoadU(hn::Rebind<hwy::bfloat16_t, D>(), p));
  }
};

// What is left of a row after whole vectors, as floats.
template <class Load, class D>
HWY_INLINE void LoadTail(D d, const typename Load::Stored* p, size_t n, float* tail) {
  HWY_ALIGN typename Load::Stored padded[HWY_MAX_BYTES / sizeof(float)] = {};
  std::memcpy(padded, p, n * sizeof(*p));
  hn::StoreU(Load::vector(d, padded), d, tail);
}

// Rows × Columns dots at once: lanes sum every N-th product, then the lanes are added, then the tail.
template <class Load, int kRows, int kColumns>
HWY_INLINE void DotTile(const typename Load::Stored* const* w, const float* const* x, size_t k, float* out,
                        size_t out_stride) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d);
  hn::Vec<decltype(d)> sum[kRows][kColumns];
  for (auto& row : sum) {
    for (auto& each : row) each = hn::Zero(d);
  }
  size_t i = 0;
  for (; i + lanes <= k; i += lanes) {
    hn::Vec<decltype(d)> wv[kColumns];
    for (int c = 0; c < kColumns; ++c) wv[c] = Load::vector(d, w[c] + i);
    for (int r = 0; r < kRows; ++r) {
      const auto xv = hn::LoadU(d, x[r] + i);
      for (int c = 0; c < kColumns; ++c) sum[r][c] = hn::MulAdd(wv[c], xv, sum[r][c]);
    }
  }
  HWY_ALIGN float tail[kColumns][HWY_MAX_BYTES / sizeof(float)];
  for (int c = 0; i < k && c < kColumns; ++c) LoadTail<Load>(d, w[c] + i, k - i, tail[c]);
  for (int r = 0; r < kRows; ++r) {
    for (int c = 0; c < kColumns; ++c) {
      float dot = hn::GetLane(hn::SumOfLanes(d, sum[r][c]));
      for (size_t j = 0; i + j < k; ++j) dot += tail[c][j] * x[r][i + j];
      out[r * out_stride + c] = dot;
    }
  }
}

template <class Load, int kRows, int kColumns>
HWY_INLINE void DotTileAt(const CpuWeight& weight, const PreparedRows& x, size_t row, size_t column,
                          float* out, size_t out_stride) {
  const typename Load::Stored* w[kColumns];
  const float* rows[kRows];
  for (int c = 0; c < kColumns; ++c) {
    w[c] = reinterpret_cast<const typename Load::Stored*>(weight.row(column + c));
  }
  for (int r = 0; r < kRows; ++r) rows[r] = reinterpret_cast<const float*>(x.data + (row + r) * x.row_bytes);
  DotTile<Load, kRows, kColumns>(w, rows, weight.columns(), out, out_stride);
}

// 8 columns of one row for decode: eight streams. 4 × 4 for prompts: eight loads feed sixteen products.
template <class Load>
HWY_INLINE void ProductRows(const CpuWeight& weight, const PreparedRows& x, size_t rows, size_t first,
                            size_t count, float* out, size_t out_stride) {
  size_t r = 0;
  for (; r + 4 <= rows; r += 4) {
    size_t c = 0;
    for (; c + 4 <= count; c += 4)
      DotTileAt<Load, 4, 4>(weight, x, r, first + c, out + r * out_stride + c, out_stride);
    for (; c < count; ++c)
      DotTileAt<Load, 4, 1>(weight, x, r, first + c, out + r * out_stride + c, out_stride);
  }
  for (; r < rows; ++r) {
    size_t c = 0;
    for (; c + 8 <= count; c += 8)
      DotTileAt<Load, 1, 8>(weight, x, r, first + c, out + r * out_stride + c, out_stride);
    for (; c < count; ++c)
      DotTileAt<Load, 1, 1>(weight, x, r, first + c, out + r * out_stride + c, out_stride);
  }
}

void ProductF32(const CpuWeight& weight, const PreparedRows& x, size_t rows, size_t first, size_t count,
                float* out, size_t out_stride) {
  ProductRows<LoadF32>(weight, x, rows, first, count, out, out_stride);
}

void ProductF16(const CpuWeight& weight, const PreparedRows& x, size_t rows, size_t first, size_t count,
                float* out, size_t out_stride) {
  ProductRows<LoadF16>(weight, x, rows, first, count, out, out_stride);
}

void ProductBf16(const CpuWeight& weight, const PreparedRows& x, size_t rows, size_t first, size_t count,
                 float* out, size_t out_stride) {
  ProductRows<LoadBf16>(weight, x, rows, first, count, out, out_stride);
}

// --- Panels: integer dots per group of 32, scaled and added up in float, group after group
// -------------------------

// Walks a range of panels and rows with a register tile: Tile::run<rows, panels>(…).
template <class Tile, int kMaxRows, int kPanels, int kDecodePanels>
HWY_INLINE void ProductPanels(const CpuWeight& weight, const PreparedRows& x, size_t rows, size_t first,
                              size_t count, float* out, size_t out_stride) {
  const size_t groups = weight.columns() / kGroup;
  const size_t panels = (count + kPanelRows - 1) / kPanelRows;
  const std::byte* w = weight.panel(first / kPanelRows);
  const size_t step = weight.panel_bytes();
  if (rows == 1) {
    size_t p = 0;
    for (; p + kDecodePanels <= panels; p += kDecodePanels) {
      Tile::template run<1, kDecodePanels>(w + p * step, step, groups, x, out + p * kPanelRows, out_stride);
    }
    for (; p < panels; ++p)
      Tile::template run<1, 1>(w + p * step, step, groups, x, out + p * kPanelRows, out_stride);
    return;
  }
  for (size_t p = 0; p < panels; p += kPanels) {
    const bool whole = p + kPanels <= panels;
    size_t r = 0;
    for (; whole && r + kMaxRows <= rows; r += kMaxRows) {
      Tile::template run<kMaxRows, kPanels>(w + p * step, step, groups, x.from(r),
                                            out + r * out_stride + p * kPanelRows, out_stride);
    }
    for (; r < rows; ++r) {
      for (size_t q = p; q < panels && q < p + kPanels; ++q) {
        Tile::template run<1, 1>(w + q * step, step, groups, x.from(r), out + r * out_stride + q * kPanelRows,
                                 out_stride);
      }
    }
  }
}

// Signed codes in pairs, widened to 16 bits: exact on every processor (8-bit multiply-adds of AVX2 saturate).
struct PairTile {
  using D = hn::CappedTag<float, kPanelRows>;
  using DI32 = hn::RebindToSigned<D>;
  using DI16 = hn::Repartition<int16_t, DI32>;

  // Lane i: a[2i] · b[2i] + a[2i + 1] · b[2i + 1].
  static HWY_INLINE hn::Vec<DI32> Dot(hn::Vec<DI16> a, hn::Vec<DI16> b, hn::Vec<DI32> sum) {
    const DI32 d32;
#if HWY_ARCH_X86
    auto unused = hn::Zero(d32);
    return hn::ReorderWidenMulAccumulate(d32, a, b, sum, unused);  // pmaddwd: pairs in order on x86
#else
    const auto a32 = hn::BitCast(d32, a);
    const auto b32 = hn::BitCast(d32, b);
    const auto even =
        hn::Mul(hn::ShiftRight<16>(hn::ShiftLeft<16>(a32)), hn::ShiftRight<16>(hn::ShiftLeft<16>(b32)));
    const auto odd = hn::Mul(hn::ShiftRight<16>(a32), hn::ShiftRight<16>(b32));
    return hn::Add(sum, hn::Add(even, odd));
#endif
  }

  template <int kRows, int kPanels>
  static HWY_INLINE void run(const std::byte* w, size_t panel_bytes, size_t groups, const PreparedRows& x,
                             float* out, size_t out_stride) {
    const D d;
    const DI32 d32;
    const DI16 d16;
    const hn::Rebind<int8_t, DI16> d8;
    const hn::Rebind<hwy::float16_t, D> d_half;
    constexpr size_t kLanes = HWY_MIN(HWY_MAX_BYTES / sizeof(float), kPanelRows);
    constexpr size_t kVectors = kPanelRows / kLanes;
    hn::Vec<D> sum[kRows][kPanels][kVectors];
    for (auto& row : sum) {
      for (auto& panel : row) {
        for (auto& each : panel) each = hn::Zero(d);
      }
    }
    for (size_t g = 0; g < groups; ++g) {
      HWY_ALIGN int32_t pairs[kRows][kGroup / 2];  // two 16-bit codes each
      float scale[kRows];
      for (int r = 0; r < kRows; ++r) {
        const auto* block = reinterpret_cast<const Q8ABlock*>(x.data + r * x.row_bytes) + g;
        scale[r] = block->scale;
        for (size_t i = 0; i < kGroup; i += hn::Lanes(d16)) {
          hn::StoreU(hn::PromoteTo(d16, hn::LoadU(d8, block->codes + i)), d16,
                     reinterpret_cast<int16_t*>(pairs[r]) + i);
        }
      }
      for (int p = 0; p < kPanels; ++p) {
        const std::byte* group = w + p * panel_bytes + g * kPanelGroupBytes;
        const auto* codes = reinterpret_cast<const int8_t*>(group + kPanelScaleBytes);
        for (size_t v = 0; v < kVectors; ++v) {
          hn::Vec<DI32> dot[kRows];
          for (auto& each : dot) each = hn::Zero(d32);
          for (size_t j = 0; j < kGroup / 2; ++j) {
            const auto wv = hn::PromoteTo(d16, hn::LoadU(d8, codes + 2 * (j * kPanelRows + v * kLanes)));
            for (int r = 0; r < kRows; ++r)
              dot[r] = Dot(wv, hn::BitCast(d16, hn::Set(d32, pairs[r][j])), dot[r]);
          }
          const auto* scales = reinterpret_cast<const hwy::float16_t*>(group) + v * kLanes;
          const auto w_scale = hn::PromoteTo(d, hn::LoadU(d_half, scales));
          for (int r = 0; r < kRows; ++r) {
            const auto both = hn::Mul(w_scale, hn::Set(d, scale[r]));
            sum[r][p][v] = hn::MulAdd(hn::ConvertTo(d, dot[r]), both, sum[r][p][v]);
          }
        }
      }
    }
    for (int r = 0; r < kRows; ++r) {
      for (int p = 0; p < kPanels; ++p) {
        for (size_t v = 0; v < kVectors; ++v) {
          hn::StoreU(sum[r][p][v], d, out + r * out_stride + p * kPanelRows + v * kLanes);
        }
      }
    }
  }
};

void ProductPairs(const CpuWeight& weight, const PreparedRows& x, size_t rows, size_t first, size_t count,
                  float* out, size_t out_stride) {
  ProductPanels<PairTile, 4, 1, 4>(weight, x, rows, first, count, out, out_stride);
}

}  // namespace linnet::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

// VNNI needs its own attributes in Highway 1.0.3, and only 512-bit forms: with this target string g++ would
// encode 256-bit dots as AVX-VNNI, which these processors may lack.
#if HWY_TARGET == HWY_AVX3_DL && !defined(LINNET_ONE_INSTRUCTION_SET)
HWY_PUSH_ATTRIBUTES(HWY_TARGET_STR ",avx512vnni")
namespace linnet::cpu::HWY_NAMESPACE {

// Codes + 128 as the unsigned operand: the accumulator starts at −128 · Σ codes of x, so no sign has to be
// moved about.
struct QuadTile {
  template <int kRows, int kPanels>
  static HWY_NOINLINE void run(const std::byte* w, size_t panel_bytes, size_t groups, const PreparedRows& x,
                               float* out, size_t out_stride) {
    __m512 sum[kRows][kPanels];
    for (auto& row : sum) {
      for (auto& each : row) each = _mm512_setzero_ps();
    }
    for (size_t g = 0; g < groups; ++g) {
      const Q8ABlock* block[kRows];
      for (int r = 0; r < kRows; ++r)
        block[r] = reinterpret_cast<const Q8ABlock*>(x.data + r * x.row_bytes) + g;
      const std::byte* group = w + g * kPanelGroupBytes;
      __m512i dot[kRows][kPanels];
      for (int r = 0; r < kRows; ++r) {
        for (int p = 0; p < kPanels; ++p) dot[r][p] = _mm512_set1_epi32(-128 * block[r]->sum);
      }
      HWY_UNROLL(8)
      for (size_t j = 0; j < kGroup / 4; ++j) {
        __m512i xv[kRows];
        for (int r = 0; r < kRows; ++r) {
          int32_t four;
          std::memcpy(&four, block[r]->codes + 4 * j, sizeof four);
          xv[r] = _mm512_set1_epi32(four);
        }
        for (int p = 0; p < kPanels; ++p) {
          const __m512i wv = _mm512_loadu_si512(group + p * panel_bytes + kPanelScaleBytes + 64 * j);
          for (int r = 0; r < kRows; ++r) dot[r][p] = _mm512_dpbusd_epi32(dot[r][p], wv, xv[r]);
        }
      }
      for (int p = 0; p < kPanels; ++p) {
        const __m512 w_scale =
            _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(group + p * panel_bytes)));
        for (int r = 0; r < kRows; ++r) {
          const __m512 both = _mm512_mul_ps(w_scale, _mm512_set1_ps(block[r]->scale));
          sum[r][p] = _mm512_fmadd_ps(_mm512_cvtepi32_ps(dot[r][p]), both, sum[r][p]);
        }
      }
    }
    for (int r = 0; r < kRows; ++r) {
      for (int p = 0; p < kPanels; ++p) _mm512_storeu_ps(out + r * out_stride + p * kPanelRows, sum[r][p]);
    }
  }
};

// 6 rows × 2 panels: 12 integer and 12 float accumulators of the 32 registers.
void ProductQuads(const CpuWeight& weight, const PreparedRows& x, size_t rows, size_t first, size_t count,
                  float* out, size_t out_stride) {
  ProductPanels<QuadTile, 6, 2, 8>(weight, x, rows, first, count, out, out_stride);
}

}  // namespace linnet::cpu::HWY_NAMESPACE
HWY_POP_ATTRIBUTES
#else
HWY_BEFORE_NAMESPACE();
namespace linnet::cpu::HWY_NAMESPACE {

// Without VNNI no weight is laid out in quads.
void ProductQuads(const CpuWeight& weight, const PreparedRows& x, size_t rows, size_t first, size_t count,
                  float* out, size_t out_stride) {
  ProductPairs(weight, x, rows, first, count, out, out_stride);
}

}  // namespace linnet::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace linnet::cpu {

HWY_EXPORT(ProductF32);
HWY_EXPORT(ProductF16);
HWY_EXPORT(ProductBf16);
HWY_EXPORT(ProductPairs);
HWY_EXPORT(ProductQuads);

ProductKernel* product_kernel(int64_t target, const CpuWeight& weight) {
  switch (weight.layout()) {
    case Layout::panels_quad:
      return for_target(HWY_DISPATCH_TABLE(ProductQuads), target);
    case Layout::panels_pair:
      return for_target(HWY_DISPATCH_TABLE(ProductPairs), target);
    case Layout::rows:
      break;
  }
  switch (weight.format()) {
    case Format::f32:
      return for_target(HWY_DISPATCH_TABLE(ProductF32), target);
    case Format::f16:
      return for_target(HWY_DISPATCH_TABLE(ProductF16), target);
    case Format::bf16:
      return for_target(HWY_DISPATCH_TABLE(ProductBf16), target);
    default:
      fail(ErrorKind::failure, "[linear] weight: no product for rows of ", weight.format());
  }
}

}  // namespace linnet::cpu
#endif
