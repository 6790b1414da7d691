#include "backends/cuda/walk.h"

#include <algorithm>
#include <bit>
#include <map>
#include <vector>

namespace linnet::cuda {
namespace {

constexpr size_t kFewestStages = 5;
// A place of words is used again only after so many stages: a block can be one stage ahead of another at
// most, because every stage needs all of the one before.
constexpr uint32_t kStagesApart = 8;
constexpr uint32_t kMostUses = 100;  // of one place in a run: tags have eight bits

// Found by measuring (docs/cuda.md).
WalkPace pace_of(Format weights) {
  return weights == Format::q8_0 ? WalkPace{.waiting = 7, .next = 12, .busy = 12}
                                 : WalkPace{.waiting = 9, .next = 9, .busy = 12};
}

}  // namespace

class WalkBuilder {
 public:
  WalkBuilder(Binder& binder, const LineOf& line_of)
      : binder_(binder), program_(binder.program()), line_of_(line_of) {}

  // False, and there is no stage of it, if the op is none of the walk's.
  bool add(const Op& op) {
    if (args_.draws || !std::visit([&](const auto& each) { return add_one(each); }, op)) return false;
    describe_line(op);
    return true;
  }

  // Values that steps after the walk read must be plain.
  [[nodiscard]] bool only_words(Value value) const {
    const auto made = made_.find(program_.base(value).id);
    return made != made_.end() && !made->second.outside;
  }

  [[nodiscard]] size_t weight_bytes() const {
    size_t elements = 0;
    for (const WalkStage& stage : stages_) elements += size_t{stage.n} * stage.k;
    return bytes_of(args_.format, elements);
  }
  [[nodiscard]] bool complete() const { return stages_.size() >= kFewestStages && attention_seen_; }
  std::shared_ptr<Walk> finish(size_t steps);

 private:
  struct Made {
    uint32_t words = 0;  // where they are
    uint8_t use = 0;     // of that place
    uint8_t copies = 1;
    bool pairs = false;    // two numbers in a word
    bool outside = false;  // in memory that every step sees
  };
  struct Place {
    uint32_t offset;
    uint32_t size;
    bool pairs;
    uint32_t last_stage;
    uint32_t uses;
  };

  template <class T>
  bool add_one(const T&) {
    return false;
  }
  bool add_one(const RopeAngles& op);
  bool add_one(const NormQkvRopeStore& op);
  bool add_one(const Attention& op);
  bool add_one(const LinearAdd& op);
  bool add_one(const NormGatedLinear& op);
  bool add_one(const NormLinear& op);
  bool add_one(const Sample& op);

  [[nodiscard]] bool whole(Value value) const { return program_.base(value) == value; }
  [[nodiscard]] bool one_row(Value value) const {
    const Dim rows = program_.shape(value).rows();
    return rows.fixed() && rows.max == 1;
  }
  // A stage whose x, weight and bias are set; nothing if it cannot be taken.
  template <class T>
  std::optional<WalkStage> product(const T& op, WalkStage::Kind kind);
  template <class T>
  void set_norm(const T& op, WalkStage& stage) {
    stage.norm = binder_.data<const float>(op.norm);
    stage.epsilon = op.epsilon;
  }
  [[nodiscard]] bool fits_a_block(const WalkStage& stage) const {
    return stage.n <= kWalkRows * binder_.processors();
  }
  [[nodiscard]] uint32_t rows_of_a_unit() const { return unit_rows(args_.format == Format::q8_0); }
  [[nodiscard]] uint32_t units(uint32_t rows) const {
    return (rows + rows_of_a_unit() - 1) / rows_of_a_unit();
  }
  // Blocks that attend in every run, however few tokens there are: the first of attention's tasks.
  [[nodiscard]] uint32_t attending() const {
    const uint32_t tasks =
        walk_tasks(args_.heads / args_.pages.kv_heads, args_.pages.width) * args_.pages.kv_heads;
    return tasks <= binder_.processors() / 4 ? tasks : 0;
  }
  static void take_words(const Made& made, WalkStage& stage) {
    stage.in = made.words;
    stage.in_pairs = made.pairs;
    stage.in_use.number = made.use;
    stage.in_copies = made.copies;
  }
  void give_words(Value out, uint32_t numbers, bool pairs, WalkStage& stage, uint8_t copies = 1);
  bool number_uses();
  void describe_line(const Op& op);
  bool same_row(const Paging& paging, Value k_cache);

  Binder& binder_;
  const Program& program_;
  const LineOf& line_of_;
  std::vector<WalkStage> stages_;
  size_t described_ = 0;  // stages that have their line
  std::map<uint32_t, Made> made_;
  std::vector<Place> places_;
  uint32_t words_ = 0;
  Value last_sum_;
  bool attention_seen_ = false;
  const RopeAngles* angles_ = nullptr;     // if they are made here
  const NormQkvRopeStore* row_ = nullptr;  // the first of them
  const NormQkvRopeStore* qkv_ = nullptr;  // the one before
  WalkArgs args_{};
};

template <class T>
std::optional<WalkStage> WalkBuilder::product(const T& op, WalkStage::Kind kind) {
  if (!one_row(op.x) || !whole(op.x) || !whole(op.out) || op.input != Format::compute) return {};
  if (binder_.options().activations != Format::bf16) return {};
  const Matrix weight = binder_.matrix(op.weight);
  if (!walk_takes(weight.format, weight.columns)) return {};
  WalkStage stage{};
  stage.kind = kind;
  stage.weight = weight.data;
  stage.scales = weight.scales;
  if (stages_.empty()) args_.format = weight.format;
  if (weight.format != args_.format) return {};  // one kernel for each format
  if (kind != WalkStage::Kind::linear && weight.rows % rows_of_a_unit() != 0) return {};
  stage.n = weight.rows;
  stage.k = weight.columns;
  stage.inverse_k = 1.0f / static_cast<float>(weight.columns);
  stage.bias = binder_.data<const float>(op.bias);
  if (const auto made = made_.find(op.x.id); made != made_.end()) {
    if constexpr (requires { op.norm; }) {
      if (made->second.pairs) return {};
    }
    take_words(made->second, stage);
  } else {
    const Tensor x = binder_.tensor(op.x);
    if (x.format != Format::f32 || reinterpret_cast<uintptr_t>(x.data) % 16 != 0) return {};
    stage.plain_in = reinterpret_cast<const float*>(x.data);
  }
  return stage;
}

void WalkBuilder::give_words(Value out, uint32_t numbers, bool pairs, WalkStage& stage, uint8_t copies) {
  const uint32_t size = pairs ? copies * words_of_copy(numbers) : numbers;
  const auto now = static_cast<uint32_t>(stages_.size());
  auto place = std::ranges::find_if(places_, [&](const Place& each) {
    return each.size == size && each.pairs == pairs && each.last_stage + kStagesApart <= now;
  });
  if (place == places_.end()) {
    place = places_.insert(places_.end(), {words_, size, pairs, 0, 0});
    words_ += (size + 63) / 64 * 64;
  }
  stage.out = place->offset;
  stage.out_use.number = static_cast<uint8_t>(place->uses++);
  place->last_stage = now;
  made_[out.id] = {.words = stage.out, .use = stage.out_use.number, .copies = copies, .pairs = pairs};
}

// How often each place is used in a run is known at the end. The first run is number 1, and its first use
// too.
bool WalkBuilder::number_uses() {
  const auto number = [&](WalkUse& use, uint32_t words) {
    use.uses = static_cast<uint8_t>(std::ranges::find(places_, words, &Place::offset)->uses);
    use.number = static_cast<uint8_t>(use.number + 1 - use.uses);
  };
  for (WalkStage& stage : stages_) {
    if (stage.plain_in == nullptr) number(stage.in_use, stage.in);
    if (stage.kind != WalkStage::Kind::linear) number(stage.out_use, stage.out);
  }
  return std::ranges::all_of(places_, [](const Place& place) { return place.uses <= kMostUses; });
}

bool WalkBuilder::same_row(const Paging& paging, Value k_cache) {
  const Paging& first = row_->paging;
  return paging.positions == first.positions && paging.row_starts == first.row_starts &&
         paging.sequence_slots == first.sequence_slots && paging.page_table == first.page_table &&
         program_.shape(k_cache) == program_.shape(row_->k_cache) && program_.format(k_cache) == Format::bf16;
}

// Beside what comes before the first stage.
bool WalkBuilder::add_one(const RopeAngles& op) {
  if (!stages_.empty() || angles_ != nullptr || !one_row(op.out) || !whole(op.out)) return false;
  angles_ = &op;
  args_.frequencies = binder_.data<const float>(op.frequencies);
  made_[op.out.id] = {};
  return true;
}

bool WalkBuilder::add_one(const NormQkvRopeStore& op) {
  auto stage = product(op, WalkStage::Kind::rope_and_store);
  if (!stage || !fits_a_block(*stage)) return false;
  const Shape& q = program_.shape(op.out);
  const uint32_t width = q[2].max;
  const uint32_t pairs = program_.shape(op.angles)[1].max;
  if (row_ == nullptr) {
    const bool angles = program_.format(op.angles) == Format::f32 && whole(op.angles);
    const bool rotation = op.pairs == RopePairs::adjacent || 2 * pairs == width;
    if ((width != 64 && width != 128) || !angles || !rotation) return false;
    row_ = &op;
    args_.pages = pages_of(op.paging, op.k_cache, binder_);
    args_.pages.rows = 1;
    args_.pages.sequences = program_.shape(op.paging.sequence_slots)[0].max;
    if (angles_ == nullptr) args_.angles = binder_.data<const float>(op.angles);
    if (angles_ != nullptr && (!(op.angles == angles_->out) || !(op.paging.positions == angles_->positions)))
      return false;
    args_.rope_pairs = pairs;
    args_.width_shift = static_cast<uint32_t>(std::countr_zero(width));
    args_.pairs = op.pairs;
    args_.heads = q[1].max;
  }
  if (!same_row(op.paging, op.k_cache) || !(op.angles == row_->angles) || op.pairs != args_.pairs ||
      q[1].max != args_.heads)
    return false;
  set_norm(op, *stage);
  stage->k_cache = binder_.data<std::byte>(op.k_cache);
  stage->v_cache = binder_.data<std::byte>(op.v_cache);
  stage->share = share_with_few(units(stage->n), binder_.processors(), attending());
  if (op.pairs == RopePairs::halves) {
    stage->shift = args_.width_shift;
    stage->half = width / 2;
    stage->paired = args_.heads + args_.pages.kv_heads;
  }
  give_words(op.out, stage->n, false, *stage);
  stages_.push_back(*stage);
  qkv_ = &op;
  return true;
}

bool WalkBuilder::add_one(const Attention& op) {
  if (qkv_ == nullptr || !(op.q == qkv_->out) || !(op.k_cache == qkv_->k_cache) ||
      !(op.v_cache == qkv_->v_cache) || !same_row(op.paging, op.k_cache) || !whole(op.out))
    return false;
  if (attention_seen_ && args_.attention_scale != op.scale) return false;
  if (!attention_seen_) args_.first_attention = static_cast<uint32_t>(stages_.size());
  attention_seen_ = true;
  args_.attention_scale = op.scale;
  args_.attention_line = line_of_(op_name(op));
  const Made& q = made_.at(op.q.id);
  WalkStage stage{};
  stage.kind = WalkStage::Kind::attention;
  take_words(q, stage);
  stage.k_cache = binder_.data<std::byte>(op.k_cache);
  stage.v_cache = binder_.data<std::byte>(op.v_cache);
  give_words(op.out, args_.heads * args_.pages.width, true, stage);
  stages_.push_back(stage);
  return true;
}

bool WalkBuilder::add_one(const LinearAdd& op) {
  auto stage = product(op, WalkStage::Kind::add);
  if (!stage || !fits_a_block(*stage) || stage->plain_in != nullptr || !whole(op.residual)) return false;
  if (program_.format(op.out) != Format::f32) return false;
  // Blocks keep the last sum of their own rows: only that, or a value from before the walk, can be added.
  if (made_.contains(op.residual.id)) {
    if (!(op.residual == last_sum_) || program_.shape(op.residual) != program_.shape(op.out)) return false;
  } else {
    const Tensor residual = binder_.tensor(op.residual);
    if (residual.format != Format::f32) return false;
    stage->residual = reinterpret_cast<const float*>(residual.data);
  }
  stage->share = share_with_few(units(stage->n), binder_.processors(), attending());
  give_words(op.out, stage->n, false, *stage);
  last_sum_ = op.out;
  stages_.push_back(*stage);
  return true;
}

bool WalkBuilder::add_one(const NormGatedLinear& op) {
  auto stage = product(op, WalkStage::Kind::gated);
  if (!stage || !fits_a_block(*stage)) return false;
  set_norm(op, *stage);
  stage->activation = op.kind;
  stage->share = share_beside_few(units(stage->n), binder_.processors(), attending(), rows_of_a_unit());
  stage->shift = 31;  // all rows are one group
  stage->half = stage->n / 2;
  stage->paired = 1;
  give_words(op.out, stage->n / 2, true, *stage, kGateCopies);
  stages_.push_back(*stage);
  return true;
}

// The head: as many stages as its rows need.
bool WalkBuilder::add_one(const NormLinear& op) {
  auto stage = product(op, WalkStage::Kind::linear);
  if (!stage || program_.format(op.out) != Format::f32) return false;
  set_norm(op, *stage);
  stage->plain_out = reinterpret_cast<float*>(binder_.tensor(op.out).data);
  const uint32_t most = kWalkRows * binder_.processors();
  const uint32_t rows = stage->n;
  const size_t row_bytes = args_.format == Format::q8_0 ? stage->k : 2 * size_t{stage->k};
  const WalkStage first = *stage;
  for (uint32_t row = 0; row < rows; row += most) {
    WalkStage part = first;
    part.n = std::min(most, rows - row);
    part.weight += row * row_bytes;
    if (part.scales != nullptr) part.scales += row * row_bytes / 16;
    if (part.bias != nullptr) part.bias += row;
    part.plain_out += row;
    part.out = row;
    part.share = share_with_few(units(part.n), binder_.processors(), 0);
    stages_.push_back(part);
  }
  made_[op.out.id].outside = true;
  return true;
}

// From logits that are made here. A token has 24 bits in the words that tell of it.
bool WalkBuilder::add_one(const Sample& op) {
  const auto logits = made_.find(op.logits.id);
  if (logits == made_.end() || !logits->second.outside || !one_row(op.logits)) return false;
  if (program_.shape(op.logits)[1].max >= 1u << 24) return false;
  args_.draws = true;
  args_.sample = sample_of(op, binder_);
  args_.sample.rows = 1;
  args_.sample_line = line_of_(op_name(op));
  return true;
}

// The receipt counts an op once, however many stages it has. The walk has fewer kinds of ops than entries.
void WalkBuilder::describe_line(const Op& op) {
  const uint32_t line = line_of_(op_name(op));
  auto* const end = args_.entries + args_.entry_count;
  auto* const entry =
      std::find_if(args_.entries, end, [&](const WalkEntry& each) { return each.line == line; });
  if (entry == end) args_.entries[args_.entry_count++] = {line, 0, 0};
  ++entry->count;
  entry->bytes += bytes_touched(op, program_, Counts({}));
  for (; described_ < stages_.size(); ++described_) {
    stages_[described_].line = static_cast<uint8_t>(line);
    stages_[described_].entry = static_cast<uint8_t>(entry - args_.entries);
  }
}

std::shared_ptr<Walk> WalkBuilder::finish(size_t steps) {
  auto walk = std::make_shared<Walk>();
  const uint32_t group = args_.heads / args_.pages.kv_heads;
  const uint32_t width = args_.pages.width;
  uint32_t work_bytes = walk_attention_bytes(group);
  for (const WalkStage& stage : stages_) {
    if (stage.kind != WalkStage::Kind::attention)
      work_bytes = std::max(work_bytes, walk_product_bytes(args_.format, stage.k, stage.share));
  }
  args_.work_bytes = (work_bytes + 127) / 128 * 128;
  args_.slots = walk_slots(args_.format, args_.work_bytes, args_.pages.pages_a_slot * kPageTokens);
  if (args_.slots == 0 || !number_uses()) return nullptr;
  const auto stages = std::as_bytes(std::span(stages_));
  walk->stages_ = allocate_device(stages.size());
  upload(walk->stages_.get(), stages);
  walk->words_ = allocate_zeroed(words_ * sizeof(uint32_t));
  walk->partials_ = allocate_zeroed(
      walk_partials(args_.heads, width, args_.pages.kv_heads, binder_.processors()) * sizeof(uint2));
  walk->progress_ = allocate_zeroed(2 * sizeof(uint32_t));
  walk->largest_ = allocate_zeroed(binder_.processors() * sizeof(unsigned long long));
  const uint32_t first_run = 1;  // words of no run are zero
  upload(walk->progress_.get(), std::as_bytes(std::span(&first_run, 1)));
  args_.stages = reinterpret_cast<const WalkStage*>(walk->stages_.get());
  args_.count = static_cast<uint32_t>(stages_.size());
  args_.words = reinterpret_cast<uint32_t*>(walk->words_.get());
  args_.partials = reinterpret_cast<uint2*>(walk->partials_.get());
  args_.progress = reinterpret_cast<uint32_t*>(walk->progress_.get());
  args_.largest = reinterpret_cast<unsigned long long*>(walk->largest_.get());
  args_.pace = pace_of(args_.format);
  walk->args_ = args_;
  walk->steps_ = steps;
  walk->last_line_ = stages_.back().line;
  walk->processors_ = binder_.processors();
  return walk;
}

std::shared_ptr<Walk> Walk::of(std::span<const Step> steps, size_t least_bytes, Binder& binder,
                               const LineOf& line_of) {
  WalkBuilder builder(binder, line_of);
  size_t taken = 0;
  while (taken < steps.size() && builder.add(steps[taken].op)) ++taken;
  if (!builder.complete() || builder.weight_bytes() < least_bytes) return nullptr;
  bool plain = true;
  for (const Step& step : steps.subspan(taken)) {
    for_each_operand(
        step.op, [&](Value value, Access, std::string_view) { plain = plain && !builder.only_words(value); });
  }
  return plain ? builder.finish(taken) : nullptr;
}

}  // namespace linnet::cuda
