#include <algorithm>
#include <cmath>

#include "check/tolerances/paging.h"
#include "check/tolerances/rules.h"

namespace linnet {
namespace {

// A query head against the tokens it sees.
struct Head {
  std::vector<double> scores;
  double score_error = 0;  // the largest of any score
};

class Rule {
 public:
  Rule(const Attention& op, Errors& errors)
      : op_(op),
        errors_(errors),
        rows_(op.paging, op.k_cache, errors),
        width_(errors.width(op.q)),
        heads_(errors.shape(op.q)[1].max),
        group_(heads_ / errors.shape(op.k_cache)[1].max),
        q_(errors.numbers(op.q)),
        k_(errors.numbers(op.k_cache)),
        v_(errors.numbers(op.v_cache)),
        out_(errors.numbers(op.out)),
        q_errors_(errors.of(op.q)),
        k_errors_(errors.of(op.k_cache)),
        v_errors_(errors.of(op.v_cache)),
        result_(errors.shape(op.out).elements(), 0.0) {}

  void follow() {
    rows_.for_each([&](size_t row, size_t slot, size_t position) {
      for (size_t head = 0; head < heads_; ++head)
        follow_head((row * heads_ + head) * width_, slot, position, head);
    });
    errors_.set(op_.out, std::move(result_));
  }

 private:
  Head scores_of(size_t query, size_t slot, size_t position, size_t head) const {
    Head result;
    for (size_t p = 0; p <= position; ++p) {
      const size_t key = rows_.element(slot, p, head / group_);
      double score = 0;
      double magnitude = 0;
      double moved = 0;
      for (size_t i = 0; i < width_; ++i) {
        const auto q = static_cast<double>(q_[query + i]);
        const auto k = static_cast<double>(k_[key + i]);
        score += q * k;
        magnitude += std::abs(q * k);
        moved += std::abs(q) * k_errors_[key + i] + q_errors_[query + i] * (std::abs(k) + k_errors_[key + i]);
      }
      result.scores.push_back(score * static_cast<double>(op_.scale));
      // One rounding more for the scale, one for score − max.
      const double error = (sum_roundings(width_) + 2) * kUnit * magnitude + moved;
      result.score_error = std::max(result.score_error, error * std::abs(static_cast<double>(op_.scale)));
    }
    return result;
  }

  // Weights p are off by twice the largest error of a score (their own and their sum's), a few roundings of
  // exp, and those of a sum over all tokens; the output is their sum with v.
  void follow_head(size_t query, size_t slot, size_t position, size_t head) {
    const Head scored = scores_of(query, slot, position, head);
    const double largest = *std::ranges::max_element(scored.scores);
    const double smallest = *std::ranges::min_element(scored.scores);
    double sum = 0;
    for (const double score : scored.scores) sum += std::exp(score - largest);
    const double relative =
        2 * scored.score_error +
        (2 * sum_roundings(position + 1) + 8 + std::min(largest - smallest, 90.0)) * kUnit;
    for (size_t p = 0; p <= position; ++p) {
      const double weight = std::exp(scored.scores[p] - largest) / sum;
      const size_t value = rows_.element(slot, p, head / group_);
      for (size_t i = 0; i < width_; ++i) {
        const double magnitude = std::abs(static_cast<double>(v_[value + i]));
        result_[query + i] += weight * (relative * magnitude + v_errors_[value + i]);
      }
    }
    for (size_t i = 0; i < width_; ++i) {
      result_[query + i] += errors_.storing(op_.out) * std::abs(static_cast<double>(out_[query + i])) + kTiny;
    }
  }

  const Attention& op_;
  Errors& errors_;
  PagedRows rows_;
  size_t width_, heads_, group_;
  std::vector<float> q_, k_, v_, out_;
  std::vector<double> q_errors_, k_errors_, v_errors_, result_;
};

}  // namespace

void tolerance_rule(const Attention& op, Errors& errors) {
  Rule(op, errors).follow();
}

}  // namespace linnet
