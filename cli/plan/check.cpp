// dse check: whether a plan still holds for a network, and keeps its limits: the gate before a firmware is built.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/xml_text.h"
#include "cli/command.h"
#include "cli/common/device_options.h"
#include "cli/common/files.h"
#include "cli/common/limits.h"
#include "cli/common/lookup.h"
#include "cli/common/network_options.h"
#include "cli/common/output.h"
#include "cli/package/package_file.h"
#include "cli/package/package_folder.h"
#include "explore/front/accuracy.h"
#include "explore/front/front.h"
#include "explore/measure/measure.h"
#include "explore/measure/point.h"
#include "explore/question/files/limits_file.h"
#include "explore/question/goal.h"
#include "explore/question/metric.h"
#include "explore/question/ram.h"
#include "plan/document/document.h"
#include "plan/plan.h"
#include "reports/words/answers.h"
#include "reports/words/format.h"

namespace dse::cli {
namespace {

using reports::grouped;

struct CheckOptions {
  std::string plan, network, device, limits, deadline, junit, markdown, key, kernels;
  std::vector<std::string> set, limit;
  nn::LoadOptions load;
  bool json = false;
};

/// One thing that was looked at.
struct Line {
  std::string what, found, asked;
  bool ok = true;
  int exit = Exit::mismatch;  // where it is not ok
  std::string open{};         // why it cannot be told; then `ok` is what the simulation alone says
};

const char* word_of(const Line& l) { return !l.open.empty() ? "OPEN" : l.ok ? "ok" : "NOT OK"; }

std::string found_text(const Line& l) {
  return l.found + (l.asked.empty() ? "" : " " + l.asked) + (l.open.empty() ? "" : "; " + l.open);
}

/// The plan: of a plan file, of plan.dse, or of a package's folder; of several points the fastest.
std::optional<plan::Plan> plan_of(const CheckOptions& o, const nn::Network& network, const hw::Device& device,
                                  Diagnostics& d) {
  const auto file = std::filesystem::is_directory(o.plan) ? package_path(o.plan) : o.plan;
  if (!is_package_file(file)) return plan::read_plan(file, network, device, d, true);
  const auto bytes = open_package_file(file, o.key, d);
  const auto contents = bytes ? deploy::read_contents(*bytes, file, d) : std::nullopt;
  if (!contents) return std::nullopt;
  if (contents->points[0].plan.empty()) {
    d.error({file, 0, 0}, "holds no plan document: it is for a target only");
    return std::nullopt;
  }
  return plan::read_plan_text(contents->points[0].plan, file, network, device, d, true);
}

/// The first operator of a network that is not as it was when a package was made; empty: that is not known.
std::string first_change(const std::string& package, const nn::Network& network) {
  if (!std::filesystem::is_directory(package) || !holds_package(package)) return "";
  Diagnostics d;
  const auto manifest = open_package(package, d);
  const auto account = manifest ? account_of_package(package, *manifest, d) : std::nullopt;
  if (!account) return "";
  const auto& before = account->front.layers;
  const auto now = nn::layer_forms(network);
  for (std::size_t i = 0; i < std::max(before.size(), now.size()); ++i) {
    if (i >= now.size()) return fmt::format("{} is not there any more", before[i].name);
    if (i >= before.size()) return fmt::format("{} is new", now[i].name);
    const auto &a = before[i], &b = now[i];
    if (a == b) continue;
    if (a.kind != b.kind) return fmt::format("{} was {}, is {}", b.name, a.kind, b.kind);
    if (a.options != b.options)
      return fmt::format("{} was {}, is {}", b.name, a.options.empty() ? "plain" : a.options,
                         b.options.empty() ? "plain" : b.options);
    if (a.weights != b.weights) return fmt::format("{} had constants {}, has {}", b.name, a.weights, b.weights);
    if (a.inputs != b.inputs || a.outputs != b.outputs)
      return fmt::format("{} made {} of {}, makes {} of {}", b.name, a.outputs, a.inputs, b.outputs, b.inputs);
    if (a.from != b.from) return fmt::format("{} reads what other operators make", b.name);
  }
  return "";
}

std::string limit_text(const std::string& metric, double limit) {
  if (explore::metric_unit(metric) == "bytes") return grouped(static_cast<std::int64_t>(limit)) + " bytes";
  return explore::value_text(metric, limit);
}

/// With few digits where they tell on which side of the limit the value is.
std::string value_text(const std::string& metric, double value, double limit) {
  const auto unit = explore::metric_unit(metric);
  if (unit == "bytes") return limit_text(metric, value);
  const auto text = unit == "microseconds" ? reports::latency_text(value) : reports::metric_text(metric, value, 6);
  const auto said = explore::parse_metric(text, unit).value;
  return said && (*said <= limit) == (value <= limit) ? text : explore::enough_text(metric, value);
}

/// Limits of the file and of the command line; of two of one metric the tighter.
explore::SweepSpec asked(const CheckOptions& o, const explore::Case& c, Diagnostics& d) {
  explore::SweepSpec spec;
  if (!o.kernels.empty()) spec.kernels = o.kernels;
  if (!o.limits.empty())
    if (auto read = explore::read_limits(o.limits, d)) spec.constraints = std::move(*read);
  for (const auto& l : o.limit) add_limit(l, "--limit", spec, d);
  if (!o.deadline.empty()) add_limit("latency=" + o.deadline, "--deadline", spec, d);
  if (!d.has_errors()) explore::check_case(spec, c, d);
  return spec;
}

std::vector<Line> lines_of(const explore::Case& c, const plan::Plan& plan, const explore::SweepSpec& spec) {
  std::vector<Line> out;
  out.push_back({"structure", "the network is the one that the plan is for", "", true});
  const auto against = explore::refusal(c, plan);
  out.push_back({"addresses", against.empty() ? "no overlap, no race, nothing read before it is written" : against, "",
                 against.empty()});
  if (!against.empty()) return out;
  const auto point = explore::simulate_point(c, plan, true, false);
  const bool equal = !point.run.failure && point.verified;
  out.push_back({"bytes",
                 equal               ? "outputs are the interpreter's"
                 : point.run.failure ? point.run.failure->what
                                     : "outputs are not the interpreter's",
                 "", equal});
  if (point.run.failure) return out;
  for (std::size_t m = 0; m < c.device->memories.size(); ++m) {
    const auto& memory = c.device->memories[m];
    const std::int64_t taken = plan.heights[m];
    if (!memory.on_chip && taken == 0) continue;
    out.push_back({"fits " + memory.name, grouped(taken) + " bytes", "of " + grouped(memory.free()),
                   taken <= memory.free(), Exit::limit_exceeded});
  }
  const auto error = explore::known_error(*c.device);
  for (const auto& k : spec.constraints) {
    const double value = k.metric == "area"      ? c.device->area_mm2().value_or(0)
                         : k.metric == "weights" ? static_cast<double>(c.network->parameter_bytes())
                                                 : explore::value_of(point, k.metric);
    out.push_back({k.metric, value_text(k.metric, value, k.limit), "<= " + limit_text(k.metric, k.limit),
                   value <= k.limit, Exit::limit_exceeded});
    if (k.metric == "latency" && error.known() && error.open(value, k.limit))
      out.back().open = fmt::format("times on this device are off by {}, so it cannot be told", error.text());
  }
  return out;
}

int exit_of(const std::vector<Line>& lines) {
  int code = Exit::ok;
  for (const auto& l : lines)
    if (!l.ok && (code == Exit::ok || l.exit == Exit::mismatch)) code = l.exit;
  return code;
}

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

/// As continuous integration reads results of tests.
std::string junit_of(const CheckOptions& o, const std::vector<Line>& lines) {
  const auto failures = std::count_if(lines.begin(), lines.end(), [](const Line& l) { return !l.ok; });
  std::string out = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name={} tests=\"{}\" "
      "failures=\"{}\">\n",
      xml_quoted("dse check " + o.plan), lines.size(), failures);
  for (const auto& l : lines) {
    out += fmt::format("    <testcase classname={} name={}", xml_quoted(o.plan), xml_quoted(l.what));
    out += l.ok ? "/>\n"
                : fmt::format(">\n      <failure message={}/>\n    </testcase>\n", xml_quoted(one_line(found_text(l))));
  }
  return out + "  </testsuite>\n</testsuites>\n";
}

std::string markdown_of(const CheckOptions& o, const std::vector<Line>& lines) {
  const auto cell = [](std::string text) {
    for (std::size_t at = 0; (at = text.find('|', at)) != text.npos; at += 2) text.insert(at, "\\");
    return one_line(std::move(text));
  };
  std::string out = fmt::format("**{}** for {} on {}: {}\n\n| | found | asked | |\n|---|---|---|---|\n", o.plan,
                                o.network, o.device, exit_of(lines) == Exit::ok ? "holds" : "does not hold");
  for (const auto& l : lines)
    out += fmt::format("| {} | {} | {} | {} |\n", cell(l.what), cell(l.found), cell(l.asked),
                       !l.open.empty() ? cell("open: " + l.open)
                       : l.ok          ? "ok"
                                       : "**not ok**");
  return out;
}

void tell(const CheckOptions& o, const std::vector<Line>& lines) {
  if (o.json) {
    auto all = nlohmann::ordered_json::array();
    for (const auto& l : lines)
      all.push_back({{"check", l.what},
                     {"found", l.found},
                     {"asked", l.asked},
                     {"ok", l.ok},
                     {"open", l.open.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(l.open)}});
    print_json(nlohmann::ordered_json{{"plan", o.plan}, {"network", o.network}, {"device", o.device}, {"checks", all}});
    return;
  }
  std::size_t width = 0;
  for (const auto& l : lines) width = std::max(width, l.what.size());
  for (const auto& l : lines) fmt::print("{:<6}  {:<{}}  {}\n", word_of(l), l.what, width, found_text(l));
}

int check(const CheckOptions& o) {
  Diagnostics d;
  const auto network = cli::load_network(o.network, d, o.load);
  const auto device = load_device(o.device, d, o.set);
  std::optional<plan::Plan> plan;
  explore::SweepSpec spec;
  explore::Case c;
  if (network && device) {
    c = {network, device, device->name};
    spec = asked(o, c, d);
    c.beside_arenas = explore::beside_arenas(spec, *network, *device);
    plan = plan_of(o, *network, *device, d);
    if (const auto change = plan ? "" : first_change(o.plan, *network); !change.empty())
      d.error({o.network, 0, 0}, "the first operator that is another: " + change);
  }
  const int code = report(d);
  std::vector<Line> lines;
  if (code)
    lines.push_back(
        {"structure", d.list().empty() ? "cannot be read" : d.list().back().what, "", false, Exit::bad_input});
  else
    lines = lines_of(c, *plan, spec);
  if (!o.junit.empty()) write_file(o.junit, junit_of(o, lines));
  if (!o.markdown.empty()) write_file(o.markdown, markdown_of(o, lines));
  if (code) return code;
  tell(o, lines);
  return exit_of(lines);
}

}  // namespace

void add_check(CLI::App& app, Invocation& invocation) {
  auto o = std::make_shared<CheckOptions>();
  auto* command =
      app.add_subcommand("check", "Hold a plan against a network and limits, as a gate for a firmware's builds");
  command->add_option("plan", o->plan, "plan file, plan.dse, or folder of a package")->required();
  command->add_option("--network,-n", o->network, "network file or name, as it is now")->required();
  command->add_option("--device,-d", o->device, "device file or name")->required();
  add_set_option(*command, o->set);
  add_network_options(*command, o->load);
  command->add_option("--limits", o->limits, "file of limits");
  command->add_option("--limit", o->limit, "a limit: l1=64KiB, memory=128KiB, ram=128KiB, latency=20ms, energy=2mJ");
  add_kernels_option(*command, o->kernels);
  command->add_option("--deadline", o->deadline, "the same as --limit latency=...");
  command->add_option("--junit", o->junit, "write the checks as test results");
  command->add_option("--markdown", o->markdown, "write them as a table, for a review");
  command->add_option("--key", o->key, "of an encrypted package: a file, or env:NAME");
  command->add_flag("--json", o->json, "print JSON");
  command->callback([o, &invocation] { invocation.exit = check(*o); });
}

}  // namespace dse::cli
