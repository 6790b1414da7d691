#include "check/one_op.h"

namespace linnet {

OneOp one_op(const Program& program, const Op& op) {
  struct Touched {
    bool read = false;
    bool written = false;
  };
  std::map<uint32_t, Touched> touched;
  for_each_operand(op, [&](Value value, Access access, std::string_view) {
    touched[value.id].read |= access != Access::write;
    touched[value.id].written |= access != Access::read;
  });

  OneOp result;
  result.program.extents = program.extents;
  std::map<uint32_t, Value> renamed;
  for (const auto& [id, how] : touched) {
    ValueInfo info = program.values[id];
    info.view = {};
    if (info.storage != Storage::weight) {
      info.storage = !how.written ? Storage::input : how.read ? Storage::state : Storage::output;
    }
    if (info.format == Format::q8_a && !how.written) info.format = Format::f32;
    if (info.name.empty()) info.name = concat('%', id);
    renamed[id] = {static_cast<uint32_t>(result.program.values.size())};
    result.original[renamed[id].id] = {id};
    result.program.values.push_back(std::move(info));
  }
  Op copy = op;
  std::visit(
      [&]<class T>(T& each) {
        T::operands(each, [&](Value& value, Access, std::string_view) {
          if (value) value = renamed.at(value.id);
        });
      },
      copy);
  result.program.ops.push_back(std::move(copy));
  return result;
}

}  // namespace linnet
