#include "reports/trace/chrome.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "program/kinds.h"
#include "reports/words/causes.h"
#include "reports/words/format.h"

namespace dse::reports {
namespace {

using nlohmann::ordered_json;

std::string text_of(const ordered_json& j) { return j.dump(-1, ' ', false, ordered_json::error_handler_t::replace); }

/// Groups of tracks. Numbers of tracks are apart from each other in all of them.
enum Group : int { kPlan = 1, kEngines = 2, kMemories = 3 };
constexpr int kLayers = 11, kSegments = 12, kAccount = 13, kControlTrack = 20, kFirstQueue = 21;

/// Ranges of what a task computes or copies, as [first, last + 1].
void add_ranges(const program::TaskInstance& t, ordered_json& args) {
  const auto add = [&](const char* name, const program::Range& r) {
    if (r.limit == 0) return;
    const auto span = r.at(t.loops);
    args[name] = {span.lo, span.hi};
  };
  const auto add_all = [&](const auto& p) { add("rows", p.y), add("columns", p.x), add("channels", p.c); };
  if (const auto* call = dynamic_cast<const program::CallPayload*>(t.task->payload.get()))
    add_all(*call), add("input_channels", call->k);
  else if (const auto* copy = dynamic_cast<const program::CopyPayload*>(t.task->payload.get()))
    add_all(*copy);
}

class ChromeTrace {
 public:
  ChromeTrace(const Traced& traced, const Sink& sink) : t_(traced), run_(traced.point.run), sink_(sink) {}

  TraceCounts run() {
    sink_("{\"displayTimeUnit\":\"ns\",\"otherData\":" + text_of(about()) + ",\"traceEvents\":[");
    group(kPlan, fmt::format("{} on {}", t_.front.network, t_.front.device));
    layers(), account();
    group(kEngines, "engines");
    control(), tasks();
    group(kMemories, "memories");
    memories();
    sink_("\n]}\n");
    return counts_;
  }

 private:
  ordered_json about() const;
  void layers();
  void account();
  void control();
  void tasks();
  ordered_json args_of(const TaskReader& tasks) const;
  std::string moved(const TaskReader& tasks) const;
  void arrow(const TaskReader& tasks);
  void memories();

  void event(const std::string& text) {
    sink_((first_ ? "\n" : ",\n") + text);
    first_ = false;
  }
  std::string micros(std::int64_t ps) const { return fmt::format("{}.{:06}", ps / 1'000'000, ps % 1'000'000); }
  std::int64_t ps(std::int64_t tick) const { return picoseconds(tick, t_.front.tick_hz); }

  void slice(Group group, int track, const std::string& name, std::int64_t from, std::int64_t to, ordered_json args) {
    ordered_json all = {{"begin", from}, {"end", to}, {"cycles", to - from}};
    all.update(args);
    event(fmt::format(R"({{"ph":"X","pid":{},"tid":{},"ts":{},"dur":{},"name":{},"args":{}}})", static_cast<int>(group),
                      track, micros(ps(from)), micros(ps(to) - ps(from)), text_of(name), text_of(all)));
    ++counts_.slices;
  }
  void counter(const std::string& name, std::int64_t tick, const ordered_json& values) {
    event(fmt::format(R"({{"ph":"C","pid":{},"ts":{},"name":{},"args":{}}})", static_cast<int>(kMemories),
                      micros(ps(tick)), text_of(name), text_of(values)));
  }
  void group(Group number, const std::string& name) {
    const int pid = static_cast<int>(number);
    event(fmt::format(R"({{"ph":"M","pid":{},"name":"process_name","args":{{"name":{}}}}})", pid, text_of(name)));
    event(fmt::format(R"({{"ph":"M","pid":{0},"name":"process_sort_index","args":{{"sort_index":{0}}}}})", pid));
  }
  void track(Group group, int number, const std::string& name) {
    const int pid = static_cast<int>(group);
    event(fmt::format(R"({{"ph":"M","pid":{},"tid":{},"name":"thread_name","args":{{"name":{}}}}})", pid, number,
                      text_of(name)));
    event(fmt::format(R"({{"ph":"M","pid":{},"tid":{},"name":"thread_sort_index","args":{{"sort_index":{}}}}})", pid,
                      number, number));
    ++counts_.tracks;
  }
  std::string layer(std::int32_t row) const { return layer_of(t_.point, static_cast<std::size_t>(row)); }
  std::string section(std::int32_t s) const {
    const auto& names = t_.point.sections.empty() ? t_.point.layers : t_.point.sections;
    const auto i = static_cast<std::size_t>(s);
    return i < names.size() ? names[i] : "";
  }
  const std::string& memory(int m) const { return t_.front.memories[static_cast<std::size_t>(m)].name; }

  const Traced& t_;
  const sim::RunResult& run_;
  const Sink& sink_;
  TraceCounts counts_;
  bool first_ = true;
};

ordered_json ChromeTrace::about() const {
  ordered_json j = {{"network", t_.front.network},
                    {"device", t_.front.device},
                    {"point", t_.point.id},
                    {"cycles", run_.ticks},
                    {"tick_hz", t_.front.tick_hz}};
  for (const auto& e : run_.engines)
    j["engines"].push_back({{"queue", t_.front.queues[static_cast<std::size_t>(e.queue)]},
                            {"tasks", e.tasks},
                            {"busy_cycles", e.busy},
                            {"stalled_cycles", e.stalled}});
  return j;
}

void ChromeTrace::layers() {
  const auto rows = spans_of(run_.charges, [](const auto& c) { return c.row; });
  track(kPlan, kLayers, "layers");
  for (const auto& s : rows) {
    const auto row = static_cast<std::size_t>(s.key);
    const auto& kinds = t_.point.layer_kinds;
    slice(kPlan, kLayers, layer(static_cast<std::int32_t>(s.key)), s.from, s.to,
          {{"op", run_.layers[row].layer}, {"kind", row < kinds.size() ? kinds[row] : ""}});
  }
  bool named = false;
  for (const auto& s : spans_of(run_.charges, [&](const auto& c) {
         const auto& of = run_.layers[static_cast<std::size_t>(c.row)];
         return segment_of(t_.point, static_cast<std::size_t>(c.row)).empty() ? -1 : of.section;
       })) {
    if (s.key < 0) continue;
    // A plan has one or the other.
    const bool npu = t_.point.sections[static_cast<std::size_t>(s.key)].starts_with("NPU ");
    if (!named) track(kPlan, kSegments, npu ? "NPU" : "by phases");
    named = true;
    slice(kPlan, kSegments, t_.point.sections[static_cast<std::size_t>(s.key)], s.from, s.to, ordered_json::object());
  }
}

void ChromeTrace::account() {
  track(kPlan, kAccount, "account");
  for (const auto& c : run_.charges) {
    const auto& cause = kCauseNames[static_cast<std::size_t>(c.cause)];
    slice(kPlan, kAccount, cause.label, c.from, c.to, {{"cause", cause.key}, {"layer", layer(c.row)}});
  }
}

void ChromeTrace::control() {
  if (run_.waits.empty()) return;
  track(kEngines, kControlTrack, "control");
  for (const auto& w : run_.waits)
    slice(kEngines, kControlTrack, "wait", w.from, w.end,
          {{"section", section(w.section)}, {"stood", w.until - w.from}, {"own", w.end - w.until}});
}

ordered_json ChromeTrace::args_of(const TaskReader& tasks) const {
  const auto& r = tasks.record();
  const auto& cost = tasks.cost();
  const auto kind = tasks.task().task->kind;
  ordered_json args = {{"op", run_.layers[static_cast<std::size_t>(r.row)].layer},
                       {"layer", layer(r.row)},
                       {"kind", kind->name()},
                       {"tile", r.tile}};
  add_ranges(tasks.task(), args);
  if (cost.macs > 0) args["macs"] = cost.macs;
  for (int f = 0; f < cost.flow_count; ++f) {
    const auto& flow = cost.flows[static_cast<std::size_t>(f)];
    auto& bytes = args[flow.write ? "written" : "read"][memory(flow.memory)];
    bytes = flow.bytes + (bytes.is_null() ? 0 : bytes.get<std::int64_t>());
  }
  // As the account takes a task apart.
  const std::int64_t fixed = std::min(tasks.detail().fixed, r.end - r.start),
                     own = std::min(tasks.detail().busy, r.end - r.start - fixed);
  args["dispatch"] = fixed;
  args[kind == &program::copy_kind() ? "copy" : "compute"] = own;
  args["memory"] = r.end - r.start - fixed - own;
  if (kind == &program::copy_kind()) args["cause"] = kCauseNames[static_cast<std::size_t>(tasks.detail().cause)].key;
  args["issued"] = r.issued;
  args["waited_for_others"] = r.ready - r.issued;
  args["waited_for_queue"] = r.start - r.ready;
  return args;
}

/// From the task of another queue whose end made this one ready.
void ChromeTrace::arrow(const TaskReader& tasks) {
  const auto& r = tasks.record();
  const auto by = tasks.detail().ready_by;
  if (by < 0) return;
  const auto& from = run_.trace[static_cast<std::size_t>(by)];
  if (from.queue == r.queue || from.start == from.end || r.start == r.end) return;
  const auto end = [&](const char* phase, const sim::TaskRecord& task) {
    event(fmt::format(R"({{"ph":{},"pid":{},"tid":{},"ts":{},"id":{},"cat":"ready","name":"makes ready"}})", phase,
                      static_cast<int>(kEngines), kFirstQueue + task.queue, micros(ps(task.start)), tasks.number()));
  };
  end(R"("s")", from);
  end(R"("f","bp":"e")", r);
}

/// What a copy moves; empty for others.
std::string ChromeTrace::moved(const TaskReader& tasks) const {
  const auto* copy = dynamic_cast<const program::CopyPayload*>(tasks.task().task->payload.get());
  if (!copy) return "";
  if (copy->fill) return " fill";
  if (tasks.detail().cause == sim::Cause::dma_weights) return " weights";
  return tasks.detail().cause == sim::Cause::dma_output ? " output" : " input";
}

void ChromeTrace::tasks() {
  for (const auto& e : run_.engines)
    if (e.tasks > 0) track(kEngines, kFirstQueue + e.queue, t_.front.queues[static_cast<std::size_t>(e.queue)]);
  for (TaskReader tasks(t_); tasks.next();) {
    const auto& r = tasks.record();
    slice(kEngines, kFirstQueue + r.queue, fmt::format("{}{} tile {}", layer(r.row), moved(tasks), r.tile), r.start,
          r.end, args_of(tasks));
    arrow(tasks);
  }
}

void ChromeTrace::memories() {
  const auto flights = bytes_in_flight(t_);
  for (std::size_t m = 0; m < t_.front.memories.size(); ++m) {
    const auto& name = t_.front.memories[m].name;
    const auto alive = bytes_alive(t_, m);
    for (const auto& s : alive) counter(name + " bytes", s.tick, {{"alive", s.value}});
    for (const auto& f : flights[m])
      counter(name + " bytes in flight", f.tick, {{"read", f.read}, {"written", f.written}});
    counts_.counters += (alive.empty() ? 0 : 1) + (flights[m].empty() ? 0 : 1);
  }
}

}  // namespace

TraceCounts write_chrome_trace(const Traced& traced, const Sink& sink) { return ChromeTrace(traced, sink).run(); }

}  // namespace dse::reports
