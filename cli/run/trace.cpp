// dse trace: what runs when in a point of a run, for viewers of traces and of waves.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/common/output.h"
#include "cli/common/point_options.h"
#include "cli/run/run_folder.h"
#include "explore/front/front.h"
#include "explore/measure/point.h"
#include "reports/trace/chrome.h"
#include "reports/trace/vcd.h"
#include "reports/words/format.h"

namespace dse::cli {
namespace {

using nlohmann::ordered_json;
using reports::grouped;

struct TraceOptions : PointOptions {
  std::string out, vcd;
  bool json = false;
};

/// Writes what was asked for. @returns what was written, a line each; `j` has the same.
std::string write(const TraceOptions& o, const reports::Traced& traced, ordered_json& j) {
  std::string said;
  if (!o.out.empty() || o.vcd.empty()) {
    const std::string name = o.out.empty() ? "trace.json" : o.out;
    Output file(name);
    const auto counts = reports::write_chrome_trace(traced, [&](const std::string& text) { file.write(text); });
    file.close();
    said += fmt::format("{}: {} slices on {} tracks, {} counters; open it at https://ui.perfetto.dev\n", name,
                        grouped(counts.slices), counts.tracks, counts.counters);
    j["trace"] = {{"file", name}, {"slices", counts.slices}, {"tracks", counts.tracks}, {"counters", counts.counters}};
  }
  if (!o.vcd.empty()) {
    Output file(o.vcd);
    const int signals = reports::write_vcd(traced, [&](const std::string& text) { file.write(text); });
    file.close();
    said += fmt::format("{}: {} signals\n", o.vcd, signals);
    j["vcd"] = {{"file", o.vcd}, {"signals", signals}};
  }
  return said;
}

int trace(const TraceOptions& o) {
  Diagnostics d;
  const auto asked = open_point(o, d);
  const auto plan = asked ? plan_of(o.folder, asked->chosen, asked->c, d) : std::nullopt;
  if (const int code = report(d)) return code;
  const auto& c = asked->c;
  const auto point = explore::simulate_point(c, *plan, false, true);
  if (const auto other = differs_from_run(asked->chosen, point); !other.empty()) {
    fmt::print(stderr, "dse: error: point {} of {} {}\n", plan->id(), o.folder, other);
    return Exit::mismatch;
  }
  explore::Front front;
  explore::describe_front(c, front);
  const auto program = explore::lower(c, *plan);
  ordered_json j = {{"point", point.id}, {"cycles", point.latency_ticks}};
  const auto said = write(o, {front, point, program, c.device}, j);
  const bool taken = o.out == "-" || o.vcd == "-";  // standard output has a trace
  const auto text = j.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
  fmt::print(taken ? stderr : stdout, "{}", o.json ? text : said);
  return Exit::ok;
}

}  // namespace

void add_trace(CLI::App& app, Invocation& invocation) {
  auto o = std::make_shared<TraceOptions>();
  auto* command = app.add_subcommand("trace", "Write what runs when in a point of a run, for Perfetto or as VCD");
  o->add_to(*command);
  command->add_option("--out,-o", o->out,
                      "Chrome trace to write, - for standard output; trace.json where neither is asked for");
  command->add_option("--vcd", o->vcd, "value change dump to write, - for standard output");
  command->add_flag("--json", o->json, "print JSON");
  command->callback([o, &invocation] {
    if (o->out == "-" && o->vcd == "-") throw CLI::ValidationError("--vcd", "standard output has the trace already");
    invocation.exit = trace(*o);
  });
}

}  // namespace dse::cli
