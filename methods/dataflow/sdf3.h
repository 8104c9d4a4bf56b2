// SDF3's XML files of cyclo-static dataflow graphs (`<sdf3 type="csdf">`).
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/diagnostics.h"
#include "methods/dataflow/csdf.h"

namespace dse::plan::phases {

/// The graph as SDF3 reads it: ports with rates in its shorthand (`3*32,0`), channels, and as properties an execution
/// time of one unit per phase and the size of a token. Actors are called `l1`, `l2`, ... in order (`name` of the layer
/// in a comment), since layers' names need not be unique.
std::string to_sdf3(const CsdfGraph& g);

/// Where the channels of a graph that was read stand, for diagnostics about them.
struct Sdf3Graph {
  CsdfGraph graph;
  std::vector<Location> channels;
};

/// Reads what to_sdf3() writes and what SDF3 does. Rates may be longer by repetition than the file says, up to
/// max_firings per actor and `max_rates` in all; a rate sequence shorter than its actor's cycle must be of length 1.
/// @returns nothing after diagnostics: all that is wrong with elements and names, the first fault of the XML itself.
std::optional<Sdf3Graph> from_sdf3(std::string_view text, const std::string& file, Diagnostics& diags);
constexpr std::size_t max_rates = 8'000'000;

}  // namespace dse::plan::phases
