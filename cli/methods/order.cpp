// dse order: the order of operators that needs the least memory for activations, with a certificate; with --model, the
// order and the places of values in two operational buffers and scratch buffers.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/suggest.h"
#include "cli/command.h"
#include "cli/common/files.h"
#include "cli/common/lookup.h"
#include "cli/common/network_options.h"
#include "cli/methods/order_model.h"
#include "methods/order/dag.h"
#include "reports/words/format.h"

namespace dse::cli {
namespace {

using reports::grouped;

struct OrderOptions {
  std::string subject;
  std::string rule = plan::name_of(plan::OrderRule::out_of_place);
  std::int64_t limit = -1;  // bytes; < 0: none
  bool json = false;
  OrderModelOptions model;
  nn::LoadOptions load;
};

std::optional<plan::OrderProblem> load_problem(const OrderOptions& o, Diagnostics& d) {
  if (o.subject.ends_with(".dag")) {
    const auto text = read_file(o.subject, d);
    return text ? plan::parse_dag(*text, o.subject, d) : std::nullopt;
  }
  const auto network = cli::load_network(o.subject, d, o.load);
  if (!network) return {};
  return plan::order_problem(*network);
}

std::string as_json(const plan::OrderProblem& p, const OrderOptions& o, const plan::OrderResult& r,
                    std::optional<std::int64_t> in_file) {
  nlohmann::ordered_json out;
  out["name"] = p.name;
  out["rule"] = o.rule;
  out["file_order_peak_bytes"] = in_file ? nlohmann::ordered_json(*in_file) : nlohmann::ordered_json();
  out["peak_bytes"] = r.peak_bytes;
  out["lower_bound_bytes"] = r.lower_bound_bytes;
  out["optimal"] = r.optimal;
  out["order"] = r.order;
  return out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string as_text(const plan::OrderProblem& p, const OrderOptions& o, const plan::OrderResult& r,
                    std::optional<std::int64_t> in_file) {
  std::string out = fmt::format("{}: {} operators, {}\n", p.name.empty() ? quote(o.subject) : quote(p.name),
                                grouped(static_cast<std::int64_t>(p.operators.size())), o.rule);
  if (in_file)
    out += fmt::format("  order of the file  {} bytes\n", grouped(*in_file));
  else
    out += "  order of the file  is none: operators read what later ones make\n";
  out += fmt::format("  best order         {} bytes, {}\n", grouped(r.peak_bytes),
                     r.optimal ? std::string("optimal: no order needs less")
                               : fmt::format("no order needs less than {}", grouped(r.lower_bound_bytes)));
  std::size_t names = 4;
  for (const auto& op : p.operators) names = std::max(names, std::min<std::size_t>(32, quote(op.name).size()));
  out += fmt::format("\n{:>5}  {:<{}}  {}\n", "#", "name", names, "type");
  for (const int i : r.order) {
    const auto& op = p.operators[static_cast<std::size_t>(i)];
    out += fmt::format("{:>5}  {:<{}}  {}\n", i, quote(op.name), names, quote(op.type));
  }
  return out;
}

/// The peak of the operators as the file lists them; none if that is no order.
std::optional<std::int64_t> peak_in_file(const plan::OrderProblem& p, plan::OrderRule rule) {
  std::vector<char> made(p.tensors.size(), 0);
  for (std::size_t t = 0; t < made.size(); ++t) made[t] = p.tensors[t].given;
  std::vector<int> order;
  for (const auto& op : p.operators) {
    for (const int t : op.inputs)
      if (!made[static_cast<std::size_t>(t)]) return {};
    for (const int t : op.outputs) made[static_cast<std::size_t>(t)] = 1;
    order.push_back(static_cast<int>(order.size()));
  }
  return plan::peak_of(p, rule, order);
}

int order(const OrderOptions& o) {
  Diagnostics d;
  const auto problem = load_problem(o, d);
  if (const int code = report(d); !problem || code) return code;
  const auto rule = o.rule == plan::name_of(plan::OrderRule::inplace_ew) ? plan::OrderRule::inplace_ew
                                                                         : plan::OrderRule::out_of_place;
  if (!o.model.model.empty()) return order_by_model(*problem, o.subject, o.model, o.limit, o.json);
  const auto in_file = peak_in_file(*problem, rule);
  plan::OrderEffort effort;
  effort.enough = o.limit;
  const auto result = plan::find_order(*problem, rule, effort);
  fmt::print("{}", o.json ? as_json(*problem, o, result, in_file) : as_text(*problem, o, result, in_file));
  if (o.limit < 0 || result.peak_bytes <= o.limit) return Exit::ok;
  return tell_limit(o.limit, result.peak_bytes, result.lower_bound_bytes);
}

}  // namespace

void add_order(CLI::App& app, Invocation& invocation) {
  auto options = std::make_shared<OrderOptions>();
  options->load.allow_float = true;
  options->load.keep_unsupported = true;
  auto* command = app.add_subcommand("order", "Find the order of operators that needs the least memory");
  command->add_option("network", options->subject, "network file or name, or a graph (.dag)")->required();
  command->add_option("--rule", options->rule, "may element-wise operators overwrite a dying input?")
      ->check(CLI::IsMember({plan::name_of(plan::OrderRule::out_of_place), plan::name_of(plan::OrderRule::inplace_ew)}))
      ->capture_default_str();
  command->add_option("--limit", options->limit, "stop at the first order that needs at most so many bytes")
      ->check(CLI::NonNegativeNumber);
  add_order_model_options(*command, options->model);
  command->add_flag("--json", options->json, "print JSON");
  add_network_options(*command, options->load);
  command->callback([options, command, &invocation] {
    const auto fault = fault_of_options(*command, options->model);
    if (!fault.empty()) fmt::print(stderr, "{}\n", fault);
    invocation.exit = fault.empty() ? order(*options) : Exit::usage;
  });
}

}  // namespace dse::cli
