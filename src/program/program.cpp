#include "program/program.h"

#include <ostream>

namespace linnet {

Value Program::find(std::string_view name) const noexcept {
  for (uint32_t id = 0; id < values.size(); ++id) {
    if (values[id].name == name) return {id};
  }
  return {};
}

size_t Program::bytes(Value value) const {
  const ValueInfo& v = info(value);
  return v.view.base ? 0 : bytes_of(v.format, v.shape.elements());
}

std::ostream& operator<<(std::ostream& out, const Program& program) {
  for (size_t i = 0; i < program.ops.size(); ++i) {
    out << i << ' ' << op_name(program.ops[i]);
    for_each_operand(program.ops[i], [&](Value value, Access access, std::string_view name) {
      const ValueInfo& v = program.info(value);
      out << (access == Access::read ? "  " : access == Access::write ? "  → " : "  ⇄ ") << name << '=';
      if (v.name.empty()) {
        out << '%' << value.id;
      } else {
        out << v.name;
      }
      out << ' ' << v.shape << ' ' << v.format;
    });
    out << '\n';
  }
  return out;
}

}  // namespace linnet
