#include "check/bandwidth.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <span>

#include "base/thread_pool.h"
#include "device/host_buffer.h"

namespace linnet {
namespace {

// 64-byte lines, summed as words: integers, so that the compiler may use vectors in any order.
constexpr size_t kLineWords = 8;
using Line = std::array<uint64_t, kLineWords>;

// Reads `lines` as so many stretches side by side. The sum makes every load count.
template <unsigned kStreams>
uint64_t read_streams(std::span<const Line> lines) {
  const size_t each = lines.size() / kStreams;
  std::array<Line, kStreams> sums{};
  for (size_t i = 0; i < each; ++i) {
    for (unsigned stream = 0; stream < kStreams; ++stream) {
      const Line& line = lines[stream * each + i];
      for (size_t word = 0; word < kLineWords; ++word) sums[stream][word] += line[word];
    }
  }
  uint64_t total = 0;
  for (const Line& sum : sums) {
    for (const uint64_t word : sum) total += word;
  }
  return total;
}

using Read = uint64_t (*)(std::span<const Line>);
struct Way {
  unsigned streams;
  Read read;
};
constexpr std::array<Way, 5> kWays = {{{1, read_streams<1>},
                                       {2, read_streams<2>},
                                       {4, read_streams<4>},
                                       {8, read_streams<8>},
                                       {16, read_streams<16>}}};

double seconds_of(ThreadPool& pool, std::span<const Line> lines, Read read, std::atomic<uint64_t>& sink) {
  const size_t share = lines.size() / pool.size();
  const auto begin = std::chrono::steady_clock::now();
  pool.run([&](unsigned thread) { sink += read(lines.subspan(thread * share, share)); });
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

double Bandwidth::best() const noexcept {
  double best = 0;
  for (const ReadSpeed& line : lines) best = std::max(best, line.bytes_per_second);
  return best;
}

Bandwidth measure_bandwidth(Device& device, const BandwidthOptions& options) {
  Bandwidth own{.threads = 0, .lines = device.measure_reading()};
  return own.lines.empty() ? measure_host_bandwidth(options) : own;
}

Bandwidth measure_host_bandwidth(const BandwidthOptions& options) {
  ThreadPool pool(options.threads == 0 ? default_threads() : options.threads);
  const size_t unit =
      sizeof(Line) * kWays.back().streams * pool.size();  // whole lines for each stream of each thread
  const size_t bytes = std::max(unit, options.bytes / unit * unit);
  Bandwidth result{.threads = pool.size(), .lines = {}};
  const HostBuffer buffer(bytes);
  const std::span<const Line> lines(reinterpret_cast<const Line*>(buffer.data()), bytes / sizeof(Line));
  std::atomic<uint64_t> sink{0};
  for (const Way& way : kWays) {
    double fastest = std::numeric_limits<double>::infinity();
    for (unsigned i = 0; i < options.repetitions; ++i) {
      fastest = std::min(fastest, seconds_of(pool, lines, way.read, sink));
    }
    result.lines.push_back({way.streams, static_cast<double>(bytes) / fastest});
  }
  return result;
}

}  // namespace linnet
