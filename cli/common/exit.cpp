#include "cli/common/exit.h"

#include <algorithm>
#include <functional>

namespace dse::cli {
namespace {

bool out_of_memory(const explore::Sweep& sweep) {
  return std::any_of(sweep.fronts.begin(), sweep.fronts.end(), std::mem_fn(&explore::Front::out_of_memory));
}

bool undecided(const explore::Sweep& sweep) {
  return std::any_of(sweep.fronts.begin(), sweep.fronts.end(), std::mem_fn(&explore::Front::undecided));
}

}  // namespace

bool has_points(const explore::Sweep& sweep) {
  return std::any_of(sweep.fronts.begin(), sweep.fronts.end(), [](const auto& f) { return !f.points.empty(); });
}

const char* why_no_points(const explore::Sweep& sweep) {
  if (out_of_memory(sweep)) return "out of memory before a plan was found";
  return undecided(sweep) ? "the budget was used up before a plan was found" : "no feasible plan";
}

int exit_of_run(const explore::Sweep& sweep, bool interrupted) {
  if (interrupted) return Exit::interrupted;
  const bool defects = std::any_of(sweep.fronts.begin(), sweep.fronts.end(), [](const auto& f) {
    return std::any_of(f.left_out.begin(), f.left_out.end(), std::mem_fn(&explore::LeftOut::is_defect));
  });
  if (defects) return Exit::mismatch;
  if (has_points(sweep)) return Exit::ok;
  if (out_of_memory(sweep)) return Exit::other_failure;
  return undecided(sweep) ? Exit::limit_exceeded : Exit::no_feasible_plan;
}

}  // namespace dse::cli
