// States of the search for branch orders: how far execution has come, what lies where, and how large buffers had to be.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "methods/branch/model.h"

namespace dse::plan::branch {

/// The step that led to a state.
struct Move {
  int node = -1;
  Place place = Place::none;
  int saved = -1;    // the value whose copy went to scratch, because this step overwrites it, or the node's own value
  int scratch = -1;  // the buffer of `saved`
};

/// One reachable state. The two operational buffers are kept in a canonical order; `flipped` tells whether they are
/// exchanged with respect to the places in the moves.
struct Label {
  struct Scratch {  // shared scratch only
    std::int64_t bytes = 0;
    int value = -1;  // -1: free
    int id = 0;
    std::array<bool, 2>
        fits{};  // free since before the value in operational buffer b was made, so its copy may go here
  };
  std::vector<std::uint64_t> done;        // a bit per node
  std::vector<int> open;                  // nodes that have not run, though all before them have; ascending
  std::array<int, 2> content = {-1, -1};  // values still needed
  std::array<std::int64_t, 2> operational{};
  std::vector<Scratch> scratch;
  std::int64_t scratch_bytes = 0;
  std::int64_t live = 0, peak = 0;  // bytes alive now and at most so far
  int buffers = 0;                  // scratch buffers made so far
  int recent = 0;                   // the operational buffer written last
  int last = -1;                    // the node executed last
  int depth = 0;
  bool flipped = false;
  int parent = -1;
  Move move;

  bool has(int node) const { return (done[static_cast<std::size_t>(node) / 64] >> (node % 64) & 1) != 0; }
};

/// The moves of one graph under one set of rules.
class Moves {
 public:
  Moves(const Graph& graph, const Rules& rules);

  Label start() const;
  /// Nodes that may run next, ascending.
  std::vector<int> ready(const Label& label) const;
  /// Is `n` among them?
  bool may_run(const Label& label, int n) const;
  /// Appends every state that running `node` leads to. `only`: the place to write to, none = any.
  void run(const Label& label, int node, Place only, std::vector<Label>& out) const;

  /// What is minimised, first the objective; never falls along a path.
  std::pair<std::int64_t, std::int64_t> cost(const Label& label) const;
  /// States with equal keys can be continued in the same ways.
  std::string key(const Label& label) const;
  /// Sizes of two states with equal keys: true when `a` can be continued at no more cost than `b`, whatever follows.
  bool dominates(const Label& a, const Label& b) const;

 private:
  const Node& node(int n) const { return graph_.nodes[static_cast<std::size_t>(n)]; }
  bool needed(const Label& label, int value) const;
  bool allowed(const Label& label, int n, int buffer) const;
  void write(const Label& label, int n, int buffer, std::vector<Label>& out) const;
  void write_scratch(const Label& label, int n, std::vector<Label>& out) const;
  /// Every way to put a value of `bytes` into a scratch buffer; `content` >= 0: the copy of that operational buffer.
  void save(Label label, int value, int content, std::vector<Label>& out) const;
  void finish_step(Label& label, int n) const;

  const Graph& graph_;
  Rules rules_;
  int given_ = 0;
};

}  // namespace dse::plan::branch
