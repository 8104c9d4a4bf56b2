#include "explore/calibrate/calibrate.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <set>

#include "explore/calibrate/least_squares.h"
#include "explore/measure/point.h"
#include "models/hw/device_reader.h"
#include "plan/rules/cluster_plan.h"
#include "plan/rules/rules.h"
#include "sim/platform.h"

namespace dse::explore {
namespace {

/// A fit of constants that enter times as a sum is found at once; others (what waits for what) after a few more.
constexpr int kRounds = 4;

class Fitting {
 public:
  Fitting(const std::string& text, const std::string& file, const std::vector<MeasuredRow>& rows,
          std::vector<DeviceNumber> numbers, Diagnostics& diagnostics)
      : text_(text), file_(file), rows_(rows), numbers_(std::move(numbers)), diagnostics_(diagnostics) {}

  std::optional<Calibration> run() {
    std::vector<double> start;
    for (const auto& n : numbers_) start.push_back(n.divides ? 1 / n.value : n.value);
    const auto before = predict(start);
    if (!before) return std::nullopt;
    auto at = start, here = *before;
    Estimate fitted;
    std::vector<Observation> observations;
    for (int round = 0; round < kRounds; ++round) {
      auto linear = linearised(at, here);
      if (!linear) return std::nullopt;
      observations = std::move(*linear);
      fitted = estimate(observations, at);
      auto next = fitted.constants;
      for (std::size_t k = 0; k < next.size(); ++k)
        if (numbers_[k].divides) next[k] = std::clamp(next[k], 1 / numbers_[k].most, 1000.0);
      double moved = 0;
      for (std::size_t k = 0; k < next.size(); ++k)
        moved = std::max(moved, std::abs(next[k] - at[k]) / std::max(1e-9, std::abs(next[k]) + std::abs(at[k])));
      at = next;
      auto there = predict(at);
      if (!there) return std::nullopt;
      here = std::move(*there);
      if (moved < 1e-4) break;
    }
    return result(start, *before, at, here, fitted, observations);
  }

 private:
  std::string text_of(const std::vector<double>& constants) const {
    std::vector<double> values;
    for (std::size_t k = 0; k < constants.size(); ++k)
      values.push_back(numbers_[k].divides ? 1 / constants[k] : constants[k]);
    return with_numbers(text_, numbers_, values);
  }

  /// Cycles of every row with these constants. Nothing after an error.
  std::optional<std::vector<double>> predict(const std::vector<double>& constants) {
    Diagnostics own;
    const auto device = hw::read_device_text(text_of(constants), file_, {}, own);
    if (!device) {
      for (const auto& d : own.list()) diagnostics_.add(d);
      return std::nullopt;
    }
    std::map<int, std::vector<double>> by_group;  // of all, then of each operator
    std::vector<double> out;
    for (const auto& row : rows_) {
      auto [it, fresh] = by_group.try_emplace(row.group);
      if (fresh) {
        auto cycles = simulated(row, device);
        if (!cycles) return std::nullopt;
        it->second = std::move(*cycles);
      }
      out.push_back(it->second[static_cast<std::size_t>(row.op + 1)]);
    }
    return out;
  }

  std::optional<std::vector<double>> simulated(const MeasuredRow& row, const hw::DevicePtr& device) {
    const auto& engine = device->engines[static_cast<std::size_t>(device->compute_engine())];
    auto made = engine.kind == hw::EngineKind::cpu ? plan::tflm_plan(*row.network, *device)
                : !engine.cycles_per_count.empty() ? plan::cluster_plan(*row.network, *device)
                                                   : plan::rule_based_plan(*row.network, *device, true);
    if (const auto* no = std::get_if<plan::Infeasible>(&made)) {
      diagnostics_.error({file_, 0, 0}, fmt::format("{} does not run on this device: {}", row.network->name, no->what));
      return std::nullopt;
    }
    Case c;
    c.network = row.network, c.device = device;
    const auto program = lower(c, std::get<plan::Plan>(made));
    auto& platform = sim::Platform::instance();
    platform.configure(device);
    const auto run =
        platform.run({sim::whole_program(program, *device)}, {.data = false, .accounts = true, .trace = false});
    ensure(!run.failure, "a plan by rule fails on the simulated device");
    const double clock = static_cast<double>(engine.clock_hz > 0 ? engine.clock_hz : device->clock_hz);
    const double unit = clock / static_cast<double>(device->tick_hz());
    std::vector<double> out(row.network->operators.size() + 1, 0);
    out[0] = unit * static_cast<double>(run.ticks);
    for (const auto& layer : run.layers)
      out[static_cast<std::size_t>(layer.layer + 1)] += unit * static_cast<double>(layer.total());
    return out;
  }

  /// The rows as sums of constants, around these.
  std::optional<std::vector<Observation>> linearised(const std::vector<double>& at, const std::vector<double>& here) {
    std::vector<Observation> out;
    for (std::size_t i = 0; i < rows_.size(); ++i) out.push_back({rows_[i].cycles, here[i], {}, rows_[i].group});
    for (std::size_t k = 0; k < at.size(); ++k) {
      auto beside = at;
      const double step = numbers_[k].whole ? std::max(16.0, std::round(at[k])) : at[k] > 0 ? at[k] : 1;
      beside[k] += step;
      const auto there = predict(beside);
      if (!there) return std::nullopt;
      for (std::size_t i = 0; i < rows_.size(); ++i) {
        const double slope = ((*there)[i] - here[i]) / step;
        out[i].per.push_back(slope), out[i].fixed -= slope * at[k];
      }
    }
    return out;
  }

  Calibration result(const std::vector<double>& start, const std::vector<double>& before, const std::vector<double>& at,
                     const std::vector<double>& here, const Estimate& fitted,
                     const std::vector<Observation>& observations) const {
    Calibration out;
    out.text = text_of(at);
    for (std::size_t k = 0; k < at.size(); ++k)
      out.constants.push_back(
          {numbers_[k], numbers_[k].divides ? 1 / at[k] : at[k], fitted.deviations[k], fitted.told[k]});
    std::set<int> groups;
    for (const auto& row : rows_) groups.insert(row.group);
    const auto errors = groups.size() > 1 ? errors_left_out(observations, start) : std::vector<double>(rows_.size(), 0);
    double squares = 0;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      out.rows.push_back({rows_[i].label, rows_[i].cycles, before[i], here[i], errors[i]});
      squares += errors[i] * errors[i];
    }
    if (groups.size() < 2) return out;
    out.error = std::sqrt(squares / static_cast<double>(rows_.size()));
    out.text = with_timing_error(out.text, file_, out.error);
    return out;
  }

  const std::string& text_;
  const std::string& file_;
  const std::vector<MeasuredRow>& rows_;
  const std::vector<DeviceNumber> numbers_;
  Diagnostics& diagnostics_;
};

}  // namespace

std::optional<Calibration> calibrate(const std::string& text, const std::string& file,
                                     const std::vector<MeasuredRow>& rows, std::vector<std::string> paths,
                                     Diagnostics& diagnostics) {
  const auto device = hw::read_device_text(text, file, {}, diagnostics);
  if (!device) return std::nullopt;
  if (paths.empty())
    paths = rates_of(text, file, device->engines[static_cast<std::size_t>(device->compute_engine())].name);
  if (paths.empty()) {
    diagnostics.error({file, 0, 0}, "has no table of rates to calibrate", "name the fields with --fit");
    return std::nullopt;
  }
  if (3 * paths.size() > rows.size()) {
    diagnostics.error({file, 0, 0},
                      fmt::format("{} constants would be fitted to {} rows: at most a third of the rows, or the fit "
                                  "meets them all and predicts none",
                                  paths.size(), rows.size()),
                      "name fewer with --fit, or measure more");
    return std::nullopt;
  }
  auto numbers = find_numbers(text, file, paths, diagnostics);
  return numbers ? Fitting(text, file, rows, std::move(*numbers), diagnostics).run() : std::nullopt;
}

}  // namespace dse::explore
