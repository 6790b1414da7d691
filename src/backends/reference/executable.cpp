#include "backends/reference/executable.h"

#include "backends/reference/launch.h"
#include "device/host_buffer.h"
#include "program/checks.h"

namespace linnet::reference {
namespace {

// The plan counts bytes by format: a float64 is planned as two floats.
Program with_doubles_as_pairs(Program program) {
  for (ValueInfo& value : program.values) {
    if (!kept_as_doubles(value)) continue;
    value.shape = with_last(value.shape, {value.shape.back().max * 2});
    value.format = Format::f32;
  }
  return program;
}

std::byte* bytes_of_binding(const Program& program, Value value, Buffer& buffer) {
  auto* host = dynamic_cast<HostBuffer*>(&buffer);
  const ValueInfo& info = program.info(value);
  if (host == nullptr)
    fail(ErrorKind::failure, "[bind] ", info.name, ": expected an allocated buffer, got a weight");
  if (host->bytes() < program.bytes(value)) {
    fail(ErrorKind::failure, "[bind] ", info.name, ": expected ", program.bytes(value), " bytes, got ",
         host->bytes());
  }
  return host->data();
}

const Weight* weight_of_binding(const ValueInfo& info, Buffer& buffer) {
  const auto* weight = dynamic_cast<const Weight*>(&buffer);
  if (weight == nullptr) fail(ErrorKind::failure, "[bind] ", info.name, ": expected a loaded weight");
  if (weight->format() != info.format || weight->elements() != info.shape.elements()) {
    fail(ErrorKind::failure, "[bind] ", info.name, ": expected ", info.shape, " ", info.format, ", got ",
         weight->elements(), " elements of ", weight->format());
  }
  return weight;
}

Buffer& buffer_of(std::span<const Binding> bindings, const Program& program, Value value) {
  for (const Binding& binding : bindings) {
    if (binding.value == value && binding.buffer != nullptr) return *binding.buffer;
  }
  fail(ErrorKind::failure, "[bind] ", program.info(value).name, ": expected a buffer, got none");
}

}  // namespace

Lowered lower_op(const Op& op) {
  return std::visit([]<class T>(const T&) { return Fused<T> ? Lowered::expand() : Lowered::keep(); }, op);
}

bool kept_as_doubles(const ValueInfo& value) noexcept {
  const bool number =
      value.format == Format::f32 || value.format == Format::f16 || value.format == Format::bf16;
  return value.storage == Storage::scratch && number;
}

ReferenceExecutable::ReferenceExecutable(const Program& program, const CompileOptions& options,
                                         std::shared_ptr<Shared> shared)
    : program_(linnet::lower(program, options, [](const Op& op, Recorder&) { return lower_op(op); })),
      plan_(make_plan(with_doubles_as_pairs(program_), [](const Op&) { return size_t{0}; },
                      {.reuse_scratch = options.reuse_scratch})),
      shared_(std::move(shared)) {}

std::unique_ptr<Launch> ReferenceExecutable::bind(std::span<const Binding> bindings, Buffer& scratch) {
  auto* arena = dynamic_cast<HostBuffer*>(&scratch);
  if (arena == nullptr || arena->bytes() < plan_.scratch_bytes) {
    fail(ErrorKind::failure, "[bind] scratch: expected ", plan_.scratch_bytes, " bytes of host memory");
  }
  std::vector<Place> places(program_.values.size());
  for (uint32_t id = 0; id < places.size(); ++id) {
    const ValueInfo& info = program_.values[id];
    Place& place = places[id];
    place.format = info.format;
    place.columns = info.shape.columns();
    place.stride = program_.row_stride({id});
    if (info.view.base) {  // a base comes before its views
      place.kind = places[info.view.base.id].kind;
      place.data = places[info.view.base.id].data;
      place.weight = places[info.view.base.id].weight;
      place.offset = info.view.offset;
    } else if (info.storage == Storage::scratch) {
      place.kind = kept_as_doubles(info) ? Place::Kind::doubles : Place::Kind::bytes;
      if (plan_.offset[id] != Plan::kNowhere) place.data = arena->data() + plan_.offset[id];
    } else if (info.storage == Storage::weight) {
      place.kind = Place::Kind::weight;
      place.weight = weight_of_binding(info, buffer_of(bindings, program_, {id}));
    } else {
      place.data = bytes_of_binding(program_, {id}, buffer_of(bindings, program_, {id}));
    }
  }
  return std::make_unique<ReferenceLaunch>(program_, std::move(places), shared_);
}

}  // namespace linnet::reference
