#include "explore/ask/evaluate.h"

#include <fmt/format.h>

#include <algorithm>

#include "explore/ask/lenient.h"
#include "models/hw/device_reader.h"
#include "plan/check/check.h"
#include "plan/lower/lower.h"
#include "plan/make/make_plan.h"
#include "plan/npu/program/npu_plan.h"
#include "sim/metrics.h"
#include "sim/platform.h"

namespace dse::explore {

namespace {

/// More would only repeat themselves.
constexpr std::size_t kMaxErrors = 20;

std::vector<Diagnostic> errors_of(const Diagnostics& diags) {
  std::vector<Diagnostic> out;
  std::size_t more = 0;
  for (const auto& d : diags.list())
    if (d.severity == Severity::error && (out.size() < kMaxErrors || ++more == 0)) out.push_back(d);
  if (more > 0) out.push_back({Severity::error, {}, fmt::format("and {} more", more), ""});
  return out;
}

/// Schedules of an NPU, which stand for the choices of the layers on a device that has one. What is not said is as
/// Arm's compiler has it for performance. @returns what is wrong with the choices, or which of its plans cannot be.
std::variant<plan::Plan, plan::Infeasible, std::string> on_npu(const nn::NetworkPtr& network, const hw::Device& device,
                                                               plan::Assignment choices, bool lenient) {
  const auto npu = hw::ethos_u::npu_of(device);
  const auto read = [&](const std::vector<std::pair<std::string, std::string>>& named) {
    return plan::npu::decisions_of(*network, npu->npu, named);
  };
  if (lenient) std::erase_if(choices, [&](const auto& c) { return std::holds_alternative<std::string>(read({c})); });
  const auto decided = read({choices.begin(), choices.end()});
  if (const auto* wrong = std::get_if<std::string>(&decided)) return *wrong;
  auto made = plan::npu::npu_plan(network, device, std::get<plan::npu::Decisions>(decided));
  if (auto* why = std::get_if<plan::Infeasible>(&made)) return std::move(*why);
  return std::get<plan::Plan>(std::move(made));
}

}  // namespace

const char* name_of(Evaluation::Status s) {
  static const char* const names[] = {"ok", "infeasible", "invalid", "mismatch", "failed"};
  return names[static_cast<int>(s)];
}

Evaluator::Evaluator(nn::NetworkPtr network, std::string device_text, std::string device_file, EvaluatorOptions options,
                     plan::ChoiceRegistry registry)
    : network_(std::move(network)),
      device_text_(std::move(device_text)),
      device_file_(std::move(device_file)),
      options_(std::move(options)),
      registry_(std::move(registry)) {
  if (!options_.verify) return;
  inputs_ = nn::seeded_inputs(*network_, 0);
  auto values = nn::interpret(*network_, inputs_);
  for (const int t : network_->outputs) outputs_.push_back(values[static_cast<std::size_t>(t)]);
}

const Evaluator::Variant& Evaluator::variant(const std::map<std::string, std::string>& changed) {
  std::string key;  // lengths first, so that no value can look like another field
  for (const auto& [path, value] : changed) key += fmt::format("{}:{}={}:{},", path.size(), path, value.size(), value);
  const auto known = std::find_if(variants_.begin(), variants_.end(), [&](const Variant& v) { return v.key == key; });
  if (known != variants_.end()) {
    variants_.splice(variants_.begin(), variants_, known);
    return variants_.front();
  }
  auto overrides = options_.overrides;
  for (const auto& [path, value] : changed) overrides.push_back({path, value, {}});
  Diagnostics diags;
  Variant made{
      std::move(key), hw::read_device_text(device_text_, device_file_, overrides, diags), errors_of(diags), {}};
  if (made.device && options_.lenient) made.choices = plan::list_choices(*network_, *made.device, registry_);
  variants_.push_front(std::move(made));
  if (variants_.size() > std::max<std::size_t>(1, options_.devices)) variants_.pop_back();
  return variants_.front();
}

bool Evaluator::verified(const plan::Plan& plan, const hw::Device& device, const program::Program& program) {
  const auto constants = plan::constants_image(*network_, device, plan);
  sim::RunData data;
  data.constants = constants;
  for (const auto& i : inputs_) data.inputs.emplace_back(i);
  const auto run = sim::Platform::instance().run({sim::whole_program(program, device)},
                                                 {.data = true, .accounts = false, .trace = false}, {data});
  return !run.failure && run.outputs == outputs_;
}

void Evaluator::measure(const Variant& on, AssignmentLine& line, Evaluation& out) {
  using Status = Evaluation::Status;
  const auto& device = *on.device;
  std::variant<plan::Plan, plan::Infeasible, std::string> made;
  if (device.npu() >= 0) {
    made = on_npu(network_, device, line.choices, options_.lenient);
    if (const auto* wrong = std::get_if<std::string>(&made)) {
      out.status = Status::invalid, out.errors = {{Severity::error, {}, *wrong, ""}};
      return;
    }
  } else {
    if (options_.lenient) keep_applicable(*network_, device, registry_, on.choices, line.choices);
    Diagnostics diags;
    const auto decisions = plan::decisions_from(*network_, device, line.choices, registry_, "", diags);
    if (!decisions) {
      out.status = Status::invalid, out.errors = errors_of(diags);
      return;
    }
    std::visit([&](auto&& one) { made = std::forward<decltype(one)>(one); },
               plan::plan_of(*network_, device, *decisions));
  }
  if (const auto* why = std::get_if<plan::Infeasible>(&made)) {
    out.status = Status::infeasible, out.reason = why->what, out.hint = why->hint;
    return;
  }
  const auto& plan = std::get<plan::Plan>(made);
  out.plan = plan.id();
  if (plan.npu)
    for (auto& [name, value] : plan::npu::named(*plan.npu)) out.assignment[name] = std::move(value);
  else
    out.assignment = plan::to_assignment(*network_, device, plan, registry_);
  for (const auto& [path, value] : line.device) out.assignment["device." + path] = value;
  const auto program = plan::lower(*network_, device, plan);
  if (const auto findings = plan::check(program, device); !findings.empty()) {
    out.status = Status::failed, out.reason = plan::to_string(findings);
    return;
  }
  auto& platform = sim::Platform::instance();
  platform.configure(on.device);
  const auto run =
      platform.run({sim::whole_program(program, device)}, {.data = false, .accounts = false, .trace = false});
  if (run.failure) {
    out.status = Status::failed, out.reason = run.failure->what;
    return;
  }
  out.memory = plan::on_chip_memory(device, plan.heights);
  out.ticks = run.ticks;
  out.latency_us = static_cast<double>(run.ticks) * 1e6 / static_cast<double>(device.tick_hz());
  if (device.energy_known()) out.energy_uj = static_cast<double>(run.energy_fj) * 1e-9;
  out.traffic = sim::external_traffic(run, device);
  static const auto metrics = sim::MetricRegistry::standard();
  for (const auto& m : metrics.measure(run, program, device)) out.metrics.emplace_back(m.name, m.value);
  if (options_.verify && !verified(plan, device, program)) out.status = Status::mismatch;
}

Evaluation Evaluator::evaluate(const Line& line) {
  using Status = Evaluation::Status;
  Evaluation out;
  Diagnostics diags;
  AssignmentLine read;
  if (line.too_long) {
    diags.error({}, fmt::format("the line is longer than {} bytes", LineReader::kMaxLine));
  } else {
    read_assignment_line(line.text, read, diags);
  }
  out.id = read.id;
  if (diags.has_errors()) {
    out.status = Status::invalid, out.errors = errors_of(diags);
    return out;
  }
  const auto& on = variant(read.device);
  if (!on.device) {
    out.status = Status::invalid, out.errors = on.errors;
    return out;
  }
  try {
    measure(on, read, out);
  } catch (const InvariantError& e) {  // a session of hours does not end for one line
    out.status = Status::failed, out.reason = std::string("broken invariant: ") + e.what();
  }
  return out;
}

}  // namespace dse::explore
