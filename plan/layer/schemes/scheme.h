// A tiling scheme: which layers it tiles, the tiles worth trying and what it makes of a layer's geometry. The loops are
// those of the nest (plan/layer/nest).
// docs/how/schemes.md draws each. A new one: a value of `Scheme` (plan/layer/layer.h), a file here, its place in
// schemes.cpp.
#pragma once
#include <string>
#include <vector>

#include "plan/layer/layer.h"

namespace dse::plan {

struct TilingScheme {
  const char* name;  // of the choice `scheme`
  const char* doc;
  const char* rows;  // what `tile` counts: "rows", "pixels"
  /// It is worth trying for a layer, some operand of which is moved, with its output placed. What these are asked for
  /// are layers that the schemes tile.
  bool (*suits)(const LayerContext&, const LayerChoice&);
  /// Values worth trying of the choices `tile` (an activation is moved), `filters` (some operand is) and `channels`; 0
  /// is all, the first value is the default.
  std::vector<int> (*tiles)(const LayerContext&);
  std::vector<int> (*filters)(const LayerContext&);
  std::vector<int> (*channels)(const LayerContext&);
  /// What it changes of the geometry before tiles are counted: the image, the layout of tiles, steps over input
  /// channels. @returns what is in the way, in words; empty when nothing is.
  std::string (*prepare)(LayerGeometry&, const LayerContext&, const LayerChoice&);
};

const TilingScheme& interleaved_scheme();
const TilingScheme& planar_scheme();
const TilingScheme& pixel_block_scheme();

/// By the value of `Scheme`.
const std::vector<const TilingScheme*>& schemes();
inline const TilingScheme& scheme_of(Scheme s) { return *schemes().at(static_cast<std::size_t>(s)); }

// What several schemes share.

/// 0 (all) first, then for each number of pieces the smallest size that makes so many, in descending order: about twice
/// the root of `all` sizes. A larger one with as many pieces takes no fewer bytes for as many calls; what it may save
/// is part of the last one (docs/run/search.md).
std::vector<int> piece_sizes(int all);
/// Filter sets of convolutions and fully connected layers.
std::vector<int> filter_sizes(const LayerContext& context);
/// `chosen`, but 0 is all and more than all is all.
inline int pick(int chosen, int all) { return chosen <= 0 || chosen > all ? all : chosen; }

}  // namespace dse::plan
