#include "backends/cuda/cublas_lt.h"

#include <cublasLt.h>
#include <dlfcn.h>

#include <array>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/error.h"

namespace linnet::cuda {
namespace {

// The functions that are used, by the types of their declarations.
struct Functions {
  decltype(&cublasLtCreate) create;
  decltype(&cublasLtDestroy) destroy;
  decltype(&cublasLtMatmul) matmul;
  decltype(&cublasLtMatmulAlgoGetHeuristic) heuristic;
  decltype(&cublasLtMatmulDescCreate) desc_create;
  decltype(&cublasLtMatmulDescDestroy) desc_destroy;
  decltype(&cublasLtMatmulDescSetAttribute) desc_set;
  decltype(&cublasLtMatrixLayoutCreate) layout_create;
  decltype(&cublasLtMatrixLayoutDestroy) layout_destroy;
  decltype(&cublasLtMatrixLayoutSetAttribute) layout_set;
  decltype(&cublasLtMatmulPreferenceCreate) preference_create;
  decltype(&cublasLtMatmulPreferenceDestroy) preference_destroy;
  decltype(&cublasLtMatmulPreferenceSetAttribute) preference_set;
};

template <class Function>
bool find(void* library, const char* name, Function& into) {
  into = reinterpret_cast<Function>(dlsym(library, name));
  return into != nullptr;
}

bool find_all(void* library, Functions& into) {
  return find(library, "cublasLtCreate", into.create) && find(library, "cublasLtDestroy", into.destroy) &&
         find(library, "cublasLtMatmul", into.matmul) &&
         find(library, "cublasLtMatmulAlgoGetHeuristic", into.heuristic) &&
         find(library, "cublasLtMatmulDescCreate", into.desc_create) &&
         find(library, "cublasLtMatmulDescDestroy", into.desc_destroy) &&
         find(library, "cublasLtMatmulDescSetAttribute", into.desc_set) &&
         find(library, "cublasLtMatrixLayoutCreate", into.layout_create) &&
         find(library, "cublasLtMatrixLayoutDestroy", into.layout_destroy) &&
         find(library, "cublasLtMatrixLayoutSetAttribute", into.layout_set) &&
         find(library, "cublasLtMatmulPreferenceCreate", into.preference_create) &&
         find(library, "cublasLtMatmulPreferenceDestroy", into.preference_destroy) &&
         find(library, "cublasLtMatmulPreferenceSetAttribute", into.preference_set);
}

void check(cublasStatus_t status, const char* what) {
  if (status != CUBLAS_STATUS_SUCCESS)
    fail(ErrorKind::failure, "[cuda] cuBLASLt, ", what, ": status ", static_cast<int>(status));
}

cudaDataType_t type_of(Format format) {
  switch (format) {
    case Format::bf16:
      return CUDA_R_16BF;
    case Format::f16:
      return CUDA_R_16F;
    default:
      return CUDA_R_32F;
  }
}

constexpr uint32_t kLeastRows = 16;

// Row counts that have an algorithm of their own: 16, 32, 64, …; any other uses that of the next.
size_t bucket_of(uint32_t rows) {
  size_t bucket = 0;
  for (uint32_t most = kLeastRows; most < rows; most *= 2) ++bucket;
  return bucket;
}

// The fewest rows that use a bucket's algorithm, but for those below nine.
uint32_t fewest_rows(size_t bucket) {
  return (kLeastRows << bucket) / 2 + 1;
}

// What is known of a shape of product.
struct Algorithms {
  std::vector<cublasLtMatmulAlgo_t> by_bucket;
  // Without and with something added: cuBLASLt has kernels of its own for each.
  std::array<bool, 2> loaded{};
};

class Product final : public LtProduct {
 public:
  Product(const Functions& functions, cublasLtHandle_t handle, const Tensor& x, const Matrix& weight,
          const Tensor& out, Algorithms& algorithms);
  Product(const Product&) = delete;
  Product& operator=(const Product&) = delete;
  ~Product() override;

  void run(const Tensor& x, const Matrix& weight, const Tensor* added, const Tensor& out, uint32_t rows,
           std::byte* workspace, const Common& common) override;
  void load(const Tensor& x, const Matrix& weight, const Tensor* added, const Tensor& out,
            std::byte* workspace, cudaStream_t stream) override;
  [[nodiscard]] uint32_t rows_to_load() const noexcept override {
    return fewest_rows(algorithms_.by_bucket.size() - 1);
  }
  void choose(uint32_t capacity);

 private:
  void set_rows(uint32_t rows);

  const Functions& functions_;
  cublasLtHandle_t handle_;
  cublasLtMatmulDesc_t desc_ = nullptr;
  cublasLtMatrixLayout_t weight_ = nullptr;
  cublasLtMatrixLayout_t x_ = nullptr;
  cublasLtMatrixLayout_t out_ = nullptr;
  Algorithms& algorithms_;  // of the library, shared by all products of this shape
};

// Matrices lie row by row, cuBLAS counts column by column: out is [n, rows] there, weight [k, n] transposed.
Product::Product(const Functions& functions, cublasLtHandle_t handle, const Tensor& x, const Matrix& weight,
                 const Tensor& out, Algorithms& algorithms)
    : functions_(functions), handle_(handle), algorithms_(algorithms) {
  check(functions_.desc_create(&desc_, CUBLAS_COMPUTE_32F, CUDA_R_32F), "describing a product");
  const cublasOperation_t transposed = CUBLAS_OP_T;
  check(functions_.desc_set(desc_, CUBLASLT_MATMUL_DESC_TRANSA, &transposed, sizeof transposed),
        "describing a product");
  const auto columns = static_cast<int64_t>(weight.columns);
  check(functions_.layout_create(&weight_, type_of(weight.format), weight.columns, weight.rows, columns),
        "describing a weight");
  check(functions_.layout_create(&x_, type_of(x.format), weight.columns, kLeastRows,
                                 static_cast<int64_t>(x.stride)),
        "describing x");
  check(functions_.layout_create(&out_, type_of(out.format), weight.rows, kLeastRows,
                                 static_cast<int64_t>(out.stride)),
        "describing a result");
}

Product::~Product() {
  if (out_ != nullptr) functions_.layout_destroy(out_);
  if (x_ != nullptr) functions_.layout_destroy(x_);
  if (weight_ != nullptr) functions_.layout_destroy(weight_);
  if (desc_ != nullptr) functions_.desc_destroy(desc_);
}

void Product::set_rows(uint32_t rows) {
  const uint64_t count = rows;
  check(functions_.layout_set(x_, CUBLASLT_MATRIX_LAYOUT_COLS, &count, sizeof count), "setting the rows");
  check(functions_.layout_set(out_, CUBLASLT_MATRIX_LAYOUT_COLS, &count, sizeof count), "setting the rows");
}

void Product::choose(uint32_t capacity) {
  cublasLtMatmulPreference_t preference = nullptr;
  check(functions_.preference_create(&preference), "choosing an algorithm");
  const size_t most = CublasLt::kWorkspace;
  check(functions_.preference_set(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &most, sizeof most),
        "choosing an algorithm");
  std::vector<cublasLtMatmulAlgo_t> chosen;
  for (size_t bucket = 0; bucket <= bucket_of(capacity); ++bucket) {
    set_rows(kLeastRows << bucket);
    cublasLtMatmulHeuristicResult_t result{};
    int found = 0;
    const cublasStatus_t status =
        functions_.heuristic(handle_, desc_, weight_, x_, out_, out_, preference, 1, &result, &found);
    if (status != CUBLAS_STATUS_SUCCESS || found == 0) {
      functions_.preference_destroy(preference);
      check(status, "choosing an algorithm");
      fail(ErrorKind::failure, "[cuda] cuBLASLt has no algorithm for a product");
    }
    chosen.push_back(result.algo);
  }
  functions_.preference_destroy(preference);
  algorithms_.by_bucket = std::move(chosen);
}

void Product::run(const Tensor& x, const Matrix& weight, const Tensor* added, const Tensor& out,
                  uint32_t rows, std::byte* workspace, const Common& common) {
  if (common.load_only) return;  // load() has
  set_rows(rows);
  const float alpha = 1;
  const float beta = added != nullptr ? 1 : 0;
  const void* c = added != nullptr ? added->data : out.data;
  check(functions_.matmul(handle_, desc_, &alpha, weight.data, weight_, x.data, x_, &beta, c, out_, out.data,
                          out_, &algorithms_.by_bucket[bucket_of(rows)], workspace, CublasLt::kWorkspace,
                          common.stream),
        "multiplying");
}

void Product::load(const Tensor& x, const Matrix& weight, const Tensor* added, const Tensor& out,
                   std::byte* workspace, cudaStream_t stream) {
  bool& loaded = algorithms_.loaded[added != nullptr ? 1 : 0];
  if (loaded) return;
  Common common{};
  common.stream = stream;
  for (size_t bucket = 0; bucket < algorithms_.by_bucket.size(); ++bucket)
    run(x, weight, added, out, fewest_rows(bucket), workspace, common);
  loaded = true;
}

class Library final : public CublasLt {
 public:
  Library(void* library, const Functions& functions) : library_(library), functions_(functions) {
    const cublasStatus_t status = functions_.create(&handle_);
    if (status == CUBLAS_STATUS_SUCCESS) return;
    dlclose(library_);
    fail(ErrorKind::device, "[cuda] cuBLASLt does not start here (status ", static_cast<int>(status), "); ",
         kVariable, "=none goes without it, slower in prompts");
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library() override {
    functions_.destroy(handle_);
    dlclose(library_);
  }

  [[nodiscard]] std::unique_ptr<LtProduct> product(const Tensor& x, const Matrix& weight, const Tensor& out,
                                                   uint32_t capacity) override {
    const Key key{x.format, weight.rows, weight.columns,     out.format,
                  x.stride, out.stride,  bucket_of(capacity)};
    Algorithms& algorithms = algorithms_[key];
    auto made = std::make_unique<Product>(functions_, handle_, x, weight, out, algorithms);
    if (algorithms.by_bucket.empty()) made->choose(capacity);
    return made;
  }

 private:
  using Key = std::tuple<Format, uint32_t, uint32_t, Format, uint64_t, uint64_t, size_t>;
  void* library_;
  Functions functions_;
  cublasLtHandle_t handle_ = nullptr;
  std::map<Key, Algorithms> algorithms_;
};

// Null if there is no such file, or not all that is needed in it.
std::unique_ptr<CublasLt> load_file(const char* name) {
  void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  Functions functions{};
  if (find_all(library, functions)) return std::make_unique<Library>(library, functions);
  dlclose(library);
  return nullptr;
}

}  // namespace

std::unique_ptr<CublasLt> CublasLt::load(const char* given) {
  if (given != nullptr && *given != 0) {
    if (given == std::string_view("none")) return nullptr;
    if (auto library = load_file(given)) return library;
    throw Error(ErrorKind::device,
                concat(kVariable, "=", given, ": not cuBLASLt of CUDA 13; give its file, or none"));
  }
  for (const char* name : {"libcublasLt.so.13", "/usr/local/cuda/lib64/libcublasLt.so.13"}) {
    if (auto library = load_file(name)) return library;
  }
  return nullptr;
}

bool CublasLt::takes(Format numbers, uint64_t x_stride, uint32_t n, uint32_t k, Format out,
                     uint64_t out_stride) noexcept {
  const bool half = numbers == Format::bf16 || numbers == Format::f16;
  const bool aligned = k % 8 == 0 && n % 8 == 0 && x_stride % 8 == 0 && out_stride % 8 == 0;
  return half && aligned && (out == Format::f32 || out == numbers);
}

}  // namespace linnet::cuda
