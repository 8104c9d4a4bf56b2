#include "explore/question/files/sweep_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "explore/question/files/sweep_fields.h"
#include "explore/question/metric.h"

namespace dse::explore {
namespace {

/// `[stem, left, right, sum]` is one order, `[file, "stem,right,left,sum"]` are two.
bool lists_layers(const std::vector<std::string>& orders) {
  return orders.size() > 1 && std::none_of(orders.begin(), orders.end(), [](const std::string& o) {
           return o == "file" || o == "searched" || o.find(',') != std::string::npos;
         });
}

SweepSpec spec_of(const SweepText& text, const std::string& file) {
  SweepSpec s;
  s.file = file;
  for (const auto& n : text.networks) {
    if (!n.base.empty()) {
      s.variants.push_back({n.base, n.data, n.axes, n.epochs, n.images, n.where});
      continue;
    }
    auto& facts = s.networks.emplace_back(n.file, NetworkFacts{n.of, {}, {}, n.accuracy_of, {}}).facts;
    for (const auto& axis : n.axes)
      if (!axis.values.empty()) facts.axes.emplace_back(axis.path, axis.values.front());
    if (n.accuracy) facts.accuracy = n.accuracy->value();
    if (n.equal_dense) facts.equal_dense = n.equal_dense->value();
  }
  for (const auto& shape : text.shapes) s.shapes.push_back(shape.value);
  s.cut = text.cut, s.float_io = text.float_io;
  for (const auto& c : text.costs) s.costs[c.word] = c.cycles;
  s.devices = text.devices;
  const auto& e = text.explore;
  if (!e.objectives.empty()) s.objectives.clear();
  for (const auto& o : e.objectives) s.objectives.push_back(o.value);
  for (const auto& c : e.constraints) s.constraints.push_back({c.metric, c.limit, c.where});
  for (const auto& c : e.choices) {
    auto& values = s.choices[c.name.value];
    for (const auto& v : c.values) values.push_back(v.value), s.values_at[c.name.value].push_back(v.where);
    if (c.name.value == "network.order" && lists_layers(values)) values = {fmt::format("{}", fmt::join(values, ","))};
    s.choices_at[c.name.value] = c.name.where;
  }
  s.search = e.search;
  s.simulations = e.budget.simulations;
  s.seconds = e.budget.time.value() / 1e9;
  s.memory = e.budget.memory.value_or(0);
  s.kernels = e.kernels;
  s.front_points = e.front_points;
  s.by_phases = e.by_phases;
  s.max_calls = e.max_calls;
  if (e.within) s.within = e.within->value();
  s.without = e.without;
  s.plans = e.plans;
  return s;
}

bool control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

/// In double quotes where YAML would take it for something else than this text.
std::string scalar(const std::string& text) {
  bool plain = !text.empty() && text.find_first_of(":#,[]{}&*!|>'\"%@`\\") == std::string::npos &&
               std::none_of(text.begin(), text.end(), control) && text.front() != ' ' && text.back() != ' ' &&
               text.front() != '-' && text.front() != '?';
  for (const char* word : {"null", "~", "true", "false"}) plain = plain && text != word;
  if (plain) return text;
  std::string out = "\"";
  for (char c : text) {
    if (control(c)) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string flow(const std::vector<std::string>& items) {
  std::string out = "[";
  for (const auto& i : items) out += (out.size() > 1 ? ", " : "") + scalar(i);
  return out + "]";
}

/// Shortest decimal that reads back as the same number; the readers take no exponents.
std::string decimal(double v) {
  auto text = fmt::format("{}", v);
  if (text.find_first_of("en") != std::string::npos) text = fmt::format("{:.6f}", v);
  return text.size() > 2 && text.compare(text.size() - 2, 2, ".0") == 0 ? text.substr(0, text.size() - 2) : text;
}

std::string limit_text(const Constraint& c) {
  const auto unit = metric_unit(c.metric);
  if (unit == "bytes") return "<= " + format_quantity({static_cast<std::int64_t>(c.limit), 1}, unit::bytes);
  if (unit == "microseconds") return "<= " + decimal(c.limit) + " us";
  return "<= " + decimal(c.limit) + (unit == "mm2" ? " mm2" : " uJ");
}

std::string explore_text(const SweepSpec& s) {
  std::string out = "explore:\n  objectives: " + flow(s.objectives) + "\n";
  if (!s.constraints.empty()) {
    out += "  constraints:\n";
    for (const auto& c : s.constraints) out += fmt::format("    {}: \"{}\"\n", c.metric, limit_text(c));
  }
  if (!s.choices.empty()) {
    out += "  choices:\n";
    for (const auto& [name, values] : s.choices) out += fmt::format("    {}: {}\n", scalar(name), flow(values));
  }
  if (s.search != SweepSpec{}.search) out += "  search: " + s.search + "\n";
  std::vector<std::string> budget;
  if (s.simulations > 0) budget.push_back(fmt::format("simulations: {}", s.simulations));
  if (s.seconds > 0) budget.push_back("time: " + decimal(s.seconds) + " s");
  if (s.memory > 0) budget.push_back(fmt::format("memory: {} B", s.memory));
  if (!budget.empty()) out += fmt::format("  budget: {{{}}}\n", fmt::join(budget, ", "));
  if (s.kernels != SweepSpec{}.kernels) out += "  kernels: " + s.kernels + "\n";
  if (s.front_points != SweepSpec{}.front_points) out += fmt::format("  front_points: {}\n", s.front_points);
  if (!s.by_phases) out += "  by_phases: false\n";
  if (s.max_calls != kMaxCalls) out += fmt::format("  max_calls: {}\n", s.max_calls);
  if (s.within >= 0) out += "  within: " + decimal(s.within) + "\n";
  if (!s.without.empty()) out += "  without: " + flow(s.without) + "\n";
  if (!s.plans.empty()) out += "  plans: " + flow(s.plans) + "\n";
  return out;
}

}  // namespace

std::optional<SweepSpec> read_sweep_text(const std::string& text, const std::string& file, Diagnostics& diags) {
  SweepText out;
  if (!yaml::read_text(text, file, sweep_fields(), {}, diags, out)) return std::nullopt;
  return spec_of(out, file);
}

std::optional<SweepSpec> read_sweep(const std::string& path, Diagnostics& diags) {
  const auto text = yaml::load(path, diags);
  if (!text) return std::nullopt;
  return read_sweep_text(*text, path, diags);
}

std::string write_sweep(const SweepSpec& s) {
  std::string out = "format: 1\nnetworks:\n";
  for (const auto& n : s.networks) {
    const NetworkFacts& f = n.facts;
    if (!f.accuracy && f.base.empty()) {
      out += "  - " + scalar(n.file) + "\n";
      continue;
    }
    out += "  - file: " + scalar(n.file) + "\n";
    if (!f.base.empty()) out += "    of: " + scalar(f.base) + "\n";
    if (!f.axes.empty()) out += "    axes:\n";
    for (const auto& [path, value] : f.axes) out += fmt::format("      {}: {}\n", scalar(path), scalar(value));
    if (f.accuracy) out += "    accuracy: " + decimal(*f.accuracy) + "\n";
    if (!f.accuracy_of.empty()) out += "    accuracy_of: " + scalar(f.accuracy_of) + "\n";
    if (f.equal_dense) out += "    equal_dense: " + decimal(*f.equal_dense) + "\n";
  }
  for (const auto& v : s.variants) {
    out += "  - base: " + scalar(v.base) + "\n";
    if (!v.axes.empty()) out += "    axes:\n";
    for (const auto& a : v.axes) out += fmt::format("      {}: {}\n", scalar(a.path), flow(a.values));
    if (!v.data.empty()) out += "    data: " + scalar(v.data) + "\n";
    if (v.epochs > 0) out += fmt::format("    epochs: {}\n", v.epochs);
    if (v.images > 0) out += fmt::format("    images: {}\n", v.images);
  }
  if (!s.shapes.empty()) out += "shapes: " + flow(s.shapes) + "\n";
  if (s.cut) out += "cut: true\n";
  if (s.float_io) out += "float_io: true\n";
  if (!s.costs.empty()) out += "costs:\n";
  for (const auto& [word, cycles] : s.costs) out += fmt::format("  {}: {}\n", scalar(word), cycles);
  out += "devices:\n";
  for (const auto& d : s.devices) {
    out += "  - base: " + scalar(d.base) + "\n";
    if (d.axes.empty()) continue;
    out += "    axes:\n";
    for (const auto& a : d.axes) out += fmt::format("      {}: {}\n", scalar(a.path), flow(a.values));
  }
  return out + explore_text(s);
}

std::string sweep_schema() { return yaml::json_schema(sweep_fields(), "sweep.json"); }

}  // namespace dse::explore
