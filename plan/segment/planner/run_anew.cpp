#include <algorithm>

#include "base/index.h"
#include "plan/segment/planner/runs.h"

namespace dse::plan::shared {
namespace {

/// Rows of a layer, empty where begin == end.
struct Rows {
  std::int64_t begin = 0, end = 0;
  bool none() const { return begin >= end; }
};
using Phase = std::vector<Rows>;  // by place

/// Whether the layer's rows are made once: somebody outside reads them, or the caller of the network.
bool made_once(const Group& s, int layer) {
  if (layer == s.layers.back() || s.layer(layer).output) return true;
  bool outside = false, read = false;
  for (const int t : s.t.of_layer[index(layer)])
    for (const int e : s.t.all[index(t)].edges) read = true, outside = outside || s.place_of(s.edge(e).to) < 0;
  return outside || !read;
}

/// Widens `rows` to what the reader's rows `read` take of edge e.
void widen(const Group& s, int e, const Rows& read, Rows& rows) {
  const auto& maker = s.layer(s.edge(e).from);
  const auto begin = s.passed(e, read.begin) * maker.rows / s.edge(e).rows, end = s.needed(e, read.end);
  if (begin >= end) return;
  rows = rows.none() ? Rows{begin, end} : Rows{std::min(rows.begin, begin), std::max(rows.end, end)};
}

std::vector<Phase> phases_of(const Group& s, const std::vector<char>& once) {
  const auto count = s.layers.size();
  std::vector<Phase> out;
  std::vector<std::int64_t> made(count);
  const auto all = s.layer(s.layers.back()).rows;
  for (std::int64_t y = 0; y < all; y += s.rows()) {
    Phase phase(count);
    phase.back() = {y, std::min(y + s.rows(), all)};
    const bool last = phase.back().end == all;
    for (std::size_t p = count; p-- > 0;) {
      const int l = s.layers[p];
      Rows& rows = phase[p];
      for (const int t : s.t.of_layer[index(l)])
        for (const int e : s.t.all[index(t)].edges)
          if (const int to = s.place_of(s.edge(e).to); to >= 0 && !phase[index(to)].none())
            widen(s, e, phase[index(to)], rows);
      if (once[p]) {
        if (last) rows.end = s.layer(l).rows;
        rows.begin = made[p];
      }
      if (s.layer(l).at_once && !rows.none()) rows = {0, s.layer(l).rows};
      if (!rows.none()) made[p] = rows.end;
    }
    out.push_back(std::move(phase));
  }
  return out;
}

class Anew {
 public:
  Anew(const Group& s, Recorder& recorder) : s_(s), recorder_(recorder) {
    for (const int l : s.layers) once_.push_back(made_once(s, l));
    phases_ = phases_of(s, once_);
    later_.assign(phases_.size(), std::vector<std::int64_t>(s.layers.size(), -1));
    for (std::size_t p = phases_.size(); p-- > 0;)
      for (std::size_t i = 0; i < s.layers.size(); ++i) {
        auto& least = later_[p][i];
        if (p + 1 < phases_.size()) least = later_[p + 1][i];
        if (const Rows& r = phases_[p][i]; !r.none()) least = least < 0 ? r.begin : std::min(least, r.begin);
      }
  }

  bool run() {
    for (std::size_t p = 0; p < phases_.size(); ++p)
      for (std::size_t i = 0; i < s_.layers.size(); ++i)
        if (!phases_[p][i].none() && !call(p, i)) return false;
    return true;
  }

 private:
  bool call(std::size_t phase, std::size_t place) {
    const int l = s_.layers[place];
    const Rows& rows = phases_[phase][place];
    std::vector<GivenUp> reads;
    for (const int e : s_.t.ins[index(l)]) {
      const int from = s_.edge(e).from;
      const auto need = s_.needed(e, rows.end);
      if (s_.layer(from).source && s_.streamed && recorder_.made(from) < need)
        if (!recorder_.call(from, recorder_.made(from), s_.layer(from).at_once ? s_.layer(from).rows : need, s_.number,
                            {}))
          return false;
      const int maker = s_.place_of(from);
      const bool stays = maker < 0 || once_[index(maker)];
      reads.push_back({e, stays ? next_read(e, phase, place) : s_.edge(e).rows});
    }
    if (!once_[place])
      for (const int t : s_.t.of_layer[index(l)]) renew(t, phase);
    return recorder_.call(l, rows.begin, rows.end, s_.number, reads);
  }

  /// The first row of edge e that its reader reads in a later phase than this one.
  std::int64_t next_read(int e, std::size_t phase, std::size_t reader) const {
    if (phase + 1 == phases_.size()) return s_.edge(e).rows;
    const auto begin = later_[phase + 1][reader];
    return begin < 0 ? s_.edge(e).rows : s_.passed(e, begin);
  }

  void renew(int tensor, std::size_t phase) {
    std::vector<GivenUp> readers;
    for (const int e : s_.t.all[index(tensor)].edges) {
      const Rows& rows = phases_[phase][index(s_.place_of(s_.edge(e).to))];
      readers.push_back({e, rows.none() ? s_.edge(e).rows : s_.passed(e, rows.begin)});
    }
    recorder_.renew(tensor, readers);
  }

  const Group& s_;
  Recorder& recorder_;
  std::vector<char> once_;  // by place
  std::vector<Phase> phases_;
  std::vector<std::vector<std::int64_t>> later_;  // by phase and place: the first row from this phase on; -1 = none
};

}  // namespace

bool run_anew(const Group& s, Recorder& recorder) { return Anew(s, recorder).run(); }

}  // namespace dse::plan::shared
