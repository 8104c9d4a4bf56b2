#include "methods/branch/label.h"

#include <algorithm>
#include <functional>

namespace dse::plan::branch {

Moves::Moves(const Graph& graph, const Rules& rules) : graph_(graph), rules_(rules) {
  for (const auto& n : graph.nodes) given_ += n.given ? 1 : 0;
}

Label Moves::start() const {
  Label label;
  label.done.assign((graph_.nodes.size() + 63) / 64, 0);
  for (int n = 0; n < static_cast<int>(graph_.nodes.size()); ++n)
    if (node(n).before.empty()) label.open.push_back(n);
  return label;
}

std::vector<int> Moves::ready(const Label& label) const {
  if (label.depth < given_)  // inputs are there in their own order
    return {*std::find_if(label.open.begin(), label.open.end(), [&](int n) { return node(n).given; })};
  if (!rules_.interrupt && label.last >= 0 && !node(label.last).readers.empty())
    if (const int next = node(label.last).readers.front(); continues(graph_, label.last, next)) return {next};
  return label.open;
}

bool Moves::may_run(const Label& label, int n) const {
  const auto all = ready(label);
  return std::find(all.begin(), all.end(), n) != all.end();
}

bool Moves::needed(const Label& label, int value) const {
  if (node(value).kept) return true;
  const auto& readers = node(value).readers;
  return std::any_of(readers.begin(), readers.end(), [&](int reader) { return !label.has(reader); });
}

bool Moves::allowed(const Label& label, int n, int buffer) const {
  if (rules_.model != Model::named_buffers) return true;
  const auto holds_input = [&](int b) {
    const int value = label.content[static_cast<std::size_t>(b)];
    const auto& inputs = node(n).inputs;
    return value >= 0 && std::find(inputs.begin(), inputs.end(), value) != inputs.end();
  };
  if (!holds_input(buffer)) return true;
  return holds_input(1 - buffer) && buffer != label.recent;
}

void Moves::run(const Label& label, int n, Place only, std::vector<Label>& out) const {
  const auto from = out.size();
  if (node(n).bytes == 0 || rules_.model == Model::liveness) {
    out.push_back(label);
    out.back().move = {n, Place::none, -1, -1};
  } else {
    for (int buffer = 0; buffer < 2; ++buffer) {
      const int actual = label.flipped ? 1 - buffer : buffer;
      if (only != Place::none && only != static_cast<Place>(actual)) continue;
      if (allowed(label, n, buffer)) write(label, n, buffer, out);
    }
    if (rules_.model == Model::direct_to_scratch && (only == Place::none || only == Place::scratch))
      write_scratch(label, n, out);
  }
  for (auto i = from; i < out.size(); ++i) finish_step(out[i], n);
}

void Moves::write(const Label& label, int n, int buffer, std::vector<Label>& out) const {
  const auto b = static_cast<std::size_t>(buffer);
  const auto from = out.size();
  if (label.content[b] >= 0)
    save(label, label.content[b], buffer, out);
  else
    out.push_back(label), out.back().move = {};
  for (auto i = from; i < out.size(); ++i) {
    auto& next = out[i];
    next.move.node = n;
    next.move.place = static_cast<Place>(label.flipped ? 1 - buffer : buffer);
    next.content[b] = n;
    next.operational[b] = std::max(next.operational[b], node(n).bytes);
    next.recent = buffer;
    for (auto& scratch : next.scratch) scratch.fits[b] = scratch.value < 0;
  }
}

void Moves::write_scratch(const Label& label, int n, std::vector<Label>& out) const {
  const auto from = out.size();
  save(label, n, -1, out);
  for (auto i = from; i < out.size(); ++i) out[i].move.node = n, out[i].move.place = Place::scratch;
}

void Moves::save(Label label, int value, int content, std::vector<Label>& out) const {
  const auto bytes = node(value).bytes;
  label.move = {-1, Place::none, value, label.buffers};
  if (rules_.share_scratch) {
    for (std::size_t i = 0; i < label.scratch.size(); ++i) {
      const auto& old = label.scratch[i];
      if (old.value >= 0 || (content >= 0 && !old.fits[static_cast<std::size_t>(content)])) continue;
      const bool same_before = std::any_of(
          label.scratch.begin(), label.scratch.begin() + static_cast<std::ptrdiff_t>(i),
          [&](const Label::Scratch& s) { return s.value < 0 && s.bytes == old.bytes && s.fits == old.fits; });
      if (same_before) continue;
      Label next = label;
      auto& scratch = next.scratch[i];
      next.scratch_bytes += std::max<std::int64_t>(0, bytes - scratch.bytes);
      scratch = {std::max(scratch.bytes, bytes), value, scratch.id, {}};
      next.move.scratch = scratch.id;
      out.push_back(std::move(next));
    }
    label.scratch.push_back({bytes, value, label.buffers, {}});
  }
  label.scratch_bytes += bytes;
  ++label.buffers;
  out.push_back(std::move(label));
}

void Moves::finish_step(Label& label, int n) const {
  label.done[static_cast<std::size_t>(n) / 64] |= std::uint64_t{1} << (n % 64);
  label.last = n;
  ++label.depth;
  label.open.erase(std::lower_bound(label.open.begin(), label.open.end(), n));
  for (int next : node(n).next) {
    const auto& before = node(next).before;
    if (std::all_of(before.begin(), before.end(), [&](int other) { return label.has(other); }))
      label.open.insert(std::lower_bound(label.open.begin(), label.open.end(), next), next);
  }
  label.live += node(n).bytes;
  label.peak = std::max(label.peak, label.live);
  const auto release = [&](int value) {
    if (needed(label, value)) return;
    label.live -= node(value).bytes;
    for (std::size_t b = 0; b < 2; ++b)
      if (label.content[b] == value) label.content[b] = -1;
    for (auto& scratch : label.scratch)
      if (scratch.value == value) scratch.value = -1, scratch.fits = {};
  };
  for (int input : node(n).inputs) release(input);
  release(n);
  for (std::size_t b = 0; b < 2; ++b)
    if (label.content[b] < 0)
      for (auto& scratch : label.scratch) scratch.fits[b] = false;
  auto& c = label.content;
  auto& o = label.operational;
  if (std::pair(c[0], o[0]) > std::pair(c[1], o[1])) {
    std::swap(c[0], c[1]), std::swap(o[0], o[1]);
    for (auto& scratch : label.scratch) std::swap(scratch.fits[0], scratch.fits[1]);
    label.recent = 1 - label.recent;
    label.flipped = !label.flipped;
  }
}

std::pair<std::int64_t, std::int64_t> Moves::cost(const Label& label) const {
  if (rules_.model == Model::liveness) return {label.peak, 0};
  const auto operational = label.operational[0] + label.operational[1];
  if (rules_.objective == Objective::operational) return {operational, label.scratch_bytes};
  return {operational + label.scratch_bytes, 0};
}

std::string Moves::key(const Label& label) const {
  std::string out(reinterpret_cast<const char*>(label.done.data()), label.done.size() * sizeof(std::uint64_t));
  const auto add = [&](int value) { out.append(reinterpret_cast<const char*>(&value), sizeof value); };
  if (!rules_.interrupt) add(label.last);
  if (rules_.model == Model::liveness) return out;
  add(label.content[0]), add(label.content[1]);
  if (rules_.model == Model::named_buffers && label.content[0] >= 0) add(label.recent);
  return out;
}

bool Moves::dominates(const Label& a, const Label& b) const {
  if (rules_.model == Model::liveness) return a.peak <= b.peak;
  for (std::size_t i = 0; i < 2; ++i)
    if (a.operational[i] > b.operational[i]) return false;
  if (!rules_.share_scratch) return a.scratch_bytes <= b.scratch_bytes;
  if (a.scratch_bytes > b.scratch_bytes && rules_.objective == Objective::operational) return false;
  // Buffers with values: the same values wait in both, because the keys are equal.
  for (const auto& mine : a.scratch)
    if (mine.value >= 0)
      for (const auto& other : b.scratch)
        if (other.value == mine.value && mine.bytes > other.bytes) return false;
  // Free ones, by what may use them, the largest first; one that is missing is a buffer of no bytes.
  for (int fits = 0; fits < 4; ++fits) {
    const auto sizes = [&](const Label& label) {
      std::vector<std::int64_t> out;
      for (const auto& s : label.scratch)
        if (s.value < 0 && (s.fits[0] ? 1 : 0) + (s.fits[1] ? 2 : 0) == fits) out.push_back(s.bytes);
      std::sort(out.begin(), out.end(), std::greater<>());
      return out;
    };
    const auto mine = sizes(a), other = sizes(b);
    for (std::size_t i = 0; i < mine.size(); ++i)
      if (mine[i] > (i < other.size() ? other[i] : 0)) return false;
  }
  return true;
}

}  // namespace dse::plan::branch
