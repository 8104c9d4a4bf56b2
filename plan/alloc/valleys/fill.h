// The exact search for problems that leave little room: valleys of the skyline are filled from below.
#pragma once
#include <memory>

#include "plan/alloc/search.h"
#include "plan/alloc/valleys/blocks.h"

namespace dse::plan::alloc {

/// Looks for a layout of at most `height` bytes, as Search does, among layouts in which every block rests on another
/// one or on the bottom.
///
/// The line above what has been placed has valleys, level stretches between higher sides. Where nothing can be spared,
/// the ground of each is covered from side to side by blocks that begin and end within it. The search goes on at the
/// section where the fewest blocks can lie on the ground; that there lies none is one more possibility, where that can
/// be spared. A branch is left
///  * when the blocks that begin and end within a valley do not fill it up to its sides,
///  * when no row of them covers its ground,
///  * when the same open blocks above the same line have failed before.
/// What a failure depends on is kept, in sections: a placement elsewhere is not changed for it, but one there. Sections
/// in which much has failed come first, and where no open block goes across a border, both sides are searched apart.
class Fill {
 public:
  /// `blocks`: all active buffers, the ones to try first in front. `certain`: they lie together as they do in the
  /// blocks in some layout of at most this height, if there is one at all. The model must outlive the search. Memory:
  /// up to 12 MiB for what has failed.
  Fill(const Model& model, std::vector<Block> blocks, bool certain, std::int64_t height);
  ~Fill();
  Fill(Fill&&) noexcept;

  /// As Search::run, but `none` becomes `unknown` where the blocks are not certain.
  Answer run(std::int64_t nodes, Budget& budget);
  /// Whether a run without an answer has tried everything.
  bool exhausted() const;
  /// What was found.
  Placement result() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

/// Several of them, with blocks and orders that differ; none for models that a skyline does not suit.
std::vector<Fill> fills_of(const Model& model, std::int64_t height);

}  // namespace dse::plan::alloc
