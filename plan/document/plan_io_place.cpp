// Offsets as written: compared with the sizes and lives that the choices give.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/suggest.h"
#include "base/unit_text.h"
#include "base/units.h"
#include "plan/document/plan_io.h"
#include "plan/make/offsets.h"
#include "plan/segment/phased.h"

namespace dse::plan::io {
namespace {

class PlacementReader {
 public:
  PlacementReader(const PlanText& text, const nn::Network& network, const hw::Device& device, Diagnostics& diags)
      : text_(text), network_(network), device_(device), diags_(diags) {}

  /// @returns the number of errors.
  int place(Plan& plan) {
    std::map<std::string, const BufferText*> written;
    std::vector<std::string> names;
    for (const auto& b : plan.buffers)
      if (b.role != program::BufferRole::constants) names.push_back(b.name);
    for (const auto& b : text_.buffers.value) {
      if (!written.emplace(b.name.value, &b).second)
        error(b.name.where, "buffer " + quote(b.name.value) + " is listed twice");
      else if (std::count(names.begin(), names.end(), b.name.value) == 0)
        error(b.name.where, "the layers have no buffer " + quote(b.name.value), did_you_mean(b.name.value, names));
    }
    for (auto& b : plan.buffers) {
      if (b.role == program::BufferRole::constants) continue;
      const auto it = written.find(b.name);
      if (it == written.end())
        error(text_.buffers.where, fmt::format("buffer {} is missing: {} bytes in {}", b.name, b.size,
                                               device_.memories[static_cast<std::size_t>(b.memory)].name));
      else
        place(plan, b, *it->second);
    }
    for (const auto& b : plan.buffers)
      for (const auto& a : plan.buffers)
        if (b.over >= 0 && a.tensor == b.over && a.offset != b.offset)
          error(written.at(b.name)->offset.where,
                fmt::format("buffer {} takes over {}, so that it lies at offset {}, too", b.name, a.name, a.offset));
    if (errors_ > 0) return errors_;
    check_overlaps(plan, written);
    measure(plan);
    return errors_;
  }

 private:
  void error(const Location& where, const std::string& what, std::string hint = {}) {
    ++errors_;
    diags_.error(where, what, std::move(hint));
  }

  /// One takes over the other's bytes.
  static bool in_place(const PlacedBuffer& a, const PlacedBuffer& b) {
    return a.offset == b.offset && (a.over == b.tensor || b.over == a.tensor) && (a.over >= 0 || b.over >= 0);
  }
  std::string layer_of(const Plan& plan, int section) const {
    return network_
        .operators[static_cast<std::size_t>(plan.segments[static_cast<std::size_t>(section)].operators.front())]
        .name;
  }

  void place(const Plan& plan, PlacedBuffer& b, const BufferText& t) {
    const auto& m = device_.memories[static_cast<std::size_t>(b.memory)];
    b.offset = t.offset.value;
    if (t.memory.value != m.name)
      error(t.memory.where, fmt::format("buffer {} lies in {}, as the layers' choices say, not in {}", b.name, m.name,
                                        quote(t.memory.value)));
    if (t.size.value != b.size)
      error(t.size.where, fmt::format("buffer {} needs {} bytes, not {}", b.name, b.size, t.size.value));
    if (!t.lifetime.empty() && t.lifetime.size() == 2) {
      const int ends[] = {b.first, b.last};
      for (std::size_t i = 0; i < 2; ++i)
        if (t.lifetime[i].value != layer_of(plan, ends[i]))
          error(t.lifetime[i].where,
                fmt::format("buffer {} lives from {} to {}", b.name, layer_of(plan, b.first), layer_of(plan, b.last)));
    }
    const std::int64_t base = b.memory == device_.constants ? round_up(plan.constants_size, 16) : 0;
    if (b.offset % m.alignment != 0) {
      error(t.offset.where, fmt::format("offset {} of buffer {} is no multiple of {}", b.offset, b.name, m.alignment),
            fmt::format("the next one is {}", round_up(b.offset, m.alignment)));
    } else if (b.offset < base) {
      error(t.offset.where, fmt::format("buffer {} lies on the constants, which take the first {} of {}", b.name,
                                        kib_text(base), m.name));
    } else if (b.offset + b.size > m.free()) {
      error(t.offset.where,
            fmt::format("{} is {} short: buffer {} takes bytes {} to {} of {} free", m.name,
                        kib_text(b.offset + b.size - m.free()), b.name, b.offset, b.offset + b.size, m.free()));
    }
  }

  void check_overlaps(const Plan& plan, const std::map<std::string, const BufferText*>& written) {
    std::vector<const PlacedBuffer*> list;
    for (const auto& b : plan.buffers)
      if (b.role != program::BufferRole::constants && b.size > 0) list.push_back(&b);
    std::stable_sort(list.begin(), list.end(), [](const auto* a, const auto* b) {
      return std::tie(a->memory, a->offset) < std::tie(b->memory, b->offset);
    });
    for (std::size_t i = 0; i < list.size(); ++i)
      for (std::size_t k = i + 1;
           k < list.size() && list[k]->memory == list[i]->memory && list[k]->offset < list[i]->offset + list[i]->size;
           ++k) {
        const auto &a = *list[i], &b = *list[k];
        if (a.first > b.last || b.first > a.last || in_place(a, b)) continue;
        if (is_phased(plan) && !shared::meet(shape_of(a, 1), shape_of(b, 1), b.offset - a.offset)) continue;
        const std::int64_t shared = std::min(a.offset + a.size, b.offset + b.size) - b.offset;
        error(written.at(b.name)->offset.where,
              fmt::format("{} is {} bytes short: {} (bytes {} to {}) begins before {} (bytes {} to {}) ends, and both "
                          "live in layer {}",
                          device_.memories[static_cast<std::size_t>(a.memory)].name, shared, b.name, b.offset,
                          b.offset + b.size, a.name, a.offset, a.offset + a.size,
                          layer_of(plan, std::max(a.first, b.first))),
              fmt::format("the next free offset after {} is {}", a.name,
                          round_up(a.offset + a.size, device_.memories[static_cast<std::size_t>(a.memory)].alignment)));
      }
  }

  /// Where layers run by phases, buffers take turns within their lives, in whole units.
  static shared::Shape shape_of(const PlacedBuffer& b, int unit) {
    return b.taken.empty() ? shared::shape_of(counted_life(b, unit)) : shared::Shape{b.taken, 0, 0};
  }

  /// Heights and loads of the offsets as they are, counted as the arena planner counts them.
  void measure(Plan& plan) const {
    for (std::size_t m = 0; m < device_.memories.size(); ++m) {
      const int alignment = device_.memories[m].alignment;
      const std::int64_t base = static_cast<int>(m) == device_.constants ? round_up(plan.constants_size, 16) : 0;
      std::vector<std::int64_t> live(plan.segments.size(), 0);
      plan.heights[m] = base;
      if (is_phased(plan)) {
        std::vector<shared::Piece> pieces;
        for (const auto& b : plan.buffers) {
          if (b.memory != static_cast<int>(m) || b.role == program::BufferRole::constants) continue;
          pieces.push_back({{shape_of(b, alignment)}, alignment});
          for (const auto& t : pieces.back().shapes[0].taken)
            plan.heights[m] = std::max(plan.heights[m], b.offset + t.end);
        }
        plan.loads[m] = base + shared::load_of(pieces);
        continue;
      }
      for (const auto& b : plan.buffers) {
        if (b.memory != static_cast<int>(m) || b.role == program::BufferRole::constants) continue;
        const std::int64_t size = round_up(b.size, alignment);
        plan.heights[m] = std::max(plan.heights[m], b.offset + size);
        for (int s = b.first + (b.over >= 0 ? 1 : 0); s <= b.last; ++s) live[static_cast<std::size_t>(s)] += size;
      }
      plan.loads[m] = base + (live.empty() ? 0 : *std::max_element(live.begin(), live.end()));
    }
  }

  const PlanText& text_;
  const nn::Network& network_;
  const hw::Device& device_;
  Diagnostics& diags_;
  int errors_ = 0;
};

}  // namespace

std::string did_you_mean(const std::string& word, const std::vector<std::string>& known) {
  const auto guess = nearest(word, known);
  return guess.empty() ? "" : "did you mean " + guess + "?";
}

int place(Plan& plan, const PlanText& text, const nn::Network& network, const hw::Device& device, Diagnostics& diags) {
  return PlacementReader(text, network, device, diags).place(plan);
}

}  // namespace dse::plan::io
