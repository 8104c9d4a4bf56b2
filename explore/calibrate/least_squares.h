// Constants that are never negative, from rows that are linear in them.
#pragma once
#include <vector>

namespace dse::explore {

/// measured = fixed + sum of per[k] * constants[k], as nearly as can be. What counts is the error in parts of
/// `measured`, which is above 0.
struct Observation {
  double measured = 1, fixed = 0;
  std::vector<double> per;  // one for each constant
  int group = 0;            // rows of one network are left out together
  bool counts = true;       // else it is predicted and nothing is fitted to it
};

struct Estimate {
  std::vector<double> constants;  // each >= 0
  /// Standard deviation of each in parts of itself, from the spread of the rows around what is predicted; 0 where it is
  /// 0 or no row tells it.
  std::vector<double> deviations;
  std::vector<bool> told;  // by some row; another constant is what it was before
};

/// Least squares under `constants >= 0` (Lawson and Hanson, Solving Least Squares Problems, 1974, chapter 23).
/// `before`: what constants are that no row tells. Where rows scatter, those that they tell badly stay near it: that a
/// constant doubles or vanishes counts as much as that a row is off by what rows are off (a normal prior of 100 %).
Estimate estimate(const std::vector<Observation>& rows, const std::vector<double>& before);

/// fixed + per * constants.
double predicted(const Observation& row, const std::vector<double>& constants);

/// Per row: (predicted - measured) / measured with constants from the rows of the other groups.
std::vector<double> errors_left_out(const std::vector<Observation>& rows, const std::vector<double>& before);

}  // namespace dse::explore
