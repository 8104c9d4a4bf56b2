// Plans with segments on an NPU as programs: a command stream per invocation, kernel calls of the CPU between them.
#include <algorithm>
#include <memory>

#include "base/index.h"
#include "models/hw/ethos_u/stream/stream_work.h"
#include "plan/layer/layer.h"
#include "plan/layer/layer_views.h"
#include "plan/layer/whole/whole_layer.h"
#include "plan/npu/emulate/image.h"
#include "plan/npu/emulate/meaning.h"
#include "plan/npu/program/npu_plan.h"
#include "plan/npu/program/sections.h"
#include "program/work.h"

namespace dse::plan::npu {

namespace {

class Lowering {
 public:
  Lowering(const hw::Device& device, const Plan& plan)
      : device_(device),
        plan_(plan),
        c_(*plan.npu),
        npu_(hw::ethos_u::npu_of(device)),
        bases_(bases_of(c_, *npu_)),
        sections_(sections_of(c_)) {}

  program::Program run() {
    p_.network = plan_.network, p_.device = device_.name, p_.plan_id = plan_.id();
    p_.queues = device_queues(device_);
    for (std::size_t m = 0; m < device_.memories.size(); ++m)
      p_.arenas.push_back({device_.memories[m].name, plan_.heights[m], device_.memories[m].alignment});
    p_.constants_arena = device_.constants, p_.constants_size = plan_.constants_size;
    buffers();
    for (const int t : c_.network->inputs) p_.inputs.push_back(port(t));
    for (const int t : c_.network->outputs) p_.outputs.push_back(port(t));
    for (std::size_t s = 0; s < sections_.size(); ++s) {
      const auto& operators = plan_.segments[s].operators;
      const std::string& name = c_.network->operators[index(operators.front())].name;
      p_.section({name, operators.front(), static_cast<int>(s)});
      if (sections_[s].on_npu)
        stream(sections_[s]);
      else
        cpu(sections_[s].number);
      p_.wait();
    }
    p_.quiesce_between_sections();
    return std::move(p_);
  }

 private:
  struct At {
    int memory;
    std::int64_t offset;
  };
  At tensor(int t) const {
    const int g = c_.graph->of_network[index(t)];
    ensure(g >= 0, "'" + c_.network->tensors[index(t)].name + "' lies nowhere");
    const std::int64_t at = c_.places.tensor[index(g)];
    return c_.costs->area(g) == hw::ethos_u::Npu::fast() ? At{bases_.fast, bases_.fast_at + at}
                                                         : At{bases_.maps, bases_.maps_at + at};
  }
  program::Port port(int t) const {
    const auto& x = c_.network->tensors[index(t)];
    const At at = tensor(t);
    return {x.name, t, at.memory, at.offset, x.bytes()};
  }

  void buffers() {
    auto range = ranges_of(c_, sections_);
    std::size_t next = 0;
    for (const auto& b : plan_.buffers) {  // ranges come first, in order
      const bool is_range = next < range.size() && range[next].name == b.name;
      if (b.role != program::BufferRole::constants)
        p_.buffers.push_back({b.name, b.role, b.memory, b.offset, b.size, b.first, b.last, b.tensor,
                              is_range ? std::move(range[next].windows) : std::vector<program::BufferWindow>{}});
      if (b.role == program::BufferRole::state)
        p_.preloads.push_back({b.memory, b.offset, b.size, bases_.first_values.at(b.tensor)});
      next += is_range ? 1 : 0;
    }
  }

  void stream(const Section& s) {
    auto payload = std::make_shared<program::StreamPayload>();
    const Stream& stream = c_.streams[index(s.number)];
    payload->commands = hw::ethos_u::bytes_of(stream.words);
    for (const Touched& t : touched_by(c_, s.number)) payload->accesses.push_back(access(t));
    std::vector<bool> counted(c_.network->operators.size(), false);
    for (const Part& part : stream.kernels) {
      const Operation& o = c_.costs->op(part.operation);
      payload->layers.push_back(o.source);
      payload->times.push_back(c_.schedule.operations[index(part.operation)].time - s.first);
      auto& macs = payload->macs.emplace_back(0);  // with the operator's first kernel
      if (counted[index(o.source)]) continue;
      counted[index(o.source)] = true;
      for (const auto& call : c_.network->operators[index(o.source)].calls)
        macs += program::arithmetic_of(program::call_on(call.op, call.tile)).macs;
    }
    meaning(stream, *payload);
    program::TaskTemplate t;
    t.kind = &program::stream_kind();
    t.queue = queue_of(device_, npu_->engine, 0);
    t.payload = std::move(payload);
    p_.task(std::move(t));
  }

  void meaning(const Stream& stream, program::StreamPayload& payload) {
    const Places& p = c_.places;
    const bool one = c_.npu.feature_maps() == hw::ethos_u::Npu::fast();
    const RegionAt fast{bases_.fast, bases_.fast_at, p.fast_bytes};
    const RegionAt maps{bases_.maps, bases_.maps_at, p.other_bytes};
    payload.first_operator = static_cast<int>(p_.operators.size());
    payload.meaning =
        meaning_of(*c_.network, *c_.costs, c_.schedule, p, stream,
                   {RegionAt{bases_.constants, 0, p.constant_bytes}, fast, one ? fast : maps}, p_.operators);
    for (std::size_t i = index(payload.first_operator); i < p_.operators.size(); ++i)
      payload.operators.push_back(&p_.operators[i]);
    payload.arenas = static_cast<int>(p_.arenas.size());
  }

  program::Access access(const Touched& t) const {
    const int memory = t.constants ? bases_.constants : t.area == hw::ethos_u::Npu::fast() ? bases_.fast : bases_.maps;
    const std::int64_t base = t.constants ? 0 : t.area == hw::ethos_u::Npu::fast() ? bases_.fast_at : bases_.maps_at;
    return {memory, base + t.begin, base + t.end, t.write};
  }

  program::View view(const ConstantBlob& blob, std::int64_t blob_at, const nn::KernelCall::Operand& operand,
                     int role) const {
    const int t = operand.tensor;
    At at{};
    if (t < 0 || c_.network->tensors[index(t)].kind == nn::TensorKind::constant)
      at = {bases_.constants,
            blob_at + (t < 0 ? blob.offset_of(static_cast<dse_role>(role)) : blob.offset_of_tensor(t))};
    else
      at = tensor(t);
    program::View v = LayerViews::flat(at.memory, at.offset + operand.offset);
    v.shape = operand.view;
    return v;
  }

  void cpu(int fallback) {
    const nn::Operator& op = c_.network->operators[index(c_.graph->fallbacks[index(fallback)].source)];
    const ConstantBlob blob(*c_.network, op);
    for (const auto& c : op.calls) {
      p_.operators.push_back(c.op);
      auto call = std::make_shared<program::CallPayload>();
      call->op = static_cast<int>(p_.operators.size()) - 1;
      call->parameters = &p_.operators.back();
      for (int role = 0; role < DSE_ROLES; ++role)
        if (c.operands[index(role)].present && role != DSE_SCRATCH)
          call->views[index(role)] = view(blob, bases_.blobs[index(fallback)], c.operands[index(role)], role);
      if (dse_scratch_bytes(call->parameters, &c.tile) > 0)
        call->views[DSE_SCRATCH] = LayerViews::flat(bases_.fast, bases_.scratch_at);
      const auto range = [](dse_span s) { return program::Range{s.lo, s.hi, s.hi, 0, -1}; };
      call->y = range(c.tile.y), call->x = range(c.tile.x), call->c = range(c.tile.c), call->k = range(c.tile.k);
      program::TaskTemplate t;
      t.kind = &program::call_kind();
      t.queue = queue_of(device_, device_.cpu(), 0);
      t.payload = std::move(call);
      p_.task(std::move(t));
    }
  }

  const hw::Device& device_;
  const Plan& plan_;
  const Compiled& c_;
  const hw::ethos_u::DeviceNpuPtr npu_;
  const Bases bases_;
  const std::vector<Section> sections_;
  program::Program p_;
};

}  // namespace

program::Program lower_npu(const hw::Device& device, const Plan& plan) { return Lowering(device, plan).run(); }

std::vector<std::uint8_t> npu_constants(const hw::Device& device, const Plan& plan) {
  const Compiled& c = *plan.npu;
  const Bases b = bases_of(c, *hw::ethos_u::npu_of(device));
  auto out = constants_image(*c.network, *c.costs, c.schedule, c.places);
  out.resize(static_cast<std::size_t>(b.constants_size), 0);
  const auto put = [&](const std::vector<std::uint8_t>& bytes, std::int64_t at) {
    std::copy(bytes.begin(), bytes.end(), out.begin() + at);
  };
  for (std::size_t i = 0; i < b.blobs.size(); ++i)
    if (b.blobs[i] >= 0)
      put(ConstantBlob(*c.network, c.network->operators[index(c.graph->fallbacks[i].source)]).bytes(), b.blobs[i]);
  const auto initial = nn::initial_state(*c.network);
  for (const auto& [t, at] : b.first_values) put(initial[index(t)], at);
  return out;
}

}  // namespace dse::plan::npu
