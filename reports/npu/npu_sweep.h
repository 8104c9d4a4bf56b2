// What `dse npu` says of several networks, accelerators and limits of SRAM: a table, JSON, and a page.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "explore/npu/sweep.h"

namespace dse::reports {

/// A line per cell and limit: the fastest schedule that fits.
std::string npu_sweep_text(const explore::npu::SweepAxes& axes, const std::vector<explore::npu::SweepCell>& cells);

/// `arenas`, `parts` and `causes`, the keys of `time` in order, and `cells`: each with its `points` as npu_json() has
/// them and `fits`, positions in `points` by arena (-1: nothing fits).
nlohmann::ordered_json npu_sweep_json(const explore::npu::SweepAxes& axes,
                                      const std::vector<explore::npu::SweepCell>& cells);

/// The page, UTF-8: style, scripts, D3 and data in one file that opens without a network.
std::string npu_page(const explore::npu::SweepAxes& axes, const std::vector<explore::npu::SweepCell>& cells);

}  // namespace dse::reports
