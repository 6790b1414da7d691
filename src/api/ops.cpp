#include "linnet/ops.hpp"

#include <cmath>
#include <numeric>

#include "api/one_op.h"
#include "models/rope_frequencies.h"
#include "program/checks.h"

namespace linnet::v0 {
namespace {

ActivationKind internal_kind(Activation kind) {
  switch (kind) {
    case Activation::silu:
      return ActivationKind::silu;
    case Activation::gelu:
      return ActivationKind::gelu;
    case Activation::gelu_tanh:
      return ActivationKind::gelu_tanh;
  }
  fail(linnet::ErrorKind::usage, "[activation] kind: ", static_cast<int>(kind), " is none");
}

void require_rank(const OneOp& op, Value value, size_t rank, std::string_view name,
                  std::string_view operand) {
  if (op.shape(value).rank() != rank) {
    fail(linnet::ErrorKind::usage, "[", name, "] ", operand, ": expected ", rank, " dimensions, got ",
         op.shape(value));
  }
}

// An id out of range would fail on the device, for good; here it is only the caller's mistake.
void require_ids(const Tensor& ids, uint32_t entries) {
  const std::vector<int32_t> numbers = ids.to_integers();
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] < 0 || static_cast<uint32_t>(numbers[i]) >= entries) {
      fail(linnet::ErrorKind::usage, "[embedding] ids[", i, "]: expected 0 to ", entries - 1, ", got ",
           numbers[i]);
    }
  }
}

std::vector<int32_t> counting(int32_t first, size_t count) {
  std::vector<int32_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

}  // namespace

Tensor embedding(const Tensor& table, const Tensor& ids) {
  return at_boundary([&] {
    OneOp op("embedding");
    const Value entries = op.weight(table, "table", Use::table);
    const Value wanted = op.input(ids, "ids");
    require_rank(op, wanted, 1, "embedding", "ids");
    require_ids(ids, table.shape()[0]);
    const Value out = op.output({op.shape(wanted)[0], op.shape(entries)[1]}, linnet::Format::f32);
    op.record(Embedding{.table = entries, .ids = wanted, .out = out});
    return op.run();
  });
}

Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  return at_boundary([&] {
    OneOp op("linear");
    const Value in = op.input(x, "x");
    const Value matrix = op.weight(weight, "weight", Use::matrix);
    const Value offset = op.optional_weight(bias, "bias", Use::vector);
    const Value out = op.output(with_last(op.shape(in), op.shape(matrix)[0]), op.result_format(in));
    op.record(Linear{.x = in, .weight = matrix, .bias = offset, .out = out});
    return op.run();
  });
}

Tensor add(const Tensor& a, const Tensor& b) {
  return at_boundary([&] {
    OneOp op("add");
    const Value left = op.input(a, "a");
    const Value right = op.input(b, "b");
    const Value out = op.output(op.shape(left), op.result_format(left));
    op.record(Add{.a = left, .b = right, .out = out});
    return op.run();
  });
}

Tensor rms_norm(const Tensor& x, const Tensor& weight, float epsilon) {
  return at_boundary([&] {
    OneOp op("rms_norm");
    const Value in = op.input(x, "x");
    const Value scale = op.weight(weight, "weight", Use::vector);
    const Value out = op.output(op.shape(in), op.result_format(in));
    op.record(RmsNorm{.x = in, .weight = scale, .out = out, .epsilon = epsilon});
    return op.run();
  });
}

Tensor layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, float epsilon) {
  return at_boundary([&] {
    OneOp op("layer_norm");
    const Value in = op.input(x, "x");
    const Value scale = op.optional_weight(weight, "weight", Use::vector);
    const Value offset = op.optional_weight(bias, "bias", Use::vector);
    const Value out = op.output(op.shape(in), op.result_format(in));
    op.record(LayerNorm{.x = in, .weight = scale, .bias = offset, .out = out, .epsilon = epsilon});
    return op.run();
  });
}

Tensor softmax(const Tensor& x) {
  return at_boundary([&] {
    OneOp op("softmax");
    const Value in = op.input(x, "x");
    const Value out = op.output(op.shape(in), op.result_format(in));
    op.record(Softmax{.x = in, .out = out});
    return op.run();
  });
}

Tensor activation(const Tensor& x, Activation kind) {
  return at_boundary([&] {
    OneOp op("activation");
    const Value in = op.input(x, "x");
    const Value out = op.output(op.shape(in), op.result_format(in));
    op.record(linnet::Activation{.x = in, .out = out, .kind = internal_kind(kind)});
    return op.run();
  });
}

Tensor gated_activation(const Tensor& x, Activation kind) {
  return at_boundary([&] {
    OneOp op("gated_activation");
    const Value in = op.input(x, "x");
    require_rank(op, in, 2, "gated_activation", "x");
    const uint32_t wide = op.shape(in)[1].max;
    if (wide % 2 != 0) {
      fail(linnet::ErrorKind::usage, "[gated_activation] x: expected an even number of columns, got ",
           op.shape(in));
    }
    const Value out = op.output({op.shape(in)[0], wide / 2}, op.result_format(in));
    op.record(GatedActivation{.x = in, .out = out, .kind = internal_kind(kind)});
    return op.run();
  });
}

Tensor rope(const Tensor& x, const Tensor& positions, const RopeOptions& options) {
  return at_boundary([&] {
    OneOp op("rope");
    const Value in = op.input(x, "x");
    require_rank(op, in, 3, "rope", "x");
    const uint32_t most = op.shape(in)[2].max / 2;
    const uint32_t pairs = options.pairs == 0 ? most : options.pairs;
    if (pairs < 1 || pairs > most) {
      fail(linnet::ErrorKind::usage, "[rope] pairs: expected 1 to ", most, " for a width of ",
           op.shape(in)[2].max, ", got ", pairs);
    }
    if (!(options.base > 0) || !std::isfinite(options.base)) {
      fail(linnet::ErrorKind::usage, "[rope] base: expected a number above 0, got ", options.base);
    }
    const Value where = op.input(positions, "positions");
    require_rank(op, where, 1, "rope", "positions");
    const Value frequencies =
        op.computed_vector(rope_frequencies(pairs, options.base, {}, {}), {pairs, 2}, "frequencies");
    const Value angles = op.state({op.shape(where)[0], pairs, 2}, linnet::Format::f32, "angles");
    op.record(RopeAngles{.positions = where, .frequencies = frequencies, .out = angles});
    const Value out = op.output(op.shape(in), op.result_format(in));
    const auto layout =
        options.layout == RopePairs::halves ? linnet::RopePairs::halves : linnet::RopePairs::adjacent;
    op.record(Rope{.x = in, .angles = angles, .out = out, .pairs = layout});
    return op.run();
  });
}

// The keys and values are stored into pages, as a model's are, and read by the same kernel.
Tensor attention(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionOptions& options) {
  return at_boundary([&] {
    OneOp op("attention");
    const Value queries = op.input(q, "q");
    const Value keys = op.input(k, "k");
    const Value values = op.input(v, "v");
    require_rank(op, queries, 3, "attention", "q");
    require_rank(op, keys, 3, "attention", "k");
    const uint32_t rows = op.shape(queries)[0].max;
    const uint32_t tokens = op.shape(keys)[0].max;
    const uint32_t width = op.shape(queries)[2].max;
    if (tokens < rows || tokens > INT32_MAX) {
      fail(linnet::ErrorKind::usage, "[attention] k: expected at least as many tokens as q has rows (", rows,
           "), got ", tokens);
    }
    const uint32_t pages = static_cast<uint32_t>(divide_up(tokens, kPageTokens));
    const linnet::Shape cache{pages + 1, op.shape(keys)[1], kPageTokens, op.shape(keys)[2]};
    const Value k_cache = op.state(cache, linnet::Format::f32, "k_cache");
    const Value v_cache = op.state(cache, linnet::Format::f32, "v_cache");
    const Value page_table = op.input(counting(1, pages), {1, pages}, "page_table");
    const Value slot = op.input(counting(0, 1), {1}, "sequence_slots");
    const auto paging = [&](uint32_t first, uint32_t count, std::string_view whose) {
      const int32_t starts[] = {0, static_cast<int32_t>(count)};
      return Paging{.positions = op.input(counting(static_cast<int32_t>(first), count), {count},
                                          concat(whose, "_positions")),
                    .row_starts = op.input(starts, {2}, concat(whose, "_row_starts")),
                    .sequence_slots = slot,
                    .page_table = page_table};
    };
    op.record(KvStore{
        .k = keys, .v = values, .paging = paging(0, tokens, "k"), .k_cache = k_cache, .v_cache = v_cache});
    const size_t columns = size_product(op.shape(queries)[1].max, width);
    const Value out =
        op.output({op.shape(queries)[0], static_cast<uint32_t>(columns)}, op.result_format(queries));
    const float scale = options.scale != 0 ? options.scale : 1 / std::sqrt(static_cast<float>(width));
    op.record(linnet::Attention{.q = queries,
                                .paging = paging(tokens - rows, rows, "q"),
                                .k_cache = k_cache,
                                .v_cache = v_cache,
                                .out = out,
                                .scale = scale});
    return op.run();
  });
}

Tensor quantize(const Tensor& x) {
  return at_boundary([&] {
    OneOp op("quantize");
    const Value in = op.input(x, "x");
    const uint32_t block = traits(linnet::Format::q8_a).block_elements;
    if (op.shape(in).back().max % block != 0) {
      fail(linnet::ErrorKind::usage, "[quantize] x: expected rows of a multiple of ", block, ", got ",
           op.shape(in));
    }
    const Value out = op.output(op.shape(in), linnet::Format::q8_a);
    op.record(Quantize{.x = in, .out = out});
    return op.run();
  });
}

}  // namespace linnet::v0
