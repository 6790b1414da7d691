// Rows of a weight as parts of a 16-bit format whose sum they are (unpacking.h says why). Bound by memory:
// every thread has four pieces of eight numbers on their way and stores 16 bytes a piece and part. The weight
// is read past the L2 cache, in which its parts are to stay until they are multiplied.
#include "backends/cuda/kernels/launch.cuh"

namespace linnet::cuda {
namespace {

constexpr uint32_t kThreads = 256;
constexpr uint32_t kInFlight = 4;
constexpr uint32_t kNumbers = 8;  // of a piece

template <Format W>
struct Piece {
  static constexpr uint32_t kWords = kNumbers / kNumbersAWord<W>;
  uint32_t words[kWords];
  float scale;  // Q8_0

  __device__ __forceinline__ void load(const Matrix& matrix, uint64_t element) {
    const std::byte* from = matrix.data + element * (sizeof(uint32_t) / kNumbersAWord<W>);
    if constexpr (kWords == 2) {
      const uint2 raw = __ldcs(reinterpret_cast<const uint2*>(from));
      words[0] = raw.x;
      words[1] = raw.y;
    } else {
#pragma unroll
      for (uint32_t i = 0; i < kWords; i += 4) {
        const uint4 raw = __ldcs(reinterpret_cast<const uint4*>(from) + i / 4);
        words[i] = raw.x;
        words[i + 1] = raw.y;
        words[i + 2] = raw.z;
        words[i + 3] = raw.w;
      }
    }
    scale = 1;
    if constexpr (W == Format::q8_0)
      scale = __half2float(__ldg(reinterpret_cast<const __half*>(matrix.scales) + element / 32));
  }
  __device__ __forceinline__ void unpack(float (&w)[kNumbers]) const {
    unpack_words<W>(words, w);
    if constexpr (W == Format::q8_0) {
#pragma unroll
      for (float& each : w) each *= scale;
    }
  }
};

// Two numbers rounded to X; what that leaves of them stays, exactly.
template <Format X>
__device__ __forceinline__ uint32_t take_part(float& a, float& b) {
  if constexpr (X == Format::bf16) {
    const __nv_bfloat162 part = __floats2bfloat162_rn(a, b);
    a -= __low2float(part);
    b -= __high2float(part);
    return *reinterpret_cast<const uint32_t*>(&part);
  } else {
    const __half2 part = __floats2half2_rn(a, b);
    a -= __low2float(part);
    b -= __high2float(part);
    return *reinterpret_cast<const uint32_t*>(&part);
  }
}

template <Format W, Format X, uint32_t kParts>
__global__ void __launch_bounds__(kThreads) unpack_kernel(UnpackArgs args, Stamp mark) {
  begin(mark);
  const uint64_t first = uint64_t{args.first_row} * args.weight.columns;
  const auto pieces = static_cast<uint32_t>(uint64_t{args.rows} * args.weight.columns / kNumbers);
  const uint32_t mine = blockIdx.x * (kThreads * kInFlight) + threadIdx.x;
  Piece<W> in[kInFlight];
#pragma unroll
  for (uint32_t u = 0; u < kInFlight; ++u) {
    const uint32_t piece = mine + u * kThreads;
    if (piece < pieces) in[u].load(args.weight, first + uint64_t{piece} * kNumbers);
  }
#pragma unroll
  for (uint32_t u = 0; u < kInFlight; ++u) {
    const uint32_t piece = mine + u * kThreads;
    if (piece >= pieces) return;
    float w[kNumbers];
    in[u].unpack(w);
#pragma unroll
    for (uint32_t part = 0; part < kParts; ++part) {
      uint4 out;
      out.x = take_part<X>(w[0], w[1]);
      out.y = take_part<X>(w[2], w[3]);
      out.z = take_part<X>(w[4], w[5]);
      out.w = take_part<X>(w[6], w[7]);
      reinterpret_cast<uint4*>(args.out + part * args.part_bytes)[piece] = out;
    }
  }
}

using Kernel = void (*)(UnpackArgs, Stamp);

Kernel kernel_for(Format weight, Format format, uint32_t parts) {
  const bool bf16 = format == Format::bf16;
  if (weight == Format::f16 && bf16 && parts == 2) return unpack_kernel<Format::f16, Format::bf16, 2>;
  if (weight == Format::f32 && bf16 && parts == 3) return unpack_kernel<Format::f32, Format::bf16, 3>;
  if (weight != Format::q8_0) return nullptr;
  if (bf16 && parts == 2) return unpack_kernel<Format::q8_0, Format::bf16, 2>;
  if (bf16 && parts == 3) return unpack_kernel<Format::q8_0, Format::bf16, 3>;
  return format == Format::f16 && parts == 2 ? unpack_kernel<Format::q8_0, Format::f16, 2> : nullptr;
}

}  // namespace

bool launch_unpack(const UnpackArgs& args, const Common& common) {
  const Kernel kernel = kernel_for(args.weight.format, args.format, args.parts);
  if (kernel == nullptr || args.rows == 0) return false;
  const uint64_t pieces = uint64_t{args.rows} * args.weight.columns / kNumbers;
  constexpr uint32_t kABlock = kThreads * kInFlight;
  launch(kernel, static_cast<uint32_t>((pieces + kABlock - 1) / kABlock), kThreads, 0, common, args,
         common.stamp);
  return true;
}

}  // namespace linnet::cuda
