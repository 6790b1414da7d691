#include "backends/cuda/bind.h"

#include "backends/cuda/check.h"
#include "backends/cuda/kernels/attention_groups.h"
#include "backends/cuda/kernels/panel.h"
#include "backends/cuda/kernels/slab.h"
#include "backends/cuda/panel.h"
#include "backends/cuda/product.h"
#include "backends/cuda/slab.h"
#include "backends/cuda/tensor_map.h"

namespace linnet::cuda {

Tensor Binder::tensor(Value value) const {
  if (!value) return {};
  const ValueInfo& info = program_.info(value);
  const Value base = program_.base(value);
  Tensor tensor{.data = nullptr,
                .format = info.format,
                .columns = static_cast<uint32_t>(info.shape.columns()),
                .width = info.shape.back().fixed() ? info.shape.back().max : 1,
                .stride = program_.row_stride(value)};
  if (plan_.offset[base.id] != Plan::kNowhere) {
    tensor.data = arena_ + plan_.offset[base.id];
  } else if (const auto* buffer = dynamic_cast<const CudaBuffer*>(buffers_[base.id])) {
    tensor.data = buffer->data();
  } else {
    const Matrix weight = matrix(base);
    if (weight.format == Format::q8_0) fail(ErrorKind::failure, "[bind] '", info.name, "' lies in blocks");
    tensor.data = const_cast<std::byte*>(weight.data);
  }
  if (info.view.offset != 0) tensor.data += bytes_of(info.format, info.view.offset);
  return tensor;
}

bool Binder::is_weight(Value value) const {
  return dynamic_cast<const CudaWeight*>(buffers_[program_.base(value).id]) != nullptr;
}

bool Binder::is_scratch(Value value) const {
  return program_.info(program_.base(value)).storage == Storage::scratch;
}

Matrix Binder::matrix(Value value) const {
  const auto* weight = dynamic_cast<const CudaWeight*>(buffers_[value.id]);
  if (weight == nullptr) fail(ErrorKind::failure, "[bind] '", program_.info(value).name, "' is not a weight");
  return weight->matrix();
}

const Op* Binder::op_before() const noexcept {
  return step_ == plan_.steps.data() ? nullptr : &(step_ - 1)->op;
}

const Op* Binder::op_after() const noexcept {
  return step_ == &plan_.steps.back() ? nullptr : &(step_ + 1)->op;
}

std::byte* Binder::largest(Zeroed& zeroed, size_t bytes) {
  if (bytes > zeroed.bytes) {
    memory_.push_back(allocate_zeroed(bytes));
    zeroed = {memory_.back().get(), bytes};
  }
  return zeroed.data;
}

uint32_t* Binder::counters(size_t count) {
  return reinterpret_cast<uint32_t*>(largest(counters_, count * sizeof(uint32_t)));
}

std::byte* Binder::between_ops(size_t bytes) {
  return largest(between_ops_, bytes);
}

void launch_norm_before(const StageArgs& stage, const Tensor& out, Common& common) {
  launch_rms_norm({stage.x, out, stage.norm, nullptr, stage.rows, stage.epsilon}, common);
  common.stamp.lines = nullptr;  // the first kernel of an op says when it began
}

SampleArgs sample_of(const Sample& op, const Binder& binder) {
  const Program& program = binder.program();
  return {.logits = binder.tensor(op.logits),
          .slots = binder.data<const int32_t>(op.slots),
          .params = binder.data<const int32_t>(op.params),
          .stop_ids = binder.data<const int32_t>(op.stop_ids),
          .stop_count = program.shape(op.stop_ids)[0].max,
          .tokens = binder.data<int32_t>(op.tokens),
          .positions = binder.data<int32_t>(op.positions),
          .remaining = binder.data<int32_t>(op.remaining),
          .ring = binder.data<int32_t>(op.ring),
          .ring_length = program.shape(op.ring)[1].max,
          .slot_count = program.shape(op.tokens)[0].max,
          .rows = 0};
}

Pages pages_of(const Paging& paging, Value cache, const Binder& binder) {
  const Shape& shape = binder.program().shape(cache);
  const Shape& table = binder.program().shape(paging.page_table);
  return {.positions = binder.data<const int32_t>(paging.positions),
          .row_starts = binder.data<const int32_t>(paging.row_starts),
          .sequence_slots = binder.data<const int32_t>(paging.sequence_slots),
          .page_table = binder.data<const int32_t>(paging.page_table),
          .rows = 0,
          .sequences = 0,
          .slots = table[0].max,
          .pages_a_slot = table[1].max,
          .pages = shape[0].max,
          .kv_heads = shape[1].max,
          .width = shape[3].max};
}

namespace {

[[nodiscard]] Dim rows_of(const Binder& binder, Value value) {
  return binder.program().shape(value).rows();
}

// Sets the counts of a run; the dimensions are captured when an op is bound.
struct PagesRun {
  Dim rows;
  Dim sequences;
  void set(Pages& pages, const Counts& counts) const {
    pages.rows = counts(rows);
    pages.sequences = counts(sequences);
  }
};

PagesRun pages_run(const Paging& paging, Dim rows, const Binder& binder) {
  return {rows, binder.program().shape(paging.sequence_slots)[0]};
}

Enqueue bind_one(const Add& op, Binder& binder) {
  AddArgs args{binder.tensor(op.a), binder.tensor(op.b), binder.tensor(op.out), 0};
  return [args, rows = rows_of(binder, op.out)](const Counts& counts, const Common& common) mutable {
    args.rows = counts(rows);
    return launch_add(args, common);
  };
}

Enqueue bind_one(const Activation& op, Binder& binder) {
  ActivationArgs args{binder.tensor(op.x), binder.tensor(op.out), 0, op.kind};
  return [args, rows = rows_of(binder, op.out)](const Counts& counts, const Common& common) mutable {
    args.rows = counts(rows);
    return launch_activation(args, common);
  };
}

Enqueue bind_one(const GatedActivation& op, Binder& binder) {
  ActivationArgs args{binder.tensor(op.x), binder.tensor(op.out), 0, op.kind};
  return [args, rows = rows_of(binder, op.out)](const Counts& counts, const Common& common) mutable {
    args.rows = counts(rows);
    return launch_gated_activation(args, common);
  };
}

Enqueue bind_one(const RmsNorm& op, Binder& binder) {
  NormArgs args{binder.tensor(op.x), binder.tensor(op.out), binder.data<const float>(op.weight), nullptr, 0,
                op.epsilon};
  return [args, rows = rows_of(binder, op.x)](const Counts& counts, const Common& common) mutable {
    args.rows = counts(rows);
    return launch_rms_norm(args, common);
  };
}

Enqueue bind_one(const LayerNorm& op, Binder& binder) {
  NormArgs args{binder.tensor(op.x),
                binder.tensor(op.out),
                binder.data<const float>(op.weight),
                binder.data<const float>(op.bias),
                0,
                op.epsilon};
  return [args, rows = rows_of(binder, op.x)](const Counts& counts, const Common& common) mutable {
    args.rows = counts(rows);
    return launch_layer_norm(args, common);
  };
}

Enqueue bind_one(const Softmax& op, Binder& binder) {
  SoftmaxArgs args{binder.tensor(op.x), binder.tensor(op.out), 0};
  return [args, rows = rows_of(binder, op.x)](const Counts& counts, const Common& common) mutable {
    args.rows = counts(rows);
    return launch_softmax(args, common);
  };
}

Enqueue bind_one(const Embedding& op, Binder& binder) {
  const bool weight = binder.is_weight(op.table);
  EmbeddingArgs args{.table = weight ? binder.matrix(op.table) : Matrix{},
                     .gathered = weight ? Tensor{} : binder.tensor(op.table),
                     .ids = binder.data<const int32_t>(op.ids),
                     .out = binder.tensor(op.out),
                     .rows = 0,
                     .entries = 0};
  return [args, rows = rows_of(binder, op.out), entries = rows_of(binder, op.table)](
             const Counts& counts, const Common& common) mutable {
    args.rows = counts(rows);
    args.entries = counts(entries);
    return launch_embedding(args, common);
  };
}

Enqueue bind_one(const RopeAngles& op, Binder& binder) {
  RopeAnglesArgs args{.positions = binder.data<const int32_t>(op.positions),
                      .frequencies = binder.data<const float>(op.frequencies),
                      .out = binder.tensor(op.out),
                      .rows = 0,
                      .pairs = binder.program().shape(op.frequencies)[0].max};
  return [args, rows = rows_of(binder, op.out)](const Counts& counts, const Common& common) mutable {
    args.rows = counts(rows);
    return launch_rope_angles(args, common);
  };
}

Enqueue bind_one(const Rope& op, Binder& binder) {
  RopeArgs args{binder.tensor(op.x), binder.tensor(op.angles), binder.tensor(op.out), 0, op.pairs};
  return [args, rows = rows_of(binder, op.x)](const Counts& counts, const Common& common) mutable {
    args.rows = counts(rows);
    return launch_rope(args, common);
  };
}

Enqueue bind_one(const KvStore& op, Binder& binder) {
  KvStoreArgs args{.k = binder.tensor(op.k),
                   .v = binder.tensor(op.v),
                   .pages = pages_of(op.paging, op.k_cache, binder),
                   .k_cache = binder.data<std::byte>(op.k_cache),
                   .v_cache = binder.data<std::byte>(op.v_cache),
                   .format = binder.program().format(op.k_cache)};
  return [args, run = pages_run(op.paging, rows_of(binder, op.k), binder)](const Counts& counts,
                                                                           const Common& common) mutable {
    run.set(args.pages, counts);
    return launch_kv_store(args, common);
  };
}

Enqueue bind_one(const Quantize& op, Binder& binder) {
  QuantizeArgs args{binder.tensor(op.x), binder.tensor(op.out), 0};
  return [args, rows = rows_of(binder, op.x)](const Counts& counts, const Common& common) mutable {
    args.rows = counts(rows);
    return launch_quantize(args, common);
  };
}

Enqueue bind_one(const Linear& op, Binder& binder) {
  if (binder.cublas() != nullptr && product_by_cublas(binder.program(), op.x, op.weight, op.out))
    return bind_product({op.x, op.weight, op.bias, {}, op.out}, binder);
  LinearArgs args{.x = binder.tensor(op.x),
                  .weight = binder.matrix(op.weight),
                  .bias = binder.data<const float>(op.bias),
                  .out = binder.tensor(op.out),
                  .vectors = 0};
  const uint32_t in_row = args.x.columns / args.weight.columns;
  return [args, in_row, rows = rows_of(binder, op.x)](const Counts& counts, const Common& common) mutable {
    args.vectors = counts(rows) * in_row;
    return launch_linear(args, common);
  };
}

// By groups of four warps where a run has many rows.
Enqueue bind_groups(const AttentionArgs& args, const PagesRun& run) {
  const auto pages = [&](const std::byte* cache) {
    return tensor_map_of({.data = cache,
                          .format = args.format,
                          .rows = uint64_t{args.pages.pages} * args.pages.kv_heads * kPageTokens,
                          .columns = args.pages.width,
                          .stride = args.pages.width,
                          .box_rows = kPageTokens});
  };
  return [groups = GroupAttentionArgs{args, pages(args.k_cache), pages(args.v_cache)}, run](
             const Counts& counts, const Common& common) mutable {
    run.set(groups.attention.pages, counts);
    return group_attention_pays(groups.attention) ? launch_group_attention(groups, common)
                                                  : launch_attention(groups.attention, common);
  };
}

Enqueue bind_one(const Attention& op, Binder& binder) {
  const Program& program = binder.program();
  const Dim rows = rows_of(binder, op.q);
  AttentionArgs args{.q = binder.tensor(op.q),
                     .out = binder.tensor(op.out),
                     .pages = pages_of(op.paging, op.k_cache, binder),
                     .k_cache = binder.data<const std::byte>(op.k_cache),
                     .v_cache = binder.data<const std::byte>(op.v_cache),
                     .format = program.format(op.k_cache),
                     .heads = program.shape(op.q)[1].max,
                     .scale = op.scale,
                     .processors = binder.processors(),
                     .splits = 1,
                     .partial = reinterpret_cast<float*>(binder.workspace()),
                     .finished = nullptr};
  args.splits = attention_splits(rows.max, args.pages.kv_heads, args.pages.pages_a_slot, args.processors);
  args.finished = binder.counters(size_t{rows.max} * args.heads);
  const PagesRun run = pages_run(op.paging, rows, binder);
  if (binder.hardware().warpgroups && group_attention_takes(args)) return bind_groups(args, run);
  return [args, run](const Counts& counts, const Common& common) mutable {
    run.set(args.pages, counts);
    return launch_attention(args, common);
  };
}

Enqueue bind_one(const Sample& op, Binder& binder) {
  return [args = sample_of(op, binder), rows = rows_of(binder, op.logits)](const Counts& counts,
                                                                           const Common& common) mutable {
    args.rows = counts(rows);
    return launch_sample(args, common);
  };
}

bool linear_add_by_cublas(const LinearAdd& op, const Program& program, const Hardware& hardware) {
  const bool codes = slab_fits(op, program, hardware) && slabs_of_codes(op.weight, program);
  return !codes && !panel_fits(op, program, hardware) && hardware.cublas &&
         product_by_cublas(program, op.x, op.weight, op.out);
}

template <class T>
StageArgs stage_of(const T& op, StageArgs::Kind kind, Format input, const Binder& binder) {
  StageArgs args{};
  args.kind = kind;
  args.x = binder.tensor(op.x);
  args.weight = binder.matrix(op.weight);
  args.bias = binder.data<const float>(op.bias);
  args.out = binder.tensor(op.out);
  args.input = input;
  return args;
}

// A stage that was kept for more rows than the kernel for few takes is a panel, one for more than a panel
// takes a slab.
template <class T>
LaunchStage stage_launcher(const T& op, const StageArgs& stage, Dim rows, Binder& binder) {
  if constexpr (!std::is_same_v<T, NormLinear>) {
    if (rows.max > kMaxPanelRows) return bind_slab(op, stage, binder);
    if (rows.max > kMaxStageRows) return bind_panel(op, stage, binder);
  }
  return [processors = binder.processors()](const StageArgs& counted, const Common& common) {
    return launch_stage(counted, processors, common);
  };
}

template <class T>
Enqueue enqueue_stage(const T& op, StageArgs stage, Binder& binder) {
  const Dim rows = rows_of(binder, op.x);
  return [stage, rows, launch = stage_launcher(op, stage, rows, binder)](const Counts& counts,
                                                                         const Common& common) mutable {
    stage.rows = counts(rows);
    return stage.rows != 0 && launch(stage, common);
  };
}

Enqueue bind_one(const NormLinear& op, Binder& binder) {
  StageArgs args = stage_of(op, StageArgs::Kind::linear, binder.options().activations, binder);
  args.norm = binder.data<const float>(op.norm);
  args.epsilon = op.epsilon;
  return enqueue_stage(op, args, binder);
}

Enqueue bind_stage(const LinearAdd& op, Binder& binder) {
  StageArgs args = stage_of(op, StageArgs::Kind::add, binder.program().format(op.x), binder);
  args.residual = binder.tensor(op.residual);
  return enqueue_stage(op, args, binder);
}

// As a slab or by cuBLASLt, whichever suits the rows of a run.
Enqueue bind_slab_or_product(const LinearAdd& op, Binder& binder) {
  return [slab = bind_stage(op, binder),
          product = bind_product({op.x, op.weight, op.bias, op.residual, op.out}, binder),
          rows = rows_of(binder, op.x), n = binder.program().shape(op.weight)[0].max,
          processors = binder.processors()](const Counts& counts, const Common& common) {
    return slab_fills(counts(rows), n, processors) ? slab(counts, common) : product(counts, common);
  };
}

Enqueue bind_one(const LinearAdd& op, Binder& binder) {
  if (!linear_add_by_cublas(op, binder.program(), binder.hardware())) return bind_stage(op, binder);
  if (slab_fits(op, binder.program(), binder.hardware())) return bind_slab_or_product(op, binder);
  return bind_product({op.x, op.weight, op.bias, op.residual, op.out}, binder);
}

Enqueue bind_one(const NormGatedLinear& op, Binder& binder) {
  StageArgs args = stage_of(op, StageArgs::Kind::gated, binder.options().activations, binder);
  args.norm = binder.data<const float>(op.norm);
  args.epsilon = op.epsilon;
  args.activation = op.kind;
  return enqueue_stage(op, args, binder);
}

Enqueue bind_one(const NormQkvRopeStore& op, Binder& binder) {
  const Program& program = binder.program();
  StageArgs args = stage_of(op, StageArgs::Kind::rope_and_store, binder.options().activations, binder);
  args.norm = binder.data<const float>(op.norm);
  args.epsilon = op.epsilon;
  args.angles = binder.tensor(op.angles);
  args.pages = pages_of(op.paging, op.k_cache, binder);
  args.k_cache = binder.data<std::byte>(op.k_cache);
  args.v_cache = binder.data<std::byte>(op.v_cache);
  args.cache_format = program.format(op.k_cache);
  args.heads = program.shape(op.out)[1].max;
  args.rope_pairs = program.shape(op.angles)[1].max;
  args.pairs = op.pairs;
  const Dim rows = rows_of(binder, op.x);
  return
      [args, rows, run = pages_run(op.paging, rows, binder), launch = stage_launcher(op, args, rows, binder)](
          const Counts& counts, const Common& common) mutable {
        run.set(args.pages, counts);
        args.rows = counts(rows);
        return args.rows != 0 && launch(args, common);
      };
}

// Operands of which an op touches less than all.
[[nodiscard]] bool partly_touched(std::string_view name) {
  return name == "k_cache" || name == "v_cache" || name == "table" || name == "page_table" ||
         name == "ring" || name == "params";
}

}  // namespace

Enqueue bind_op(const Op& op, Binder& binder) {
  return std::visit([&](const auto& each) { return bind_one(each, binder); }, op);
}

size_t workspace_of(const Linear& op, const Program& program, const Hardware& hardware) {
  const bool used = hardware.cublas && product_by_cublas(program, op.x, op.weight, op.out);
  return used ? product_workspace(program, op.x, op.weight) : 0;
}

size_t workspace_of(const LinearAdd& op, const Program& program, const Hardware& hardware) {
  return linear_add_by_cublas(op, program, hardware) ? product_workspace(program, op.x, op.weight) : 0;
}

namespace {
// Of a norm's result, where it is a kernel of its own.
template <class T>
size_t normed_bytes(const T& op, const Program& program) {
  return size_t{program.shape(op.x).rows().max} * bytes_of(Format::bf16, program.shape(op.weight)[1].max);
}
}  // namespace

size_t workspace_of(const NormGatedLinear& op, const Program& program, const Hardware&) {
  return program.shape(op.x).rows().max > kMaxStageRows ? normed_bytes(op, program) : 0;
}

size_t workspace_of(const NormQkvRopeStore& op, const Program& program, const Hardware&) {
  return program.shape(op.x).rows().max > kMaxStageRows ? normed_bytes(op, program) : 0;
}

size_t workspace_of(const Attention& op, const Program& program, const Hardware& hardware) {
  const Shape& cache = program.shape(op.k_cache);
  const uint32_t rows = program.shape(op.q).rows().max;
  const uint32_t splits =
      attention_splits(rows, cache[1].max, program.shape(op.paging.page_table)[1].max, hardware.processors);
  if (splits == 1) return 0;
  return size_t{rows} * program.shape(op.q)[1].max * splits * (cache[3].max + 2) * sizeof(float);
}

uint64_t bytes_touched(const Op& op, const Program& program, const Counts& counts) {
  uint64_t bytes = 0;
  for_each_operand(op, [&](Value value, Access access, std::string_view name) {
    if (partly_touched(name)) return;
    const ValueInfo& info = program.info(value);
    const uint64_t once = uint64_t{counts(info.shape.rows())} * bytes_of(info.format, info.shape.columns());
    bytes += access == Access::update ? 2 * once : once;
  });
  if (const auto* lookup = std::get_if<Embedding>(&op)) {
    const ValueInfo& table = program.info(lookup->table);
    bytes +=
        uint64_t{counts(program.shape(lookup->out).rows())} * bytes_of(table.format, table.shape.columns());
  }
  const auto stored = [&](Value cache, Dim rows) {
    const Shape& shape = program.shape(cache);
    bytes +=
        2 * uint64_t{counts(rows)} * bytes_of(program.format(cache), size_t{shape[1].max} * shape[3].max);
  };
  if (const auto* store = std::get_if<KvStore>(&op)) stored(store->k_cache, program.shape(store->k).rows());
  if (const auto* stage = std::get_if<NormQkvRopeStore>(&op))
    stored(stage->k_cache, program.shape(stage->x).rows());
  return bytes;
}

}  // namespace linnet::cuda
