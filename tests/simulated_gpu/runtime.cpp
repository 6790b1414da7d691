// The functions of the CUDA runtime that the backend calls, for a GPU that is simulated: compute
// capability 8.0, a few multiprocessors. Linked before the real runtime, they take its place.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "simulated_gpu/launch.h"
#include "simulated_gpu/memory.h"
#include "simulated_gpu/stream.h"

using namespace linnet::simulated;

namespace {

constexpr int kMajor = 8;
constexpr int kMinor = 0;
constexpr char kName[] = "simulated GPU";

// Few, because every one is simulated; more show what work is split for.
int processors() {
  const char* given = std::getenv("LINNET_SIMULATED_PROCESSORS");
  return given == nullptr ? 2 : std::atoi(given);
}

cudaError_t& last_error() {
  static thread_local cudaError_t error = cudaSuccess;
  return error;
}

cudaError_t said(cudaError_t status) {
  if (status != cudaSuccess) last_error() = status;
  return status;
}
cudaError_t sticky() {
  return said(sticky_error());
}

Stream& stream_of(cudaStream_t stream) {
  return *reinterpret_cast<Stream*>(stream);
}
Event& event_of(cudaEvent_t event) {
  return *reinterpret_cast<Event*>(event);
}

// Whether both sides are what the kind of the copy says.
bool sides_are_right(const void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  return is_device_memory(to, bytes) == to_device && is_device_memory(from, bytes) == from_device;
}

}  // namespace

namespace linnet::simulated {

cudaError_t attributes_of_kernel(cudaFuncAttributes& attributes) {
  attributes = {};
  attributes.binaryVersion = attributes.ptxVersion = 10 * kMajor + kMinor;
  return cudaSuccess;
}

cudaError_t launch(cudaStream_t stream, Kernel kernel) {
  if (sticky_error() != cudaSuccess) return sticky();
  return said(stream_of(stream).launch(std::move(kernel)));
}

}  // namespace linnet::simulated

extern "C" {

// Kernels of one generation of GPUs come from nvcc. They are there and never launched.
void** CUDARTAPI __cudaRegisterFatBinary(void*) {
  static void* handle = nullptr;
  return &handle;
}
void CUDARTAPI __cudaRegisterFatBinaryEnd(void**) {}
char CUDARTAPI __cudaInitModule(void**) {
  return 1;
}
void CUDARTAPI __cudaUnregisterFatBinary(void**) {}
void CUDARTAPI __cudaRegisterFunction(void**, const char*, char*, const char*, int, uint3*, uint3*, dim3*,
                                      dim3*, int*) {}
cudaError_t CUDARTAPI __cudaPopCallConfiguration(dim3*, dim3*, size_t*, void*) {
  return said(cudaErrorInvalidDeviceFunction);
}
cudaError_t CUDARTAPI __cudaGetKernel(cudaKernel_t*, const void*) {
  return said(cudaErrorInvalidDeviceFunction);
}
cudaError_t CUDARTAPI __cudaLaunchKernel(cudaKernel_t, dim3, dim3, void**, size_t, cudaStream_t) {
  return said(cudaErrorInvalidDeviceFunction);
}
cudaError_t CUDARTAPI cudaLaunchKernelExC(const cudaLaunchConfig_t*, const void*, void**) {
  return said(cudaErrorInvalidDeviceFunction);
}
cudaError_t CUDARTAPI cudaFuncGetAttributes(cudaFuncAttributes*, const void*) {
  return said(cudaErrorInvalidDeviceFunction);
}
cudaError_t CUDARTAPI cudaFuncSetAttribute(const void*, cudaFuncAttribute, int) {
  return said(cudaErrorInvalidDeviceFunction);
}
cudaError_t CUDARTAPI cudaGetDriverEntryPointByVersion(const char*, void** found, unsigned,
                                                       unsigned long long,
                                                       cudaDriverEntryPointQueryResult* result) {
  *found = nullptr;
  *result = cudaDriverEntryPointSymbolNotFound;
  return cudaSuccess;
}

// The device.

cudaError_t CUDARTAPI cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
cudaError_t CUDARTAPI cudaSetDevice(int device) {
  return said(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}
cudaError_t CUDARTAPI cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t CUDARTAPI cudaDriverGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t CUDARTAPI cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  *properties = {};
  std::copy(std::begin(kName), std::end(kName), properties->name);
  properties->totalGlobalMem = kTotalMemory;
  properties->major = kMajor;
  properties->minor = kMinor;
  properties->multiProcessorCount = processors();
  return cudaSuccess;
}
cudaError_t CUDARTAPI cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  switch (attribute) {
    case cudaDevAttrComputeCapabilityMajor:
      *value = kMajor;
      return cudaSuccess;
    case cudaDevAttrComputeCapabilityMinor:
      *value = kMinor;
      return cudaSuccess;
    default:
      return said(cudaErrorInvalidValue);
  }
}
cudaError_t CUDARTAPI cudaMemGetInfo(size_t* free, size_t* total) {
  *free = free_memory();
  *total = kTotalMemory;
  return cudaSuccess;
}
cudaError_t CUDARTAPI cudaGetLastError() {
  return std::exchange(last_error(), cudaSuccess);
}
const char* CUDARTAPI cudaGetErrorString(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "no error";
    case cudaErrorMemoryAllocation:
      return "out of memory";
    case cudaErrorLaunchFailure:
      return "unspecified launch failure";
    case cudaErrorInvalidConfiguration:
      return "invalid configuration argument";
    case cudaErrorInvalidDeviceFunction:
      return "not simulated";
    default:
      return "an error of the simulated GPU";
  }
}

// Memory.

cudaError_t CUDARTAPI cudaMalloc(void** memory, size_t bytes) {
  *memory = allocate(bytes);
  return said(*memory == nullptr ? cudaErrorMemoryAllocation : cudaSuccess);
}
cudaError_t CUDARTAPI cudaFree(void* memory) {
  run_all_streams();
  release(memory);
  return cudaSuccess;
}
cudaError_t CUDARTAPI cudaHostAlloc(void** memory, size_t bytes, unsigned) {
  *memory = std::malloc(bytes);
  return said(*memory == nullptr ? cudaErrorMemoryAllocation : cudaSuccess);
}
cudaError_t CUDARTAPI cudaFreeHost(void* memory) {
  run_all_streams();
  std::free(memory);
  return cudaSuccess;
}
// Streams that were made not to wait for these two do not.
cudaError_t CUDARTAPI cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  if (sticky_error() != cudaSuccess) return sticky();
  if (!sides_are_right(to, from, bytes, kind)) return said(cudaErrorInvalidValue);
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}
cudaError_t CUDARTAPI cudaMemset(void* memory, int byte, size_t bytes) {
  if (sticky_error() != cudaSuccess) return sticky();
  if (!is_device_memory(memory, bytes)) return said(cudaErrorInvalidValue);
  std::memset(memory, byte, bytes);
  return cudaSuccess;
}
cudaError_t CUDARTAPI cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                                        size_t width, size_t rows, cudaMemcpyKind kind, cudaStream_t stream) {
  if (sticky_error() != cudaSuccess) return sticky();
  if (rows == 0 || width == 0) return cudaSuccess;
  const bool right =
      sides_are_right(to, from, width, kind) &&
      sides_are_right(static_cast<std::byte*>(to) + (rows - 1) * to_pitch,
                      static_cast<const std::byte*>(from) + (rows - 1) * from_pitch, width, kind);
  if (!right || stream_of(stream).capturing()) return said(cudaErrorInvalidValue);
  stream_of(stream).enqueue(Copy{.to = static_cast<std::byte*>(to),
                                 .to_pitch = to_pitch,
                                 .from = static_cast<const std::byte*>(from),
                                 .from_pitch = from_pitch,
                                 .width = width,
                                 .rows = rows});
  return cudaSuccess;
}
cudaError_t CUDARTAPI cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                                      cudaStream_t stream) {
  return cudaMemcpy2DAsync(to, bytes, from, bytes, bytes, 1, kind, stream);
}

// Streams.

cudaError_t CUDARTAPI cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  *stream = reinterpret_cast<cudaStream_t>(new Stream);
  return cudaSuccess;
}
cudaError_t CUDARTAPI cudaStreamDestroy(cudaStream_t stream) {
  delete &stream_of(stream);
  return cudaSuccess;
}
cudaError_t CUDARTAPI cudaStreamSynchronize(cudaStream_t stream) {
  if (stream != cudaStreamLegacy) stream_of(stream).run_all();
  return sticky();
}
cudaError_t CUDARTAPI cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  stream_of(stream).enqueue(Wait{&event_of(event), event_of(event).recorded});
  return sticky();
}

// Events.

cudaError_t CUDARTAPI cudaEventCreate(cudaEvent_t* event) {
  *event = reinterpret_cast<cudaEvent_t>(new Event);
  return cudaSuccess;
}
cudaError_t CUDARTAPI cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  return cudaEventCreate(event);
}
cudaError_t CUDARTAPI cudaEventDestroy(cudaEvent_t event) {
  while (!event_of(event).done() && event_of(event).stream->run_one()) continue;
  delete &event_of(event);
  return cudaSuccess;
}
cudaError_t CUDARTAPI cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  ++event_of(event).recorded;
  event_of(event).stream = &stream_of(stream);
  stream_of(stream).enqueue(Record{&event_of(event)});
  return sticky();
}
// Asking brings it a little nearer.
cudaError_t CUDARTAPI cudaEventQuery(cudaEvent_t event) {
  if (sticky_error() != cudaSuccess) return sticky();
  if (event_of(event).done()) return cudaSuccess;
  event_of(event).stream->run_one();
  return cudaErrorNotReady;
}
cudaError_t CUDARTAPI cudaEventSynchronize(cudaEvent_t event) {
  while (!event_of(event).done() && event_of(event).stream->run_one()) continue;
  return sticky();
}
cudaError_t CUDARTAPI cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  const std::chrono::duration<float, std::milli> between = event_of(end).when - event_of(begin).when;
  *milliseconds = between.count();
  return cudaSuccess;
}

// Graphs: one is the same as what it is made of.

cudaError_t CUDARTAPI cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  if (stream_of(stream).capturing()) return said(cudaErrorIllegalState);
  stream_of(stream).begin_capture();
  return cudaSuccess;
}
cudaError_t CUDARTAPI cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  if (!stream_of(stream).capturing()) return said(cudaErrorIllegalState);
  *graph = reinterpret_cast<cudaGraph_t>(stream_of(stream).end_capture().release());
  return cudaSuccess;
}
cudaError_t CUDARTAPI cudaGraphInstantiate(cudaGraphExec_t* made, cudaGraph_t graph, unsigned long long) {
  *made = reinterpret_cast<cudaGraphExec_t>(new Graph(*reinterpret_cast<Graph*>(graph)));
  return cudaSuccess;
}
cudaError_t CUDARTAPI cudaGraphUpload(cudaGraphExec_t, cudaStream_t) {
  return sticky();
}
cudaError_t CUDARTAPI cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) {
  if (sticky_error() != cudaSuccess) return sticky();
  stream_of(stream).enqueue(reinterpret_cast<const Graph*>(graph));
  return cudaSuccess;
}
cudaError_t CUDARTAPI cudaGraphDestroy(cudaGraph_t graph) {
  delete reinterpret_cast<Graph*>(graph);
  return cudaSuccess;
}
cudaError_t CUDARTAPI cudaGraphExecDestroy(cudaGraphExec_t graph) {
  delete reinterpret_cast<Graph*>(graph);
  return cudaSuccess;
}

}  // extern "C"
