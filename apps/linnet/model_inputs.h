// A model's prompt program with what it needs for one run, as check/ wants it: weights from the file, and the
// inputs that the runtime would write for one sequence of tokens.
#pragma once

#include <vector>

#include "check/program_inputs.h"
#include "runtime/text_programs.h"
#include "text/vocabulary.h"

namespace linnet::cli {

class ModelInputs : public ProgramInputs {
 public:
  // The programs must have room for all tokens in one batch. All must outlive this object.
  ModelInputs(const TensorFile& file, const TextPrograms& programs, std::vector<Token> tokens);

  [[nodiscard]] const Program& program() const;
  [[nodiscard]] Weight weight(Value value) const override;
  [[nodiscard]] std::vector<std::byte> contents(Value value, const ValueInfo& info) const override;
  // Rows, sequences, rows with logits: in the order in which nn/batch.h makes the extents.
  [[nodiscard]] std::vector<uint32_t> extents() const;

 private:
  [[nodiscard]] std::vector<int32_t> words(std::string_view name, size_t size) const;

  const TensorFile& file_;
  const TextPrograms& programs_;
  std::vector<Token> tokens_;
};

}  // namespace linnet::cli
