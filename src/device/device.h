// The seam: what every backend implements. One Device is one in-order queue, used by one thread at a time.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "device/buffer.h"
#include "device/byte_source.h"
#include "device/receipt.h"
#include "program/compile_options.h"
#include "program/lower.h"
#include "program/plan.h"
#include "program/program.h"
#include "program/weight_spec.h"

namespace linnet {

// Called from poll(), in queue order. `error` is null if what was asked for has arrived; the first failure of
// a device stays and reaches every later completion.
using Completion = std::function<void(const Error* error)>;

struct Binding {
  Value value;
  Buffer* buffer = nullptr;
};

// A program bound to memory, ready to be run again and again.
class Launch {
 public:
  virtual ~Launch() = default;
  // Enqueues one run. `extents` has a count ≤ max for each extent of the program. Allocates nothing.
  virtual void run(std::span<const uint32_t> extents = {}) noexcept = 0;
  // The value as plain floats, at full capacity and without padding, whatever its layout. A scratch value
  // that was overwritten since has other contents: compile without reuse_scratch to read all of them.
  virtual void read_value(Value value, std::span<float> into, Completion done) = 0;
};

class Executable {
 public:
  virtual ~Executable() = default;
  // Every value of the program but scratch and views needs a binding, to a buffer at least as large as the
  // value; `scratch` has at least plan().scratch_bytes. Executable and buffers must outlive the launch.
  [[nodiscard]] virtual std::unique_ptr<Launch> bind(std::span<const Binding> bindings, Buffer& scratch) = 0;
  // The lowered program: what really runs.
  [[nodiscard]] virtual const Program& program() const noexcept = 0;
  [[nodiscard]] virtual const Plan& plan() const noexcept = 0;
};

// Bytes that a program needs on a device, known before any weight is read.
struct Footprint {
  size_t weights = 0;
  size_t state = 0;    // caches, page tables, slots; inputs and outputs
  size_t scratch = 0;  // the arena
  size_t code = 0;     // kernels and libraries on the device, loaded when a program is bound
};

struct DeviceInfo {
  std::string backend;  // "cpu"
  std::string name;     // the processor's own name
  std::string detail;   // "2 threads, AVX-512 VNNI"
  size_t total_memory = 0;
  size_t free_memory = 0;        // now
  Format compute = Format::f32;  // the policy's activation type
  Format kv = Format::f32;
  uint32_t steps_ahead = 1;  // runs worth keeping in flight: 1 where the calling thread computes
  // Rows of a prompt worth taking together. Weights are read once for all of them: with 256 rows a product
  // does 128 multiplications per byte of f32 weights, past the point where a processor waits for memory; more
  // only costs scratch there.
  uint32_t prompt_rows = 256;
  // Rows up to which prompts are worth a program of their own, ascending, because a device lowers few rows
  // otherwise than many.
  std::vector<uint32_t> shorter_prompts = {};
};

// One way of reading memory, by the number of streams that read side by side, and how fast it was.
struct ReadSpeed {
  uint32_t streams = 0;
  double bytes_per_second = 0;
};

class Device {
 public:
  virtual ~Device() = default;

  // Asks the system each time: free memory changes.
  [[nodiscard]] virtual DeviceInfo info() const = 0;

  // How this device wants an op: operands are values of into.program(), formats are resolved.
  [[nodiscard]] virtual Lowered lower(const Op& op, const CompileOptions& options, Recorder& into) const = 0;
  // Scratch that the kernel of a lowered op needs beyond its operands.
  [[nodiscard]] virtual size_t workspace(const Program& program, const Op& op) const = 0;
  [[nodiscard]] virtual Footprint footprint(const Program& program, const CompileOptions& options) const = 0;

  // Brings a weight onto the device in the layout its kernels like, in chunks; may adopt mapped bytes.
  [[nodiscard]] virtual std::unique_ptr<Buffer> load(const WeightSpec& spec, const ByteSource& source) = 0;
  // Memory for state, input or output, zeroed and resident.
  [[nodiscard]] virtual std::unique_ptr<Buffer> allocate(const ValueInfo& value) = 0;
  [[nodiscard]] virtual std::unique_ptr<Buffer> allocate_scratch(size_t bytes) = 0;

  // Bytes of allocate()d buffers in the plain layout of format/. write() has copied when it returns and takes
  // effect in queue order; read() fills `into`, which must live until `done` was called.
  virtual void write(Buffer& buffer, size_t offset, std::span<const std::byte> bytes) = 0;
  virtual void read(const Buffer& buffer, size_t offset, std::span<std::byte> into, Completion done) = 0;
  // As read(), of bytes that nothing writes until `done` was called: what comes next in the queue need not
  // wait for their copy.
  virtual void read_beside(const Buffer& buffer, size_t offset, std::span<std::byte> into, Completion done) {
    read(buffer, offset, into, std::move(done));
  }
  // Runs the completions of what has finished; completions run nowhere else.
  virtual void poll() = 0;
  // Sleeps until there may be something to poll; false on timeout.
  virtual bool wait(std::chrono::nanoseconds timeout) = 0;

  [[nodiscard]] virtual std::unique_ptr<Executable> compile(const Program& program,
                                                            const CompileOptions& options) = 0;
  // All that ran since the device was opened.
  [[nodiscard]] virtual Receipt receipt() const = 0;
  // How fast the device's own memory can be read, in several ways, measured now: the yardstick of what
  // streams weights. Empty for a device that computes in the host's memory.
  [[nodiscard]] virtual std::vector<ReadSpeed> measure_reading() { return {}; }
};

// Pump the device until the bytes or floats have arrived; throw its error if it has one. For tests and for
// start-up; not for a browser.
void read_now(Device& device, const Buffer& buffer, size_t offset, std::span<std::byte> into);
void read_value_now(Device& device, Launch& launch, Value value, std::span<float> into);

}  // namespace linnet
