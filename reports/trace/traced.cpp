#include "reports/trace/traced.h"

#include <algorithm>

#include "base/diagnostics.h"
#include "reports/page/memory_map.h"
#include "sim/platform.h"

namespace dse::reports {

std::int64_t picoseconds(std::int64_t tick, std::int64_t tick_hz) {
  constexpr std::int64_t million = 1'000'000;
  const std::int64_t hz = std::max<std::int64_t>(1, tick_hz), rest = tick % hz * million;
  return (tick / hz * million + rest / hz) * million + rest % hz * million / hz;
}

TaskReader::TaskReader(const Traced& traced)
    : traced_(traced),
      timing_(traced.device),
      binding_(sim::whole_program(traced.program, *traced.device).binding),
      model_(timing_, traced.program, binding_),
      walker_(traced.program) {}

const sim::TaskRecord& TaskReader::record() const { return traced_.point.run.trace[static_cast<std::size_t>(number_)]; }

const sim::TaskDetail& TaskReader::detail() const {
  return traced_.point.run.details[static_cast<std::size_t>(number_)];
}

bool TaskReader::next() {
  do {
    if (!walker_.next(task_)) {
      ensure(number_ + 1 == static_cast<int>(traced_.point.run.trace.size()), "a trace of another program");
      return false;
    }
  } while (task_.queue == program::kControl);
  ++number_;
  ensure(number_ < static_cast<int>(traced_.point.run.trace.size()) && record().queue == task_.queue &&
             record().section == task_.section && record().tile == task_.tile,
         "a trace of another program");
  cost_ = task_.task->kind->time(task_, model_);
  return true;
}

std::vector<Span> spans_of(const std::vector<sim::ChargeRecord>& charges,
                           const std::function<std::int64_t(const sim::ChargeRecord&)>& key) {
  std::vector<Span> out;
  for (const auto& c : charges) {
    const auto k = key(c);
    if (out.empty() || out.back().key != k)
      out.push_back({k, c.from, c.to});
    else
      out.back().to = c.to;
  }
  return out;
}

std::vector<Step> bytes_alive(const Traced& traced, std::size_t memory) {
  const auto& p = traced.point;
  const std::int64_t constants = memory < p.images.size() ? p.images[memory] : 0;
  std::vector<Step> out;
  for (const auto& box : load_curve(p, traced.front.memories[memory].name, constants))
    if (out.empty() || out.back().value != box.end) out.push_back({box.from, box.end});
  if (out.empty() && constants > 0) out.push_back({0, constants});
  return out;
}

std::vector<std::vector<Flight>> bytes_in_flight(const Traced& traced) {
  std::vector<std::vector<Flight>> changes(traced.front.memories.size()), out(changes.size());
  for (TaskReader tasks(traced); tasks.next();)
    for (int f = 0; f < tasks.cost().flow_count; ++f) {
      const auto& flow = tasks.cost().flows[static_cast<std::size_t>(f)];
      auto& list = changes[static_cast<std::size_t>(flow.memory)];
      const std::int64_t read = flow.write ? 0 : flow.bytes, written = flow.bytes - read;
      list.push_back({tasks.record().start, read, written});
      list.push_back({tasks.record().end, -read, -written});
    }
  for (std::size_t m = 0; m < changes.size(); ++m) {
    auto& list = changes[m];
    std::sort(list.begin(), list.end(), [](const Flight& a, const Flight& b) { return a.tick < b.tick; });
    Flight now;
    for (std::size_t i = 0; i < list.size(); ++i) {
      now.tick = list[i].tick, now.read += list[i].read, now.written += list[i].written;
      const bool last = i + 1 == list.size() || list[i + 1].tick != now.tick;
      const bool same = !out[m].empty() && out[m].back().read == now.read && out[m].back().written == now.written;
      if (last && !same) out[m].push_back(now);
    }
  }
  return out;
}

}  // namespace dse::reports
