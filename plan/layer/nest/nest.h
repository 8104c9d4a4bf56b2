// The loops of a tiled layer and how its operands come and go in them. One rule serves every order: an operand's load
// stands at the innermost loop that it varies with, and as many tiles ahead as it has further buffers.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace dse::plan {

/// How many tiles of each operand have room in the nearest memory: two of all, one, three, or two of some operands and
/// one of the others.
enum class Buffering {
  twice,
  once,
  thrice,
  input_twice,
  filters_twice,
  output_twice,
  input_once,
  filters_once,
  output_once
};

/// Buffers of each operand, 1 to 3.
struct Depths {
  int input = 1, filters = 1, output = 1;
  bool operator==(const Depths&) const = default;
};
Depths depths_of(Buffering buffering);
/// "double", "single", "triple", "double-input", ...
const std::vector<std::string>& buffering_names();

/// Filter sets, row tiles, steps over input channels.
enum class Loop : std::uint8_t { sets, rows, steps };

/// An operand that travels: the innermost loop that it varies with, an index into Nest::loops (-1: it comes once), and
/// its buffers there, at most one for each turn of the loop.
struct Stream {
  int loop = -1;
  int depth = 1;
  bool varies() const { return loop >= 0; }
};

struct Nest {
  std::vector<Loop> loops;  // outermost first, those with more than one turn
  Stream input;             // all of them
  Stream filters;
  int parameters = -1;  // the loop at whose turns the records of a set come, where they travel apart from filters
  Stream output;        // its loop: at the end of whose turns a tile is stored
  /// -1: it has one turn.
  int index(Loop loop) const;
};

}  // namespace dse::plan
