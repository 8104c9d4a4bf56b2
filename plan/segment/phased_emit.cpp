#include "plan/segment/phased_emit.h"

#include <algorithm>
#include <map>
#include <set>

#include "plan/layer/compute/batches.h"
#include "plan/layer/layer_views.h"
#include "plan/place/input_rows.h"
#include "plan/segment/phased_views.h"
#include "plan/segment/roll.h"

namespace dse::plan {
namespace {

using program::Dependency;
using program::Range;

// Slots: rows that come near, one per queue that brings them; the same for filters; rows that go home; calls.
constexpr int kRows = 0, kFilters = 7, kStore = 14, kCompute = 15;

class PhasedEmitter : private PhasedViews {
 public:
  PhasedEmitter(program::Program& p, const nn::Network& n, const hw::Device& d, const Plan& plan,
                const PhasedPlan& phased, int segment, const std::vector<LayerGeometry>& geometry,
                const BufferOf& buffer)
      : PhasedViews(n, plan, phased, segment, geometry, buffer), p_(p), device_(d) {}

  StepTasks run() {
    const auto& ops = plan_.segments[segment_].operators;
    p_.section({ops.size() == 1 ? n_.operators[ops.front()].name
                                : n_.operators[ops.front()].name + ".." + n_.operators[ops.back()].name,
                ops.front(), segment_});
    for (const auto& near : phased_.near)
      if (near.segment == segment_) stores_ |= near.written;
    for (const int op : ops) filters(op);
    const auto [first, end] = phased_.steps[segment_];
    StepTasks tasks;
    for (int s = first; s < end; ++s) {
      const int from = prefix_ + static_cast<int>(list_.size());
      step_ = s;
      step(phased_.schedule.steps[s]);
      tasks.emplace_back(from, prefix_ + static_cast<int>(list_.size()));
    }
    emit();
    p_.wait();
    return tasks;
  }

 private:
  /// A task but for its rows.
  struct Prototype {
    program::TaskTemplate task;
    std::shared_ptr<const program::CallPayload> call;  // one of the two
    std::shared_ptr<const program::CopyPayload> copy;
    std::int32_t rows = 0;  // of the operand that the rows are counted in
  };

  // --- filters, whole, before anything else
  void filters(int op) {
    const auto& g = geometry_[op];
    if (g.form == WeightForm::none || g.weights_in_place) return;
    View from = LayerViews::flat(g.weights_from, weights_of(op).offset);
    const auto& name = n_.operators[op].name;
    std::vector<Dependency> after;
    if (g.stage_memory >= 0) {
      const View stage = LayerViews::flat(g.stage_memory, buffer_(name + ".stage").offset);
      after.push_back({bring(from, stage, g.weight_bytes, op, {}), 0});
      from = stage;
    }
    bring(from, LayerViews::flat(g.near, buffer_(name + ".weights").offset), g.weight_bytes, op, after);
  }
  std::uint8_t bring(const View& from, const View& to, std::int64_t bytes, int op, std::vector<Dependency> after) {
    auto payload = std::make_shared<program::CopyPayload>();
    payload->from = from, payload->to = to;
    payload->y = payload->x = Range::whole(1);
    payload->c = Range::whole(static_cast<std::int32_t>(bytes));
    auto t = copy_task(from.arena, to.arena, 0, op);
    t.slot = slot_of(filter_queues_, t.queue, kFilters, kStore);
    t.dependencies = std::move(after);
    t.payload = std::move(payload);
    const auto slot = static_cast<std::uint8_t>(t.slot);
    p_.task(std::move(t));
    ++prefix_;
    return slot;
  }

  program::TaskTemplate copy_task(int from, int to, int channel, int op) const {
    const int engine = device_.copy_engine(from, to);
    ensure(engine >= 0, "no copy engine between two memories of a feasible layer");
    program::TaskTemplate t;
    t.kind = &program::copy_kind();
    t.queue = queue_of(device_, engine, channel);
    t.layer = op;
    return t;
  }
  static int slot_of(std::vector<int>& queues, int queue, int first, int end) {
    const auto known = std::find(queues.begin(), queues.end(), queue);
    const int slot = first + static_cast<int>(known - queues.begin());
    if (known == queues.end()) queues.push_back(queue);
    ensure(slot < end, "more copy queues than a segment has slots for");
    return slot;
  }

  // --- steps
  void step(const shared::Step& s) {
    const int op = phased_.rows.op[s.layer];
    if (op < 0) {  // an input's rows come in
      add(arrive_kind(phased_.rows.tensor[s.layer]), s.begin, s.end);
      return;
    }
    for (const auto& a : phased_.reads(s)) {
      const auto* r = near(a.tensor);
      if (!r || !r->read) continue;
      auto& there = arrived_.try_emplace(a.tensor, 0).first->second;
      there = std::max(there, r->lowest[static_cast<std::size_t>(step_ - r->first_step)]);  // nobody wants rows before
      if (a.hi > there) add(load_kind(*r, op), there, a.hi), there = a.hi;
    }
    strip_ = s.strip;
    for (std::size_t c = 0; c < n_.operators[op].calls.size(); ++c)
      add(call_kind(op, static_cast<int>(c)), s.begin, s.end);
    if (const auto* r = near(phased_.rows.tensor[s.layer]); r && r->written) add(store_kind(*r, op), s.begin, s.end);
  }
  void add(int kind, std::int64_t lo, std::int64_t hi) {
    list_.push_back({kind, static_cast<std::int32_t>(lo), static_cast<std::int32_t>(hi), 0});
  }

  int known(const std::vector<int>& key, const std::function<Prototype()>& make) {
    const auto [it, fresh] = kinds_.try_emplace(key, static_cast<int>(prototypes_.size()));
    if (fresh) prototypes_.push_back(make());
    return it->second;
  }
  Prototype copy_rows(const View& from, const View& to, int tensor, int channel, int op) const {
    Prototype out;
    auto payload = std::make_shared<program::CopyPayload>();
    payload->from = from, payload->to = to;
    payload->x = Range::whole(1);
    payload->c = Range::whole(from.shape.stride_h);
    out.task = copy_task(from.arena, to.arena, channel, op);
    out.copy = std::move(payload);
    out.rows = static_cast<std::int32_t>(rows_of(n_, tensor));
    return out;
  }
  // Where rows come to, or a call writes, other rows may have been a step ago: whoever used them last is waited for.
  Prototype brought(Prototype p) {
    p.task.dependencies = {{kCompute, 0}};
    if (stores_) p.task.dependencies.push_back({kStore, 0});
    for (std::size_t q = 0; q < row_queues_.size(); ++q)
      if (row_queues_[q] != p.task.queue) p.task.dependencies.push_back({static_cast<std::uint8_t>(kRows + q), 0});
    p.task.slot = slot_of(row_queues_, p.task.queue, kRows, kFilters);
    return p;
  }
  int load_kind(const NearRows& r, int op) {
    return known({0, r.tensor, op},
                 [&] { return brought(copy_rows(home_view(r.tensor), near_view(r), r.tensor, 0, op)); });
  }
  int arrive_kind(int tensor) {
    return known({3, tensor}, [&] {
      const auto& from = buffer_(input_buffer(tensor));
      return brought(copy_rows(rows_view(tensor, from.memory, from.offset, 0), home_view(tensor), tensor, 0,
                               plan_.segments[segment_].operators.front()));
    });
  }
  int store_kind(const NearRows& r, int op) {
    return known({1, r.tensor, op}, [&] {
      auto p = copy_rows(near_view(r), home_view(r.tensor), r.tensor, 1, op);
      p.task.slot = kStore;
      p.task.dependencies = {{kCompute, 0}};
      return p;
    });
  }
  int call_kind(int op, int index) {
    return known({2, op, index, strip_}, [&] {
      const auto& o = n_.operators[op];
      const auto& c = o.calls[static_cast<std::size_t>(index)];
      const ConstantBlob blob(n_, o);
      p_.operators.push_back(computed_like(geometry_[op].op, c.op));
      auto call = std::make_shared<program::CallPayload>();
      call->op = static_cast<int>(p_.operators.size()) - 1;
      call->parameters = &p_.operators.back();
      for (int role = 0; role < DSE_ROLES; ++role)
        if (c.operands[role].present) call->views[role] = place(op, blob, c.operands[role], role);
      if (dse_scratch_bytes(call->parameters, &c.tile) > 0 && !call->views[DSE_SCRATCH].present())
        call->views[DSE_SCRATCH] = LayerViews::flat(geometry_[op].near, buffer_(o.name + ".scratch").offset);
      const auto range = [](dse_span s) { return Range{s.lo, s.hi, s.hi, 0, -1}; };
      const auto columns = columns_of(op);
      call->x = columns ? range({static_cast<std::int32_t>(columns->begin), static_cast<std::int32_t>(columns->end)})
                        : range(c.tile.x);
      call->c = range(c.tile.c), call->k = range(c.tile.k);
      Prototype p;
      p.task.kind = &program::call_kind();
      p.task.queue = queue_of(device_, geometry_[op].engine, 0);
      p.task.slot = kCompute;
      p.task.layer = op;
      std::set<int> slots;
      for (std::size_t q = 0; q < row_queues_.size(); ++q) slots.insert(kRows + static_cast<int>(q));
      for (std::size_t q = 0; q < filter_queues_.size(); ++q) slots.insert(kFilters + static_cast<int>(q));
      if (stores_) slots.insert(kStore);
      for (const int s : slots) p.task.dependencies.push_back({static_cast<std::uint8_t>(s), 0});
      p.call = std::move(call);
      p.rows = c.tile.y.hi;
      return p;
    });
  }

  // --- loops
  void emit() {
    for (const auto& loop : roll(list_)) {
      if (loop.count > 1) p_.loop(loop.count);
      for (const auto& t : loop.body) {
        const auto& proto = prototypes_[static_cast<std::size_t>(t.kind)];
        const Range y{t.lo, t.hi, proto.rows, t.step, static_cast<std::int8_t>(loop.count > 1 ? 0 : -1)};
        auto task = proto.task;
        if (proto.call) {
          auto payload = std::make_shared<program::CallPayload>(*proto.call);
          payload->y = y;
          task.payload = std::move(payload);
        } else {
          auto payload = std::make_shared<program::CopyPayload>(*proto.copy);
          payload->y = y;
          task.payload = std::move(payload);
        }
        p_.task(std::move(task));
      }
      if (loop.count > 1) p_.end();
    }
  }

  program::Program& p_;
  const hw::Device& device_;
  bool stores_ = false;
  int prefix_ = 0;  // tasks before the first step
  int step_ = 0;
  std::vector<int> filter_queues_, row_queues_;
  std::map<int, std::int64_t> arrived_;  // per tensor: rows that have come near
  std::map<std::vector<int>, int> kinds_;
  std::vector<Prototype> prototypes_;
  std::vector<RowTask> list_;
};

}  // namespace

StepTasks emit_phased(program::Program& program, const nn::Network& network, const hw::Device& device, const Plan& plan,
                      const PhasedPlan& phased, int segment, const std::vector<LayerGeometry>& geometry,
                      const std::function<const PlacedBuffer&(const std::string&)>& buffer) {
  return PhasedEmitter(program, network, device, plan, phased, segment, geometry, buffer).run();
}

}  // namespace dse::plan
