// Brute force: every whole-network candidate of a case, one after the other, each through the full pipeline. It shares
// neither the layer searches nor the composition with the search that it judges: operators are walked in every order
// that is allowed, and for each every complete assignment of the registry is tried.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "explore/measure/measure.h"
#include "explore/question/allowed.h"
#include "explore/question/goal.h"
#include "explore/space/orders.h"
#include "plan/choices/choice.h"
#include "plan/plan.h"

namespace dse::explore {

/// All candidates of a case in a fixed order: which operator runs next, by the file, then that of the registry's
/// domains; the last operator's last choice moves fastest. A candidate is an order and a complete assignment of every
/// operator's choices whose layers are each feasible by themselves and inside the space's edges (docs/run/search.md);
/// whether the whole fits is for evaluate() to say.
class Candidates {
 public:
  /// Case and registry must outlive it.
  Candidates(const Case& c, const SweepSpec& spec,
             const plan::ChoiceRegistry& registry = plan::ChoiceRegistry::standard());
  /// Number of candidates; exact up to 2^53.
  double count() const;
  /// The candidate at the cursor, and moves on. False at the end.
  bool next(plan::Decisions& decided);
  /// Moves the cursor to candidate `number` (0 = first); beyond the last: to the end.
  void seek(std::int64_t number);
  /// Number of the candidate that next() returns.
  std::int64_t position() const { return position_; }

 private:
  /// Between two layers: what has run, and the homes of the tensors (by root) that are alive.
  struct State {
    std::vector<char> executed;  // per operator
    int line = -1;               // of listed orders
    int last = -1;               // the layer that has run last
    std::vector<std::pair<int, plan::Placement>> homes;
  };
  /// A layer that may run next, and how.
  struct Move {
    int op, line;
    const std::vector<plan::LayerChoice>* choices;
  };
  struct Level {
    State before;
    std::vector<Move> moves;
    std::size_t move, at;
    const plan::LayerChoice& choice() const { return (*moves[move].choices)[at]; }
    /// To the next choice, or the next move's first. False: there is none.
    bool turn();
  };
  plan::LayerContext context_of(int op, const State& before) const;
  const std::vector<plan::LayerChoice>& choices_of(int op, const State& before) const;
  std::vector<Move> moves(const State& before) const;
  Level level_at(const State& before) const;
  State after(const State& before, const Move& move, const plan::LayerChoice& choice) const;
  State after(const Level& level) const { return after(level.before, level.moves[level.move], level.choice()); }
  double count_from(const State& before) const;
  /// Those that a search of the layer looks at, of each home of its output.
  std::vector<plan::LayerChoice> looked_at(int op, const plan::LayerContext& context,
                                           const std::vector<plan::LayerChoice>& all) const;
  bool may_run(int op, const State& before) const;
  void advance();

  const Case* case_;
  plan::ChoiceRegistry registry_;
  Goal goal_;
  std::int64_t max_calls_;
  Orders orders_;
  std::vector<Allowed> allowed_;              // per operator
  std::vector<int> layers_, root_;            // operators in the file's order; per tensor: root
  std::vector<std::vector<int>> readers_;     // per root tensor: layers
  std::vector<std::vector<int>> run_before_;  // per operator
  State start_;
  std::vector<Level> levels_;
  std::int64_t position_ = 0;
  bool ended_ = false;
  mutable std::map<std::string, std::vector<plan::LayerChoice>> cache_;
  mutable std::map<std::string, double> counts_;
};

}  // namespace dse::explore
