#include "models/hw/ports/arbiter.h"

#include <algorithm>
#include <string>

#include "base/diagnostics.h"

namespace dse::hw {

void Arbiter::configure(const DeviceTiming& timing) {
  const Device& d = timing.device();
  ensure(static_cast<int>(d.memories.size()) <= kMaxMemories,
         d.name + ": more than " + std::to_string(kMaxMemories) + " memories");
  ensure(d.arbitration == "round-robin" || d.arbitration == "priority",
         d.name + ": unknown arbitration " + d.arbitration);
  ports_.clear();
  for (std::size_t m = 0; m < d.memories.size(); ++m) {
    const Memory& memory = d.memories[m];
    ensure(memory.ports >= 1 && memory.ports <= kMaxPorts,
           memory.name + ": needs 1 to " + std::to_string(kMaxPorts) + " ports");
    first_port_[m] = static_cast<int>(ports_.size());
    port_count_[m] = memory.ports;
    for (int p = 0; p < memory.ports; ++p)
      ports_.emplace_back().configure(timing.rate(static_cast<int>(m)), memory.banks);
  }
  open_ = 0;
}

void Arbiter::reset() {
  for (PortTiming& p : ports_) p.reset();
  open_ = 0;
}

Tick Arbiter::end_of(int q) const {
  const Open& t = queues_[static_cast<std::size_t>(q)];
  Tick end = t.not_before;
  for (int i = 0; i < t.ports; ++i)
    end = std::max(end, ports_[static_cast<std::size_t>(t.port[static_cast<std::size_t>(i)])].finish(q));
  return end;
}

void Arbiter::begin(int q, Tick now, Tick at, Tick not_before, const program::TaskCost& cost) {
  Open& t = queues_[static_cast<std::size_t>(q)];
  t.not_before = not_before;
  t.ports = 0;
  std::array<std::int64_t, kMaxMemories> bytes;
  for (int f = 0; f < cost.flow_count; ++f) {
    const auto& flow = cost.flows[static_cast<std::size_t>(f)];
    const auto m = static_cast<std::size_t>(flow.memory);
    const auto port = static_cast<std::int8_t>(first_port_[m] + q % port_count_[m]);
    int i = 0;
    while (i < t.ports && t.port[static_cast<std::size_t>(i)] != port) ++i;
    if (i < t.ports) {
      bytes[static_cast<std::size_t>(i)] += flow.port_bytes;
    } else {
      t.port[static_cast<std::size_t>(i)] = port;
      bytes[static_cast<std::size_t>(i)] = flow.port_bytes;
      ++t.ports;
    }
  }
  open_ |= 1u << q;
  std::uint32_t affected = 0;
  for (int i = 0; i < t.ports; ++i) {
    PortTiming& port = ports_[static_cast<std::size_t>(t.port[static_cast<std::size_t>(i)])];
    port.join(q, now, at, bytes[static_cast<std::size_t>(i)], cost.level);
    affected |= port.members();
  }
  t.end = end_of(q);
  affected &= open_ & ~(1u << q);
  for (; affected; affected &= affected - 1) {
    const int other = __builtin_ctz(affected);
    queues_[static_cast<std::size_t>(other)].end = end_of(other);
  }
}

Tick Arbiter::next() const {
  Tick t = kNever;
  for (std::uint32_t m = open_; m; m &= m - 1) t = std::min(t, queues_[static_cast<std::size_t>(__builtin_ctz(m))].end);
  return t;
}

std::uint32_t Arbiter::complete(Tick now) {
  std::uint32_t done = 0;
  for (std::uint32_t m = open_; m; m &= m - 1)
    if (queues_[static_cast<std::size_t>(__builtin_ctz(m))].end <= now) done |= m & -m;
  open_ &= ~done;
  return done;
}

}  // namespace dse::hw
