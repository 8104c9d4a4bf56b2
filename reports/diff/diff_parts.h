// The parts of a comparison of points, one per file. Internal to reports/diff*.cpp.
#pragma once
#include "reports/diff/point_diff.h"
#include "reports/words/document.h"

namespace dse::reports::parts {

/// Which layers are the same: by the graphs of both networks where both fronts have them, else by name.
class LayerNames {
 public:
  LayerNames(const RecordedPoint& a, const RecordedPoint& b);
  /// The point with one name for each layer of both: "conv0", "conv0 -> conv1" where the sides call it differently,
  /// "conv0 (A)" where a layer of one side only is called as another is.
  RecordedPoint in_common(const RecordedPoint& m, bool is_a) const;
  /// A layer's own names, by that name.
  std::pair<std::string, std::string> own(const std::string& common) const;

 private:
  std::map<std::string, std::string> common_a_, common_b_;
  std::map<std::string, std::pair<std::string, std::string>> own_;
};

/// Rows of both accounts, matched by name (the nth of a name with the nth); choices that differ beside them.
void diff_layers(const RecordedPoint& a, const RecordedPoint& b, PointDiff& out);

/// Memories, matched by name: arenas, loads at the peak by buffer, traffic, energy.
void diff_memories(const RecordedPoint& a, const RecordedPoint& b, PointDiff& out);

/// What a row of an account takes energy for, of one side.
void add_energy(const RecordedPoint& m, std::size_t row, std::int64_t Pair::*side, LayerDiff& out);

/// By cause, where a side takes it apart; leakage by itself.
void diff_energy(const RecordedPoint& a, const RecordedPoint& b, PointDiff& out);

/// Where energy moved: by memory, or by cause and layer.
void describe_energy(const PointDiff& d, Document& out);

/// @throws RecordError unless every table adds up to its total, on both sides.
void check_sums(const PointDiff& d);

/// Keeps the order of `a`, with those only in `b` after the neighbour that they follow there.
std::vector<std::string> merged(const std::vector<std::string>& a, const std::vector<std::string>& b);

}  // namespace dse::reports::parts
