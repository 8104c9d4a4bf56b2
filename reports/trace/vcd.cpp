#include "reports/trace/vcd.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

namespace dse::reports {
namespace {

constexpr std::int64_t kUnknown = -1;

struct Signal {
  std::string scope, name;
  int bits = 1;
};

struct Change {
  std::int64_t tick;
  int signal;
  std::int64_t value;
};

/// Names end at white space, and dots part scopes.
std::string identifier(std::string name) {
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

/// Short codes of printable characters.
std::string code_of(int signal) {
  std::string out;
  do {
    out += static_cast<char>('!' + signal % 94);
    signal /= 94;
  } while (signal > 0);
  return out;
}

std::string value_text(const Signal& s, int number, std::int64_t value) {
  const auto digits = value == kUnknown ? "x" : fmt::format("{:b}", value);
  return (s.bits == 1 ? digits : "b" + digits + " ") + code_of(number) + "\n";
}

class Dump {
 public:
  explicit Dump(const Traced& traced) : t_(traced), run_(traced.point.run) {
    const int op = add({"layers", "op", 32});
    for (const auto& s :
         spans_of(run_.charges, [&](const auto& c) { return run_.layers[static_cast<std::size_t>(c.row)].layer; }))
      change(s.from, op, s.key), change(s.to, op, kUnknown);
    if (!run_.waits.empty()) control();
    tasks();
    for (std::size_t m = 0; m < t_.front.memories.size(); ++m) {
      const auto steps = bytes_alive(t_, m);
      if (steps.empty()) continue;
      const int alive = add({t_.front.memories[m].name, "alive", 64});
      for (const auto& s : steps) change(s.tick, alive, s.value);
    }
    // What changes at once keeps its order, so that the last one stays.
    std::stable_sort(changes_.begin(), changes_.end(), [](const auto& a, const auto& b) { return a.tick < b.tick; });
  }

  int write(const Sink& sink) const {
    sink(fmt::format("$comment {} on {}, point {}: {} cycles at {} Hz $end\n$timescale 1 ps $end\n",
                     identifier(t_.front.network), identifier(t_.front.device), t_.point.id, run_.ticks,
                     t_.front.tick_hz));
    for (std::size_t i = 0; i < signals_.size(); ++i) {
      const auto& s = signals_[i];
      if (i == 0 || signals_[i - 1].scope != s.scope)
        sink(fmt::format("{}$scope module {} $end\n", i == 0 ? "" : "$upscope $end\n", identifier(s.scope)));
      sink(fmt::format("$var wire {} {} {} $end\n", s.bits, code_of(static_cast<int>(i)), s.name));
    }
    sink("$upscope $end\n$enddefinitions $end\n");
    std::vector<std::int64_t> shown(signals_.size(), kUnknown);
    for (std::size_t i = 0; i < signals_.size(); ++i) shown[i] = signals_[i].bits == 1 ? 0 : kUnknown;
    sink("$dumpvars\n");
    for (std::size_t i = 0; i < signals_.size(); ++i) sink(value_text(signals_[i], static_cast<int>(i), shown[i]));
    sink("$end\n");
    for (std::size_t i = 0; i < changes_.size();) i = write_tick(i, shown, sink);
    if (changes_.empty() || changes_.back().tick < run_.ticks) sink(time_text(run_.ticks));
    return static_cast<int>(signals_.size());
  }

 private:
  int add(Signal s) {
    signals_.push_back(std::move(s));
    return static_cast<int>(signals_.size()) - 1;
  }
  void change(std::int64_t tick, int signal, std::int64_t value) { changes_.push_back({tick, signal, value}); }

  void control() {
    const int waits = add({"control", "waits", 1});
    for (const auto& w : run_.waits) change(w.from, waits, 1), change(w.end, waits, 0);
  }

  void tasks() {
    std::map<int, int> first;  // queue -> its `busy`; `op` and `tile` follow
    for (const auto& e : run_.engines)
      if (e.tasks > 0) {
        const auto& name = t_.front.queues[static_cast<std::size_t>(e.queue)];
        first[e.queue] = add({name, "busy", 1});
        add({name, "op", 32}), add({name, "tile", 32});
      }
    for (const auto& r : run_.trace) {
      const int busy = first.at(r.queue);
      change(r.start, busy, 1), change(r.end, busy, 0);
      change(r.start, busy + 1, run_.layers[static_cast<std::size_t>(r.row)].layer), change(r.end, busy + 1, kUnknown);
      change(r.start, busy + 2, r.tile), change(r.end, busy + 2, kUnknown);
    }
  }

  std::string time_text(std::int64_t tick) const { return fmt::format("#{}\n", picoseconds(tick, t_.front.tick_hz)); }

  /// All changes at the tick of change `i` that stay. @returns the first change after them.
  std::size_t write_tick(std::size_t i, std::vector<std::int64_t>& shown, const Sink& sink) const {
    std::map<int, std::int64_t> last;
    const auto tick = changes_[i].tick;
    for (; i < changes_.size() && changes_[i].tick == tick; ++i) last[changes_[i].signal] = changes_[i].value;
    std::string text = time_text(tick);
    for (const auto& [signal, value] : last) {
      auto& now = shown[static_cast<std::size_t>(signal)];
      if (now == value) continue;
      text += value_text(signals_[static_cast<std::size_t>(signal)], signal, value);
      now = value;
    }
    sink(text);
    return i;
  }

  const Traced& t_;
  const sim::RunResult& run_;
  std::vector<Signal> signals_;
  std::vector<Change> changes_;
};

}  // namespace

int write_vcd(const Traced& traced, const Sink& sink) { return Dump(traced).write(sink); }

}  // namespace dse::reports
