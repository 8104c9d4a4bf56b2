#include "tests/reports/trace/trace_checks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

namespace dse::test {
namespace {

using nlohmann::json;
using Sums = std::map<std::string, std::int64_t>;

/// Sums without those that are nothing.
Sums without_nothing(const Sums& sums) {
  Sums out;
  for (const auto& [key, n] : sums)
    if (n != 0) out[key] = n;
  return out;
}

/// Microseconds of an event as ticks, to the next one.
std::int64_t ticks_of(const json& micros, std::int64_t hz) {
  return std::llround(micros.get<double>() * static_cast<double>(hz) / 1e6);
}

class TraceChecks {
 public:
  TraceChecks(const std::string& text, const json& point) : trace_(json::parse(text)), point_(point) {
    hz_ = trace_["otherData"]["tick_hz"];
  }

  TraceRead run() {
    EXPECT_EQ(trace_["displayTimeUnit"], "ns");
    EXPECT_EQ(trace_["otherData"]["point"], point_["id"]);
    EXPECT_EQ(trace_["otherData"]["cycles"], point_["latency_cycles"]);
    EXPECT_EQ(trace_["otherData"]["engines"], point_["engines"]);
    for (const auto& e : trace_["traceEvents"]) {
      const std::string phase = e["ph"];
      if (phase == "M" && e["name"] == "thread_name") name_track(e);
      if (phase == "X") slice(e);
      if (phase == "C") count(e);
      if (phase == "s" || phase == "f") arrow(e, phase == "s");
    }
    EXPECT_TRUE(open_.empty()) << "arrows without an end";
    account();
    engines();
    memories();
    read_.counters = static_cast<std::int64_t>(counted_.size());
    return read_;
  }

 private:
  void name_track(const json& e) {
    EXPECT_TRUE(tracks_.emplace(e["tid"], e["args"]["name"]).second) << "a number of two tracks";
    ++read_.tracks;
  }

  void slice(const json& e) {
    ++read_.slices;
    ASSERT_TRUE(tracks_.count(e["tid"])) << e;
    const std::string track = tracks_[e["tid"]];
    const auto& args = e["args"];
    const std::int64_t begin = args["begin"], end = args["end"];
    EXPECT_GE(begin, until_[track]) << "it begins before the one before it ends: " << e;
    EXPECT_GE(end, begin);
    EXPECT_EQ(args["cycles"], end - begin);
    EXPECT_EQ(ticks_of(e["ts"], hz_), begin);
    EXPECT_EQ(ticks_of(e["ts"].get<double>() + e["dur"].get<double>(), hz_), end);
    if (track == "layers" || track == "account") {
      EXPECT_EQ(begin, until_[track]) << "a tick that is nobody's: " << e;
    }
    until_[track] = end;
    if (track == "layers") layers_[e["name"]] += end - begin;
    if (track == "account")
      causes_[args["layer"].get<std::string>() + " " + args["cause"].get<std::string>()] += end - begin;
    if (track == "layers" || track == "account" || track == "by phases" || track == "control") return;
    busy_[track] += end - begin;
    ++tasks_[track];
    const auto own = args.contains("copy") ? args["copy"] : args["compute"];
    EXPECT_EQ(args["dispatch"].get<std::int64_t>() + own.get<std::int64_t>() + args["memory"].get<std::int64_t>(),
              end - begin);
    EXPECT_EQ(args["issued"].get<std::int64_t>() + args["waited_for_others"].get<std::int64_t>() +
                  args["waited_for_queue"].get<std::int64_t>(),
              begin);
    EXPECT_GE(args["waited_for_others"], 0);
    EXPECT_GE(args["waited_for_queue"], 0);
    macs_ += args.value("macs", std::int64_t{0});
    for (const char* way : {"read", "written"})
      if (args.contains(way))
        for (const auto& [memory, bytes] : args[way].items()) moved_[memory + " " + way] += bytes.get<std::int64_t>();
    for (const char* range : {"rows", "columns", "channels", "input_channels"})
      if (args.contains(range)) {
        EXPECT_LT(args[range][0], args[range][1]) << e;
      }
  }

  void arrow(const json& e, bool begins) {
    ASSERT_TRUE(tracks_.count(e["tid"])) << e;
    if (begins) {
      EXPECT_TRUE(open_.emplace(e["id"], e["ts"]).second);
      ++read_.arrows;
      return;
    }
    EXPECT_EQ(e["bp"], "e");
    ASSERT_TRUE(open_.count(e["id"]));
    EXPECT_LT(open_[e["id"]], e["ts"].get<double>());
    open_.erase(e["id"]);
  }

  void count(const json& e) {
    const std::string name = e["name"];
    const auto tick = ticks_of(e["ts"], hz_);
    if (counted_.count(name)) {
      EXPECT_GT(tick, counted_[name]) << e;
    }
    counted_[name] = tick;
    for (const auto& [series, value] : e["args"].items()) {
      EXPECT_GE(value, 0) << e;
      auto& most = most_[name + " " + series];
      most = std::max(most, value.get<std::int64_t>());
      last_[name + " " + series] = value;
    }
  }

  void account() {
    Sums layers, causes;
    for (const auto& a : point_["account"]) {
      const std::string layer = a["layer"];
      layers[layer] += a["cycles"].get<std::int64_t>();
      for (const auto& [cause, ticks] : a["causes"].items()) causes[layer + " " + cause] += ticks.get<std::int64_t>();
    }
    EXPECT_EQ(layers_, without_nothing(layers));
    EXPECT_EQ(causes_, without_nothing(causes));
    const std::int64_t end = point_["latency_cycles"];
    EXPECT_EQ(until_["layers"], end);
    EXPECT_EQ(until_["account"], end);
    for (const auto& [track, until] : until_) EXPECT_LE(until, end) << track;
  }

  void engines() {
    EXPECT_EQ(macs_, point_["macs"]);
    for (const auto& e : point_["engines"]) {
      EXPECT_EQ(busy_[e["queue"]], e["busy_cycles"]) << e;
      EXPECT_EQ(tasks_[e["queue"]], e["tasks"]) << e;
    }
    EXPECT_EQ(busy_.size(), point_["engines"].size()) << "a track of no engine";
  }

  void memories() {
    for (const auto& m : point_["memories"]) {
      const std::string name = m["memory"];
      EXPECT_EQ(moved_[name + " read"], m["read_bytes"]) << name;
      EXPECT_EQ(moved_[name + " written"], m["written_bytes"]) << name;
      EXPECT_EQ(last_[name + " bytes in flight read"], 0) << name;
      EXPECT_EQ(last_[name + " bytes in flight written"], 0) << name;
      if (m["read_bytes"] > 0) {
        EXPECT_GT(most_[name + " bytes in flight read"], 0) << name;
      }
      if (counted_.count(name + " bytes")) {
        EXPECT_EQ(most_[name + " bytes alive"], m["load_bytes"]) << name;
      }
    }
  }

  json trace_;
  const json& point_;
  std::int64_t hz_ = 1, macs_ = 0;
  TraceRead read_;
  std::map<int, std::string> tracks_;
  std::map<int, double> open_;
  Sums until_, layers_, causes_, busy_, tasks_, moved_, counted_, most_, last_;
};

}  // namespace

TraceRead expect_sound_trace(const std::string& text, const json& point) { return TraceChecks(text, point).run(); }

int expect_sound_vcd(const std::string& text, const json& point, std::int64_t tick_hz) {
  std::istringstream lines(text);
  std::map<std::string, std::string> names;  // code -> scope.name
  std::map<std::string, int> bits;
  std::string scope, line;
  bool timescale = false;
  while (std::getline(lines, line) && line != "$enddefinitions $end") {
    std::istringstream words(line);
    std::string word, type, code, name;
    int width = 0;
    words >> word;
    timescale = timescale || line == "$timescale 1 ps $end";
    if (word == "$scope") words >> type >> scope;
    if (word != "$var") continue;
    words >> type >> width >> code >> name;
    EXPECT_TRUE(names.emplace(code, scope + "." + name).second) << line;
    bits[code] = width;
  }
  EXPECT_TRUE(timescale);
  EXPECT_FALSE(names.empty());

  std::int64_t now = 0;
  Sums since, busy, most;
  while (std::getline(lines, line)) {
    if (line[0] == '$') continue;  // $dumpvars and its $end
    if (line[0] == '#') {
      const auto at = std::llround(static_cast<long double>(std::stoll(line.substr(1))) * tick_hz / 1e12L);
      EXPECT_GE(at, now) << line;
      now = at;
      continue;
    }
    const auto blank = line.find(' ');
    const auto value = line[0] == 'b' ? line.substr(1, blank - 1) : line.substr(0, 1);
    const auto code = line[0] == 'b' ? line.substr(blank + 1) : line.substr(1);
    EXPECT_TRUE(names.count(code)) << line;
    EXPECT_LE(static_cast<int>(value.size()), bits[code]) << line;
    const auto& name = names[code];
    if (bits[code] == 1 && value == "1") since[name] = now;
    if (bits[code] == 1 && value == "0" && since.count(name)) busy[name] += now - since[name], since.erase(name);
    if (bits[code] == 64 && value != "x")
      most[name] = std::max<std::int64_t>(most[name], std::stoll(value, nullptr, 2));
  }
  EXPECT_EQ(now, point["latency_cycles"]) << "the end of the run";
  EXPECT_TRUE(since.empty()) << "busy for ever";
  const auto word = [](std::string s) {
    for (char& c : s)
      if (c == '.' || c == '-') c = '_';
    return s;
  };
  for (const auto& e : point["engines"]) EXPECT_EQ(busy[word(e["queue"]) + ".busy"], e["busy_cycles"]) << e;
  for (const auto& m : point["memories"])
    if (const auto name = word(m["memory"]) + ".alive"; most.count(name)) {
      EXPECT_EQ(most[name], m["load_bytes"]) << name;
    }
  return static_cast<int>(names.size());
}

}  // namespace dse::test
