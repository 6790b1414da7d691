#include "backends/cuda/product.h"

#include "backends/cuda/unpacking.h"

namespace linnet::cuda {
namespace {

[[nodiscard]] Unpacking unpacking_for(const Program& program, Value x, Value weight) {
  const Shape& shape = program.shape(weight);
  return unpacking_of(program.format(weight), shape[0].max, shape[1].max, program.format(x));
}

// Columns of a result from `first` on.
[[nodiscard]] Tensor columns_from(const Tensor& tensor, uint32_t first) {
  Tensor part = tensor;
  if (part.data != nullptr) part.data += bytes_of(part.format, first);
  return part;
}

// Where a result that nobody wants may lie, for loading kernels: in its own place if that is scratch,
// otherwise in memory of the moment. Where there is none of that, the first run loads what it needs.
class Spare {
 public:
  Spare(const Binder& binder, Value out, uint32_t rows) : out_(binder.tensor(out)), stream_(binder.stream()) {
    if (binder.is_scratch(out)) return;
    try {
      memory_ = allocate_device(rows * bytes_of(out_.format, out_.stride));
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::does_not_fit) throw;
    }
    out_.data = memory_.get();
  }
  Spare(const Spare&) = delete;
  Spare& operator=(const Spare&) = delete;
  ~Spare() {
    if (memory_ != nullptr) static_cast<void>(cudaStreamSynchronize(stream_));
  }

  [[nodiscard]] bool there() const noexcept { return out_.data != nullptr; }
  [[nodiscard]] const Tensor& out() const noexcept { return out_; }

 private:
  Tensor out_;
  cudaStream_t stream_;
  DeviceMemory memory_;
};

// out = x · weightᵀ + residual, the weight being unpacked in workspace: the cuBLASLt's first, tiles behind.
class UnpackedProduct {
 public:
  UnpackedProduct(const ManyRows& op, Binder& binder)
      : unpacking_(unpacking_for(binder.program(), op.x, op.weight)),
        x_(binder.tensor(op.x)),
        residual_(binder.tensor(op.residual)),
        out_(binder.tensor(op.out)),
        workspace_(binder.workspace()),
        unpack_{.weight = binder.matrix(op.weight),
                .first_row = 0,
                .rows = 0,
                .format = x_.format,
                .parts = unpacking_.parts,
                .out = workspace_ + CublasLt::kWorkspace,
                .part_bytes = unpacking_.part_bytes()} {
    const uint32_t capacity = binder.program().shape(op.x).rows().max;
    for (uint32_t tile = 0; tile < unpacking_.tiles; ++tile)
      products_.push_back(binder.cublas()->product(x_, part_of(tile, 0), out_, capacity));
    load(Spare(binder, op.out, products_.front()->rows_to_load()), binder.stream());
  }

  void enqueue(uint32_t rows, Common common) {
    for (uint32_t tile = 0; tile < unpacking_.tiles; ++tile) {
      unpack_.first_row = unpacking_.first_row(tile);
      unpack_.rows = unpacking_.rows(tile);
      if (!launch_unpack(unpack_, common))
        fail(ErrorKind::failure, "[cuda] no kernel unpacks ", unpack_.weight.format, " as ", unpack_.parts,
             " parts of ", unpack_.format);
      common.stamp.lines = nullptr;  // the first kernel of an op says when it began
      const Tensor out = columns_from(out_, unpack_.first_row);
      const Tensor residual = columns_from(residual_, unpack_.first_row);
      const Tensor* added = residual.data != nullptr ? &residual : nullptr;
      // The smallest part first: what it is added to then has its own roundings only.
      for (uint32_t part = unpacking_.parts; part-- > 0;) {
        products_[tile]->run(x_, part_of(tile, part), added, out, rows, workspace_, common);
        added = &out;
      }
    }
  }

 private:
  void load(const Spare& spare, cudaStream_t stream) {
    if (!spare.there()) return;
    for (uint32_t tile = 0; tile < unpacking_.tiles; ++tile) {
      const Tensor out = columns_from(spare.out(), unpacking_.first_row(tile));
      const Tensor* added = residual_.data != nullptr ? &residual_ : nullptr;
      for (uint32_t part = unpacking_.parts; part-- > 0;) {
        products_[tile]->load(x_, part_of(tile, part), added, out, workspace_, stream);
        added = &out;
      }
    }
  }

  [[nodiscard]] Matrix part_of(uint32_t tile, uint32_t part) const {
    return {.data = unpack_.out + part * unpack_.part_bytes,
            .scales = nullptr,
            .format = x_.format,
            .rows = unpacking_.rows(tile),
            .columns = unpacking_.k};
  }

  Unpacking unpacking_;
  Tensor x_, residual_, out_;
  std::byte* workspace_;
  UnpackArgs unpack_;
  std::vector<std::unique_ptr<LtProduct>> products_;  // by tile
};

// out = x · weightᵀ + residual, the weight being multiplied where it lies.
class ResidentProduct {
 public:
  ResidentProduct(const ManyRows& op, Binder& binder)
      : x_(binder.tensor(op.x)),
        residual_(binder.tensor(op.residual)),
        out_(binder.tensor(op.out)),
        weight_(binder.matrix(op.weight)),
        workspace_(binder.workspace()),
        product_(binder.cublas()->product(x_, weight_, out_, binder.program().shape(op.x).rows().max)) {
    const Spare spare(binder, op.out, product_->rows_to_load());
    if (spare.there()) product_->load(x_, weight_, added(), spare.out(), workspace_, binder.stream());
  }

  void enqueue(uint32_t rows, const Common& common) {
    launch_stamp(common);
    product_->run(x_, weight_, added(), out_, rows, workspace_, common);
  }

 private:
  [[nodiscard]] const Tensor* added() const noexcept {
    return residual_.data != nullptr ? &residual_ : nullptr;
  }

  Tensor x_, residual_, out_;
  Matrix weight_;
  std::byte* workspace_;
  std::unique_ptr<LtProduct> product_;
};

template <class Product>
Enqueue enqueue_with_bias(const ManyRows& op, Binder& binder) {
  BiasArgs bias{binder.data<const float>(op.bias), binder.tensor(op.out), 0};
  return [bias, product = std::make_shared<Product>(op, binder), rows = binder.program().shape(op.x).rows()](
             const Counts& counts, const Common& common) mutable {
    bias.rows = counts(rows);
    if (bias.rows == 0) return false;
    product->enqueue(bias.rows, common);
    if (bias.bias != nullptr) launch_bias(bias, common);
    return true;
  };
}

}  // namespace

bool product_by_cublas(const Program& program, Value x, Value weight, Value out) {
  const Shape& shape = program.shape(weight);
  const Format numbers = program.format(x);
  // Sums of parts are kept in f32.
  if (program.format(weight) != numbers &&
      (program.format(out) != Format::f32 || unpacking_for(program, x, weight).parts == 0))
    return false;
  return program.shape(x).rows().max > kMaxStageRows && program.shape(x).columns() == shape[1].max &&
         CublasLt::takes(numbers, program.row_stride(x), shape[0].max, shape[1].max, program.format(out),
                         program.row_stride(out));
}

size_t product_workspace(const Program& program, Value x, Value weight) {
  if (program.format(weight) == program.format(x)) return CublasLt::kWorkspace;
  return CublasLt::kWorkspace + unpacking_for(program, x, weight).bytes();
}

Enqueue bind_product(const ManyRows& op, Binder& binder) {
  if (binder.program().format(op.weight) == binder.program().format(op.x))
    return enqueue_with_bias<ResidentProduct>(op, binder);
  return enqueue_with_bias<UnpackedProduct>(op, binder);
}

}  // namespace linnet::cuda
