// Cyclo-static dataflow graphs: the formalism in which the thesis writes down execution with phases (Algorithm 4), and
// what must hold of one before it can run.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "methods/dataflow/flow.h"
#include "plan/network/layer_graph.h"
#include "plan/network/parts.h"

namespace dse::plan::phases {

struct CsdfChannel {
  std::string name;
  int from = 0, to = 0;
  std::vector<std::int64_t> production, consumption;  // tokens per phase of `from`, of `to`; >= 0
  std::int64_t initial_tokens = 0;
  std::int64_t token_bytes = 1;
};

struct CsdfActor {
  std::string name;
  std::int64_t phases = 1;  // length of its cycle: of every sequence on its side of a channel
};

struct CsdfGraph {
  std::string name;
  std::vector<CsdfActor> actors;
  std::vector<CsdfChannel> channels;
};

/// Limits that keep the analysis of a hostile graph bounded; readers and analyses refuse what is beyond them.
constexpr std::int64_t max_tokens = std::int64_t{1} << 40;  // in a channel, per iteration
constexpr std::int64_t max_bytes = std::int64_t{1} << 60;   // in all channels, per iteration
constexpr std::int64_t max_firings = 4'000'000;             // of all actors, per iteration

/// Algorithm 4 with the corrected rates: one actor per layer and source, one channel per edge, whose consumption is
/// what the consumer has not yet seen; rows that overlap travel through a self-loop of the consumer, as the formalism
/// wants it. Self-loops follow all other channels.
CsdfGraph to_csdf(const LayerGraph& g, const Parts& parts, std::int64_t bytes_per_element);

/// The same for the buffer analysis: no self-loops, overlapping rows stay inside the buffer (windows).
Flow window_flow(const LayerGraph& g, const Parts& parts, std::int64_t bytes_per_element);

/// How often each actor's cycle runs in one iteration: the smallest positive integers q with
/// q[from] * sum(production) = q[to] * sum(consumption) on every channel.
struct Repetition {
  std::vector<std::int64_t> cycles;  // by actor, empty when the graph is not consistent
  std::string why;                   // then: the channel that does not balance, or the limit that is exceeded
  int channel = -1;                  // the one at which that was found; -1: none in particular
};
Repetition repetition_vector(const CsdfGraph& g);

/// A consistent graph for the buffer analysis: channels as they are written, self-loops as buffers of their own.
Flow literal_flow(const CsdfGraph& g, const Repetition& r);

/// Firings that cannot happen even with buffers without end; empty when one iteration completes, after which the graph
/// is as it was at first.
std::vector<Firing> deadlock(const Flow& f);

}  // namespace dse::plan::phases
