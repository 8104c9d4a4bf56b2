#include "explore/calibrate/calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "explore/calibrate/least_squares.h"
#include "explore/measure/point.h"
#include "models/hw/clocking.h"
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
  /// `constants`: of each board, the same paths; the first `shared` of them are the same for all boards.
  Fitting(const std::vector<CalibrationBoard>& boards, std::vector<std::vector<DeviceConstant>> constants,
          std::size_t shared, Diagnostics& diagnostics)
      : boards_(boards), constants_(std::move(constants)), diagnostics_(diagnostics) {
    for (std::size_t b = 0; b < boards.size(); ++b) {
      slots_.emplace_back();
      for (std::size_t k = 0; k < constants_[b].size(); ++k) {
        const bool own = b == 0 || k >= shared;
        slots_[b].push_back(own ? unknowns_.size() : slots_[0][k]);
        if (own) unknowns_.push_back({&constants_[b][k], k < shared ? -1 : static_cast<int>(b)});
      }
    }
    std::map<std::string, int> groups;
    for (std::size_t b = 0; b < boards.size(); ++b)
      for (const auto& row : boards[b].rows) {
        rows_.push_back({&row, b, groups.emplace(row.about, static_cast<int>(groups.size())).first->second});
        several_ = several_ || rows_.back().group > 0;
      }
  }

  std::optional<Calibration> run() {
    std::vector<double> start;
    for (const auto& [c, board] : unknowns_) start.push_back(c->divides() ? 1 / c->first() : c->first());
    const auto before = predict(start);
    if (!before) return std::nullopt;
    auto at = start, here = *before;
    Estimate fitted;
    std::vector<Observation> observations;
    for (int round = 0; round < kRounds; ++round) {
      auto linear = linearised(at, here);
      if (!linear) return std::nullopt;
      observations = std::move(*linear);
      fitted = estimate(observations, start);
      auto next = fitted.constants;
      for (std::size_t k = 0; k < next.size(); ++k)
        if (unknown(k).divides()) next[k] = std::clamp(next[k], least(unknown(k)), 1000.0);
      double moved = 0;
      for (std::size_t k = 0; k < next.size(); ++k)
        moved = std::max(moved, std::abs(next[k] - at[k]) / std::max(1e-9, std::abs(next[k]) + std::abs(at[k])));
      at = next;
      auto there = predict(at);
      if (!there) return std::nullopt;
      here = std::move(*there);
      if (moved < 1e-4) break;
    }
    Calibration out;
    for (std::size_t k = 0; k < at.size(); ++k)
      out.constants.push_back({unknown(k), unknowns_[k].second, unknown(k).divides() ? 1 / at[k] : at[k],
                               fitted.deviations[k], fitted.told[k]});
    add_rows(*before, here, several_ ? errors_left_out(observations, start) : std::vector<double>(rows_.size(), 0),
             out);
    if (several_) out.error = error_of(out, -1);
    for (std::size_t b = 0; b < boards_.size(); ++b) {
      out.texts.push_back(text_of(b, at));
      if (several_ && !boards_[b].rows.empty())
        out.texts[b] = with_timing_error(out.texts[b], boards_[b].file, error_of(out, static_cast<int>(b)));
    }
    return out;
  }

  /// With constants as they are.
  std::optional<Calibration> as_it_is() {
    const auto here = predict({});
    if (!here) return std::nullopt;
    std::vector<double> errors;
    for (std::size_t i = 0; i < rows_.size(); ++i)
      errors.push_back(((*here)[i] - rows_[i].row->cycles) / rows_[i].row->cycles);
    Calibration out;
    add_rows(*here, *here, errors, out);
    out.error = error_of(out, -1);
    for (const auto& board : boards_) out.texts.push_back(board.text);
    return out;
  }

 private:
  struct Row {
    const MeasuredRow* row;
    std::size_t board;
    int group;
  };

  /// What a network takes, of the clock of the engine that computes.
  struct Cycles {
    double layers = 0, inference = 0;  // all layers; with what an inference takes beside them
    std::vector<double> operators;

    double of(const MeasuredRow& row) const {
      if (row.op >= 0) return operators[static_cast<std::size_t>(row.op)];
      return row.whole ? inference : layers;
    }
  };

  const DeviceConstant& unknown(std::size_t k) const { return *unknowns_[k].first; }
  static double least(const DeviceConstant& c) { return c.factor ? 0.001 : 1 / c.numbers.front().most; }

  std::string text_of(std::size_t board, const std::vector<double>& constants) const {
    std::vector<double> values;
    for (std::size_t k = 0; k < constants_[board].size(); ++k) {
      const double value = constants[slots_[board][k]];
      values.push_back(constants_[board][k].divides() ? 1 / value : value);
    }
    return with_constants(boards_[board].text, constants_[board], values);
  }

  /// Cycles of every row with these constants. Nothing after an error.
  std::optional<std::vector<double>> predict(const std::vector<double>& constants) {
    std::vector<hw::DevicePtr> devices;
    for (std::size_t b = 0; b < boards_.size(); ++b) {
      Diagnostics own;
      devices.push_back(hw::read_device_text(text_of(b, constants), boards_[b].file, boards_[b].set, own));
      if (devices.back()) continue;
      for (const auto& d : own.list()) diagnostics_.add(d);
      return std::nullopt;
    }
    std::map<std::pair<std::size_t, const nn::Network*>, Cycles> known;
    std::vector<double> out;
    for (const auto& row : rows_) {
      auto [it, fresh] = known.try_emplace({row.board, row.row->network.get()});
      if (fresh) {
        auto cycles = simulated(row, devices[row.board]);
        if (!cycles) return std::nullopt;
        it->second = std::move(*cycles);
      }
      out.push_back(it->second.of(*row.row));
    }
    return out;
  }

  std::optional<Cycles> simulated(const Row& of, const hw::DevicePtr& device) {
    const auto& network = of.row->network;
    const auto& engine = device->engines[static_cast<std::size_t>(device->compute_engine())];
    auto made = engine.kind == hw::EngineKind::cpu ? plan::tflm_plan(*network, *device)
                : !engine.cycles_per_count.empty()
                    ? plan::cluster_plan(*network, *device, plan::shared::Input::released, boards_[of.board].buffers)
                    : plan::rule_based_plan(*network, *device, true);
    if (const auto* no = std::get_if<plan::Infeasible>(&made)) {
      diagnostics_.error({boards_[of.board].file, 0, 0},
                         fmt::format("{} does not run on this device: {}", network->name, no->what));
      return std::nullopt;
    }
    Case c;
    c.network = network, c.device = device;
    const auto program = lower(c, std::get<plan::Plan>(made));
    auto& platform = sim::Platform::instance();
    platform.configure(device);
    const auto run =
        platform.run({sim::program_part(program, *device)}, {.data = false, .accounts = true, .trace = false});
    ensure(!run.failure, "a plan by rule fails on the simulated device");
    const hw::Clock clock(*device, engine.clock_hz);
    const double unit = static_cast<double>(clock.hz) / static_cast<double>(clock.tick_hz);
    Cycles out;
    out.layers = unit * static_cast<double>(run.ticks);
    out.inference = out.layers + unit * static_cast<double>(sim::start_ticks(*device));
    out.operators.resize(network->operators.size());
    for (const auto& layer : run.layers)
      out.operators[static_cast<std::size_t>(layer.layer)] += unit * static_cast<double>(layer.total());
    return out;
  }

  /// The rows as sums of constants, around these.
  std::optional<std::vector<Observation>> linearised(const std::vector<double>& at, const std::vector<double>& here) {
    std::vector<Observation> out;
    for (std::size_t i = 0; i < rows_.size(); ++i)
      out.push_back({rows_[i].row->cycles, here[i], {}, rows_[i].group, boards_[rows_[i].board].counts});
    for (std::size_t k = 0; k < at.size(); ++k) {
      auto beside = at;
      const bool whole = !unknown(k).factor && unknown(k).numbers.front().whole;
      const double step = whole ? std::max(16.0, std::round(at[k])) : at[k] > 0 ? at[k] : 1;
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

  void add_rows(const std::vector<double>& before, const std::vector<double>& here, const std::vector<double>& errors,
                Calibration& out) const {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const auto& row = *rows_[i].row;
      out.rows.push_back({row.label, row.about, rows_[i].board, row.whole, row.cycles, before[i], here[i], errors[i]});
    }
  }

  /// Root of the mean square over the rows of a board; -1: of all.
  static double error_of(const Calibration& c, int board) {
    double squares = 0, rows = 0;
    for (const auto& row : c.rows)
      if (board < 0 || row.board == static_cast<std::size_t>(board)) squares += row.left_out * row.left_out, ++rows;
    return std::sqrt(squares / std::max(1.0, rows));
  }

  const std::vector<CalibrationBoard>& boards_;
  const std::vector<std::vector<DeviceConstant>> constants_;     // of each board
  std::vector<std::pair<const DeviceConstant*, int>> unknowns_;  // what is fitted, and whose it is (-1: of all)
  std::vector<std::vector<std::size_t>> slots_;                  // of each board's constants: which unknown
  Diagnostics& diagnostics_;
  std::vector<Row> rows_;
  bool several_ = false;  // networks
};

bool readable(const std::vector<CalibrationBoard>& boards, Diagnostics& diagnostics) {
  return std::all_of(boards.begin(), boards.end(), [&](const auto& board) {
    return hw::read_device_text(board.text, board.file, board.set, diagnostics) != nullptr;
  });
}

}  // namespace

std::optional<Calibration> calibrate(const std::vector<CalibrationBoard>& boards, FittedPaths paths,
                                     Diagnostics& diagnostics) {
  if (!readable(boards, diagnostics)) return std::nullopt;
  const auto& first = boards.front();
  if (paths.shared.empty() && paths.each.empty()) {
    const auto device = hw::read_device_text(first.text, first.file, first.set, diagnostics);
    const auto& engine = device->engines[static_cast<std::size_t>(device->compute_engine())];
    paths.shared = rates_of(first.text, first.file, engine.name);
  }
  auto all = paths.shared;
  all.insert(all.end(), paths.each.begin(), paths.each.end());
  if (all.empty()) {
    diagnostics.error({first.file, 0, 0}, "has no table of rates to calibrate", "name the fields with --fit");
    return std::nullopt;
  }
  std::size_t rows = 0;
  for (const auto& board : boards) rows += board.counts ? board.rows.size() : 0;
  const auto constants = paths.shared.size() + paths.each.size() * boards.size();
  if (3 * constants > rows) {
    diagnostics.error({first.file, 0, 0},
                      fmt::format("{} constants would be fitted to {} rows: at most a third of the rows, or the fit "
                                  "meets them all and predicts none",
                                  constants, rows),
                      "name fewer with --fit, a whole table to fit it by one factor, or measure more");
    return std::nullopt;
  }
  std::vector<std::vector<DeviceConstant>> found;
  for (const auto& board : boards) {
    auto here = find_constants(board.text, board.file, all, diagnostics);
    if (!here) return std::nullopt;
    found.push_back(std::move(*here));
  }
  return Fitting(boards, std::move(found), paths.shared.size(), diagnostics).run();
}

std::optional<Calibration> predict(const std::vector<CalibrationBoard>& boards, Diagnostics& diagnostics) {
  if (!readable(boards, diagnostics)) return std::nullopt;
  return Fitting(boards, std::vector<std::vector<DeviceConstant>>(boards.size()), 0, diagnostics).as_it_is();
}

}  // namespace dse::explore
