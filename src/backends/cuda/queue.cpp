#include "backends/cuda/queue.h"

#include <algorithm>
#include <cstring>
#include <thread>

#include "backends/cuda/check.h"

namespace linnet::cuda {
namespace {

[[nodiscard]] cudaEvent_t make_event() {
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "creating an event");
  return event;
}

[[nodiscard]] std::string_view name_of(FailedCheck check) {
  switch (check) {
    case FailedCheck::none:
      return "?";
    case FailedCheck::ids:
      return "ids";
    case FailedCheck::slots:
      return "slots";
    case FailedCheck::positions:
      return "positions";
    case FailedCheck::page_table:
      return "page_table";
    case FailedCheck::row_starts:
      return "row_starts";
    case FailedCheck::sequence_slots:
      return "sequence_slots";
  }
  return "?";
}

}  // namespace

Queue::Queue()
    : writes_(allocate_pinned(2 * kHalf)),
      reads_(allocate_pinned(kReadRing)),
      failure_memory_(allocate_pinned(sizeof(KernelFailure))),
      kernel_failure_(reinterpret_cast<KernelFailure*>(failure_memory_.get())) {
  *kernel_failure_ = {};
  for (cudaStream_t* stream : {&stream_, &beside_})
    check(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking), "creating a stream");
  reached_ = make_event();
  for (cudaEvent_t& event : half_free_) event = make_event();
}

Queue::~Queue() {
  drain();
  while (!pending_.empty()) static_cast<void>(cudaEventDestroy(pending_.pop().event));
  for (cudaEvent_t event : events_) static_cast<void>(cudaEventDestroy(event));
  for (cudaEvent_t event : half_free_) static_cast<void>(cudaEventDestroy(event));
  static_cast<void>(cudaEventDestroy(reached_));
  for (cudaStream_t stream : {stream_, beside_}) static_cast<void>(cudaStreamDestroy(stream));
}

void Queue::fail_once(cudaError_t status, const char* what) noexcept {
  if (status == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());
  if (!failure_) failure_ = error_of(status, what);
}

void Queue::look_for_kernel_failure() noexcept {
  const volatile KernelFailure& seen = *kernel_failure_;
  if (seen.check == 0 || failure_) return;
  const std::string op = line_name_ ? line_name_(seen.line) : std::string("?");
  failure_ =
      Error(ErrorKind::failure, concat("[", op, "] ", name_of(static_cast<FailedCheck>(seen.check)),
                                       ": expected a number in [0, ", seen.limit, "), got ", seen.got));
}

void Queue::write(std::byte* to, std::span<const std::byte> from) {
  while (!from.empty()) {
    if (used_ == kHalf) {
      check(cudaEventRecord(half_free_[half_], stream_), "writing");
      half_ = 1 - half_;
      used_ = 0;
      check(cudaEventSynchronize(half_free_[half_]), "writing");
    }
    const size_t bytes = std::min(from.size(), kHalf - used_);
    std::byte* staged = writes_.get() + half_ * kHalf + used_;
    std::memcpy(staged, from.data(), bytes);
    check(cudaMemcpyAsync(to, staged, bytes, cudaMemcpyHostToDevice, stream_), "writing");
    used_ = std::min(kHalf, (used_ + bytes + 63) / 64 * 64);
    to += bytes;
    from = from.subspan(bytes);
  }
}

cudaEvent_t Queue::take_event() {
  if (events_.empty()) return make_event();
  cudaEvent_t event = events_.back();
  events_.pop_back();
  return event;
}

void Queue::copy_staged(cudaStream_t stream, const std::byte* from, const Staging::Place& place,
                        std::span<std::byte> into, Completion done) {
  if (!into.empty()) {
    check(cudaMemcpyAsync(reads_.get() + place.offset, from, into.size(), cudaMemcpyDeviceToHost, stream),
          "reading");
  }
  cudaEvent_t event = take_event();
  check(cudaEventRecord(event, stream), "reading");
  pending_.push({event, place, into, std::move(done)});
}

void Queue::read(const std::byte* from, std::span<std::byte> into, Completion done) {
  if (const std::optional<Staging::Place> place = staging_.take(into.size()))
    return copy_staged(stream_, from, *place, into, std::move(done));
  check(cudaMemcpyAsync(into.data(), from, into.size(), cudaMemcpyDeviceToHost, stream_), "reading");
  check(cudaStreamSynchronize(stream_), "reading");
  copy_staged(stream_, nullptr, {}, {}, std::move(done));
}

void Queue::read_beside(const std::byte* from, std::span<std::byte> into, Completion done) {
  const std::optional<Staging::Place> place = staging_.take(into.size());
  if (!place) return read(from, into, std::move(done));
  check(cudaEventRecord(reached_, stream_), "reading");
  check(cudaStreamWaitEvent(beside_, reached_), "reading");
  copy_staged(beside_, from, *place, into, std::move(done));
}

void Queue::completed(Completion done) {
  read(nullptr, {}, std::move(done));
}

bool Queue::front_ready() {
  const cudaError_t status = cudaEventQuery(pending_.front().event);
  if (status == cudaErrorNotReady) return false;
  fail_once(status, "running");
  return true;
}

void Queue::complete_front() {
  Pending front = pending_.pop();
  events_.push_back(front.event);
  look_for_kernel_failure();
  if (!failure_ && !front.into.empty())
    std::memcpy(front.into.data(), reads_.get() + front.place.offset, front.into.size());
  staging_.give_back(front.place);
  front.done(failure_ ? &*failure_ : nullptr);
}

// Completions may enqueue more; those are looked at in the next poll().
void Queue::poll() {
  for (size_t left = pending_.size(); left > 0 && !pending_.empty() && front_ready(); --left)
    complete_front();
}

bool Queue::wait(std::chrono::nanoseconds timeout) {
  if (pending_.empty()) return false;
  const auto begin = std::chrono::steady_clock::now();
  while (!front_ready()) {
    const auto waited = std::chrono::steady_clock::now() - begin;
    if (waited >= timeout) return false;
    // A step of a small model takes less than a millisecond: a sleep would be as long as what it waits for.
    if (waited > std::chrono::milliseconds(2)) std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  return true;
}

void Queue::drain() noexcept {
  for (cudaStream_t stream : {stream_, beside_}) fail_once(cudaStreamSynchronize(stream), "running");
  look_for_kernel_failure();
}

}  // namespace linnet::cuda
