// The search over boxes of caps that a composition consists of.
#pragma once
#include <memory>

#include "explore/compose/composition.h"
#include "explore/compose/labels/label_solver.h"

namespace dse::explore {

class BoxSearch {
 public:
  BoxSearch(const Space& space, const std::vector<LayerFront>& layers, const SectionGraph& graph, const Goal& goal,
            const CompositionOptions& options);
  /// Without a reason where no plan keeps the limits although each layer by itself does.
  CompositionFront run();

 private:
  using Ways = std::vector<LabelSolver::Found>;
  /// Indices into caps_, both ends included.
  struct Box {
    std::array<int, kMaxCaps> low{}, high{};
    std::shared_ptr<const Ways> ways;  // found at the upper corner of this box, or of one around it
    bool solved = false;               // of this box
  };

  void set_problem();
  void set_ranges(Box& all) const;
  void warm_up();
  void search_few();
  void look_again();
  void search();
  bool solve(Box& box);
  void accept(std::size_t index);
  const Incumbents& judges() const { return tolerant_ ? judges_ : incumbents_; }
  void tolerate();
  std::vector<Incumbent> thinned() const;
  bool open(const LabelSolver::Found& way, const MemoryVector& low) const;
  bool all_closed(const Ways& ways, const MemoryVector& low) const;
  void cut(const Box& box);
  MemoryVector corner(const std::array<int, kMaxCaps>& at) const;
  bool stopped() const;
  std::int64_t steps() const { return result_.boxes * options_ + solver_->steps(); }
  void give_up(const Box& box);
  void leave(std::vector<std::int64_t> values);
  Composition composition(const Incumbent& incumbent) const;
  void note_beaten(const std::vector<std::int64_t>& values);

  const Space& space_;
  const std::vector<LayerFront>& layers_;
  const SectionGraph& graph_;
  const Goal& goal_;
  const CompositionOptions& asked_;
  Problem problem_;
  std::vector<std::vector<std::int64_t>> caps_;  // per on-chip memory: every value that a section's need can take
  std::unique_ptr<LabelSolver> solver_;
  std::int64_t held_ = 0;  // ways of boxes
  std::vector<Box> queue_;
  std::size_t box_limit_ = 0;     // 0: none
  std::int64_t options_ = 0;      // of all edges
  std::int64_t first_box_ = 0;    // of the search that is under way
  Incumbents incumbents_, left_;  // left_: least values of what was not searched
  Incumbents judges_;             // incumbents with less of everything, once the search is tolerant
  bool bounded_ = true, plain_ = false, tolerant_ = false;
  mutable bool ended_ = false;  // the deadline, or too many steps, have ended a search
  CompositionFront result_;
};

}  // namespace dse::explore
