// Brute force: every whole-network candidate of a case, one after the other, each through the full pipeline. It shares
// neither the layer searches nor the composition with the search that it judges: operators are walked in order, and for
// each every complete assignment of the registry is tried.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "explore/measure/measure.h"
#include "explore/question/allowed.h"
#include "plan/choices/choice.h"

namespace dse::explore {

/// All candidates of a case in a fixed order: that of the operators, then that of the registry's domains; the last
/// operator's last choice moves fastest. A candidate is a complete assignment of every operator's choices whose layers
/// are each feasible by themselves and inside the space's edges (docs/run/search.md); whether the whole fits is for
/// evaluate() to say.
class Candidates {
 public:
  /// Case and registry must outlive it.
  Candidates(const Case& c, const SweepSpec& spec,
             const plan::ChoiceRegistry& registry = plan::ChoiceRegistry::standard());
  /// Number of candidates; exact up to 2^53.
  double count() const;
  /// The candidate at the cursor, per operator of the network, and moves on. False at the end.
  bool next(std::vector<plan::LayerChoice>& choices);
  /// Moves the cursor to candidate `number` (0 = first); beyond the last: to the end.
  void seek(std::int64_t number);
  /// Number of the candidate that next() returns.
  std::int64_t position() const { return position_; }

 private:
  /// Homes of the tensors (by root) that are alive between two layers.
  using State = std::vector<std::pair<int, plan::Placement>>;
  struct Options {
    std::vector<plan::LayerChoice> choices;
  };
  struct Level {
    State before;
    const Options* options;
    std::size_t at;
  };
  plan::LayerContext context_at(std::size_t level, const State& before) const;
  const Options& options(std::size_t level, const State& before) const;
  State after(std::size_t level, const State& before, const plan::LayerChoice& choice) const;
  double count_from(std::size_t level, const State& before) const;
  bool inside(const plan::LayerContext& context, const plan::LayerChoice& choice) const;
  void advance();

  const Case* case_;
  plan::ChoiceRegistry registry_;
  std::vector<Allowed> allowed_;           // per operator
  std::vector<int> layers_, root_, last_;  // operators in order; per tensor: root, last section that reads it
  State start_;
  std::vector<Level> levels_;
  std::int64_t position_ = 0;
  bool ended_ = false;
  mutable std::map<std::string, Options> cache_;
  mutable std::map<std::string, double> counts_;
};

}  // namespace dse::explore
