#include "backends/cpu/kernels/bind.h"
#include "backends/cpu/paged_cache.h"
#include "base/float16.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backends/cpu/kernels/attention.cpp"
#include <hwy/foreach_target.h>
//
#include <hwy/highway.h>
//
#include "backends/cpu/kernels/rows-inl.h"

#ifndef LINNET_CPU_ATTENTION_ARGS
#define LINNET_CPU_ATTENTION_ARGS
namespace linnet::cpu {

// Keys are taken in splits that begin at fixed positions, each summed on its own and combined in order: one
// thread over all splits of a row and many threads over one split each give the same bits.
inline constexpr size_t kSplitTokens = 8 * kPageTokens;
// Query heads that share a key head are computed together, so many that their sums stay in the first-level
// cache.
inline constexpr size_t kGroupFloats = 2048;
// Rows for which splits may run side by side; more rows give every thread enough to do.
inline constexpr size_t kSplitRows = 16;

struct AttentionArgs {
  Tensor q;  // [rows, heads, width]
  PagedBatch batch;
  Tensor k_cache;
  Tensor v_cache;
  Tensor out;  // [rows, heads · width]
  float scale;
  size_t kv_heads;
  size_t splits;     // at full context
  float* workspace;  // [kSplitRows, heads, splits, 2 + width]: largest score, sum, weighted values

  [[nodiscard]] size_t width() const noexcept { return q.last; }
  [[nodiscard]] size_t heads() const noexcept { return q.columns / q.last; }
  [[nodiscard]] size_t partial_floats() const noexcept { return 2 + width(); }
};

}  // namespace linnet::cpu
#endif

HWY_BEFORE_NAMESPACE();
namespace linnet::cpu::HWY_NAMESPACE {

struct KvF32 {
  using Stored = float;
  static HWY_INLINE VF Load(const Stored* p) { return hn::LoadU(DF(), p); }
  static HWY_INLINE float One(Stored v) { return v; }
};
struct KvF16 {
  using Stored = hwy::float16_t;
  static HWY_INLINE VF Load(const Stored* p) {
    return hn::PromoteTo(DF(), hn::LoadU(hn::Rebind<hwy::float16_t, DF>(), p));
  }
  static HWY_INLINE float One(Stored v) { return half_to_float(v.bits); }
};
struct KvBf16 {
  using Stored = hwy::bfloat16_t;
  static HWY_INLINE VF Load(const Stored* p) {
    return hn::PromoteTo(DF(), hn::LoadU(hn::Rebind<hwy::bfloat16_t, DF>(), p));
  }
  static HWY_INLINE float One(Stored v) { return bfloat16_to_float(v.bits); }
};

// The sum of one query head over the keys seen so far: exp(score − largest), and the values weighted with it.
struct Partial {
  float* largest;
  float* sum;
  float* values;  // [width]
};

HWY_INLINE Partial PartialAt(float* memory) {
  return {memory, memory + 1, memory + 2};
}

template <class Kv>
HWY_INLINE float Dot(const float* q, const typename Kv::Stored* k, size_t width) {
  const DF d;
  const size_t lanes = hn::Lanes(d);
  VF sum = hn::Zero(d);
  size_t i = 0;
  for (; i + lanes <= width; i += lanes) sum = hn::MulAdd(hn::LoadU(d, q + i), Kv::Load(k + i), sum);
  float dot = hn::GetLane(hn::SumOfLanes(d, sum));
  for (; i < width; ++i) dot += q[i] * Kv::One(k[i]);
  return dot;
}

// values = values · keep + Σ_t weights[t] · v[t]
template <class Kv>
HWY_INLINE void Accumulate(float* values, float keep, const float* weights, const typename Kv::Stored* v,
                           size_t tokens, size_t width) {
  const DF d;
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + 4 * lanes <= width; i += 4 * lanes) {
    VF sum[4];
    for (size_t j = 0; j < 4; ++j) sum[j] = hn::Mul(hn::LoadU(d, values + i + j * lanes), hn::Set(d, keep));
    for (size_t t = 0; t < tokens; ++t) {
      const VF w = hn::Set(d, weights[t]);
      for (size_t j = 0; j < 4; ++j) sum[j] = hn::MulAdd(w, Kv::Load(v + t * width + i + j * lanes), sum[j]);
    }
    for (size_t j = 0; j < 4; ++j) hn::StoreU(sum[j], d, values + i + j * lanes);
  }
  for (; i + lanes <= width; i += lanes) {
    VF sum = hn::Mul(hn::LoadU(d, values + i), hn::Set(d, keep));
    for (size_t t = 0; t < tokens; ++t)
      sum = hn::MulAdd(hn::Set(d, weights[t]), Kv::Load(v + t * width + i), sum);
    hn::StoreU(sum, d, values + i);
  }
  for (; i < width; ++i) {
    float sum = values[i] * keep;
    for (size_t t = 0; t < tokens; ++t) sum += weights[t] * Kv::One(v[t * width + i]);
    values[i] = sum;
  }
}

// exp(x) for x ≤ 0, as the vector code computes it.
HWY_INLINE float ExpNegative(float x) {
  const DF d;
  return x < -87.0f ? 0.0f : hn::GetLane(hn::Exp(d, hn::Set(d, x)));
}

// One page's keys for one query head. `scores` has room for a page.
template <class Kv>
HWY_INLINE void AttendPage(const float* q, float scale, const typename Kv::Stored* k,
                           const typename Kv::Stored* v, size_t tokens, size_t width, float* scores,
                           const Partial& partial) {
  for (size_t t = 0; t < tokens; ++t) scores[t] = Dot<Kv>(q, k + t * width, width) * scale;
  const float largest = HWY_MAX(*partial.largest, Largest(scores, tokens));
  const VF offset = hn::Set(DF(), largest);
  Map(scores, scores, tokens, [offset](VF s) HWY_ATTR {
    const VF lowest = hn::Set(DF(), -87.0f);
    const VF off = hn::Sub(s, offset);
    return hn::IfThenElseZero(hn::Ge(off, lowest), hn::Exp(DF(), hn::Max(off, lowest)));
  });
  const float keep = ExpNegative(*partial.largest - largest);
  *partial.sum = *partial.sum * keep + Sum(scores, tokens, [](VF s) HWY_ATTR { return s; });
  Accumulate<Kv>(partial.values, keep, scores, v, tokens, width);
  *partial.largest = largest;
}

// Heads [first_head, first_head + count) of one row over the tokens of one split; partials lie `stride`
// floats apart.
template <class Kv>
HWY_INLINE void AttendSplit(const AttentionArgs& args, Team& team, const RowPlace& place, size_t row,
                            size_t first_head, size_t count, size_t split, float* partials, size_t stride) {
  const size_t width = args.width();
  const size_t kv_head = first_head / (args.heads() / args.kv_heads);
  for (size_t h = 0; h < count; ++h) {
    float* memory = partials + h * stride;
    memory[0] = -std::numeric_limits<float>::infinity();
    for (size_t i = 1; i < args.partial_floats(); ++i) memory[i] = 0;
  }
  const size_t end = HWY_MIN((split + 1) * kSplitTokens, size_t{place.position} + 1);
  HWY_ALIGN float scores[kPageTokens];
  for (size_t token = split * kSplitTokens; token < end; token += kPageTokens) {
    const size_t at = args.batch.offset(args.batch.page_of(place, token, team), kv_head, 0);
    const auto* k = reinterpret_cast<const typename Kv::Stored*>(args.k_cache.data + at);
    const auto* v = reinterpret_cast<const typename Kv::Stored*>(args.v_cache.data + at);
    for (size_t h = 0; h < count; ++h) {
      AttendPage<Kv>(args.q.floats(row) + (first_head + h) * width, args.scale, k, v,
                     HWY_MIN(size_t{kPageTokens}, end - token), width, scores,
                     PartialAt(partials + h * stride));
    }
  }
}

// total += part, for splits in ascending order.
HWY_INLINE void Combine(const Partial& total, const Partial& part, size_t width) {
  const float largest = HWY_MAX(*total.largest, *part.largest);
  const float keep = ExpNegative(*total.largest - largest);
  const float take = ExpNegative(*part.largest - largest);
  *total.largest = largest;
  *total.sum = *total.sum * keep + *part.sum * take;
  const VF kept = hn::Set(DF(), keep);
  const VF taken = hn::Set(DF(), take);
  Map2(total.values, part.values, total.values, width,
       [=](VF a, VF b) HWY_ATTR { return hn::MulAdd(b, taken, hn::Mul(a, kept)); });
}

HWY_INLINE void Finish(const Partial& total, float* out, size_t width) {
  const VF inverse = hn::Set(DF(), 1.0f / *total.sum);
  Map(total.values, out, width, [inverse](VF v) HWY_ATTR { return hn::Mul(v, inverse); });
}

// Query heads computed together: of one key head, and no more than fit.
HWY_INLINE size_t HeadBlock(const AttentionArgs& args) {
  const size_t fit = HWY_MAX(size_t{1}, kGroupFloats / args.partial_floats());
  size_t block = args.heads() / args.kv_heads;
  while (block > fit) block = block % 2 == 0 ? block / 2 : 1;
  return block;
}

// Every task does all splits of one row and one block of heads.
template <class Kv>
HWY_INLINE void AttendRows(const AttentionArgs& args, Team& team, size_t rows) {
  const size_t block = HeadBlock(args);
  const size_t blocks = args.heads() / block;
  const size_t stride = args.partial_floats();
  team.share(rows * blocks, [&](size_t task) HWY_ATTR {
    const size_t row = task / blocks;
    const size_t first_head = task % blocks * block;
    const RowPlace place = args.batch.place(row, team);
    if (!place.valid) return;
    HWY_ALIGN float total[kGroupFloats];
    HWY_ALIGN float part[kGroupFloats];
    AttendSplit<Kv>(args, team, place, row, first_head, block, 0, total, stride);
    for (size_t split = 1; split * kSplitTokens <= place.position; ++split) {
      AttendSplit<Kv>(args, team, place, row, first_head, block, split, part, stride);
      for (size_t h = 0; h < block; ++h) {
        Combine(PartialAt(total + h * stride), PartialAt(part + h * stride), args.width());
      }
    }
    for (size_t h = 0; h < block; ++h) {
      Finish(PartialAt(total + h * stride), args.out.floats(row) + (first_head + h) * args.width(),
             args.width());
    }
  });
}

// Few rows and long contexts: every task does one split, and the splits are combined afterwards.
template <class Kv>
HWY_INLINE void AttendSplits(const AttentionArgs& args, Team& team, size_t rows) {
  const size_t block = HeadBlock(args);
  const size_t blocks = args.heads() / block;
  const size_t stride = args.splits * args.partial_floats();
  const auto memory = [&](size_t row, size_t head, size_t split) {
    return args.workspace + (row * args.heads() + head) * stride + split * args.partial_floats();
  };
  team.share(rows * blocks * args.splits, [&](size_t task) HWY_ATTR {
    const size_t split = task % args.splits;
    const size_t row = task / args.splits / blocks;
    const size_t first_head = task / args.splits % blocks * block;
    const RowPlace place = args.batch.place(row, team);
    if (!place.valid || split * kSplitTokens > place.position) return;
    AttendSplit<Kv>(args, team, place, row, first_head, block, split, memory(row, first_head, split), stride);
  });
  team.barrier();
  team.share(rows * args.heads(), [&](size_t task) HWY_ATTR {
    const size_t row = task / args.heads();
    const size_t head = task % args.heads();
    const RowPlace place = args.batch.place(row, team);
    if (!place.valid) return;
    const Partial total = PartialAt(memory(row, head, 0));
    for (size_t split = 1; split * kSplitTokens <= place.position; ++split) {
      Combine(total, PartialAt(memory(row, head, split)), args.width());
    }
    Finish(total, args.out.floats(row) + head * args.width(), args.width());
  });
}

template <class Kv>
HWY_INLINE void Attend(const AttentionArgs& args, Team& team) {
  const size_t rows = team.count(args.q.rows);
  const size_t blocks = args.heads() / HeadBlock(args);
  const bool few = rows * blocks < 4 * size_t{team.size()};
  if (args.splits > 1 && few && rows <= kSplitRows) {
    AttendSplits<Kv>(args, team, rows);
  } else {
    AttendRows<Kv>(args, team, rows);
  }
}

void AttendTeam(const AttentionArgs& args, Team& team) {
  switch (args.k_cache.format) {
    case Format::f16:
      return Attend<KvF16>(args, team);
    case Format::bf16:
      return Attend<KvBf16>(args, team);
    default:
      return Attend<KvF32>(args, team);
  }
}

}  // namespace linnet::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace linnet::cpu {
namespace {

size_t splits_of(const Attention& op, const Program& program) {
  return divide_up(program.shape(op.paging.page_table)[1].max * kPageTokens, kSplitTokens);
}

}  // namespace

HWY_EXPORT(AttendTeam);

size_t workspace_of(const Attention& op, const Program& program) {
  const Shape& q = program.shape(op.q);
  const size_t splits = splits_of(op, program);
  if (splits == 1) return 0;
  return std::min<size_t>(q[0].max, kSplitRows) * q[1].max * splits * (2 + q[2].max) * sizeof(float);
}

BoundKernel bind_kernel(const Attention& op, const Binder& binder) {
  const AttentionArgs args{.q = binder.tensor(op.q),
                           .batch = paged_batch(op.paging, op.k_cache, binder),
                           .k_cache = binder.tensor(op.k_cache),
                           .v_cache = binder.tensor(op.v_cache),
                           .out = binder.tensor(op.out),
                           .scale = op.scale,
                           .kv_heads = binder.program().shape(op.k_cache)[1].max,
                           .splits = splits_of(op, binder.program()),
                           .workspace = reinterpret_cast<float*>(binder.workspace())};
  return [run = for_target(HWY_DISPATCH_TABLE(AttendTeam), binder.target()), args](Team& team) {
    run(args, team);
    const size_t rows = team.count(args.q.rows);
    uint64_t tokens = 0;
    for (size_t row = 0; row < rows; ++row) tokens += args.batch.place(row, team).position + 1;
    return args.q.bytes(rows) + args.out.bytes(rows) + 2 * tokens * args.kv_heads * args.batch.token_bytes();
  };
}

}  // namespace linnet::cpu
#endif
