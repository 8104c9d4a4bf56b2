#include "reports/words/energy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "reports/words/format.h"

namespace dse::reports {
namespace {

std::string engine_name(const explore::Front& front, std::size_t engine) {
  return engine < front.engines.size() ? front.engines[engine] : fmt::format("engine {}", engine);
}

/// A column of the table by layer.
struct Block {
  explicit Block(std::string of) : name(std::move(of)) {}
  std::string name;
  std::vector<std::int64_t> fj{};  // per layer
};

std::vector<Block> blocks_of(const explore::Front& front, const explore::Point& p) {
  std::vector<Block> all;
  for (std::size_t m = 0; m < p.run.energy.memories.size(); ++m) {
    auto& b = all.emplace_back(front.memories.at(m).name);
    for (const auto& use : p.uses) b.fj.push_back(use.energy.memories.at(m).read + use.energy.memories.at(m).written);
  }
  for (std::size_t e = 0; e < p.run.energy.engines.size(); ++e) {
    auto& b = all.emplace_back(engine_name(front, e));
    for (const auto& use : p.uses) {
      const auto& own = use.energy.engines.at(e);
      b.fj.push_back(own.macs + own.macs_int16 + own.elements + own.cycles);
    }
  }
  auto& leaked = all.emplace_back("leakage");
  for (const auto& use : p.uses) leaked.fj.push_back(use.energy.all_leaked());
  std::erase_if(all,
                [](const Block& b) { return std::all_of(b.fj.begin(), b.fj.end(), [](auto n) { return n == 0; }); });
  return all;
}

}  // namespace

bool tells_energy(const explore::Front& front) {
  const auto told = [](const explore::Point& p) { return !p.run.energy.empty(); };
  return std::any_of(front.points.begin(), front.points.end(), told) ||
         std::any_of(front.marked.begin(), front.marked.end(), told);
}

std::vector<EnergyCause> energy_causes(const explore::Front& front, const sim::Energy& energy) {
  std::vector<EnergyCause> out;
  const auto of = [&out](const std::string& block) {
    return [&out, block](const char*, const char* cause, std::int64_t fj) {
      if (fj != 0) out.push_back({block, cause, fj});
    };
  };
  for (std::size_t m = 0; m < energy.memories.size(); ++m)
    memory_causes(energy.memories[m], of(front.memories.at(m).name));
  for (std::size_t e = 0; e < energy.engines.size(); ++e) engine_causes(energy.engines[e], of(engine_name(front, e)));
  of("")(nullptr, "leakage", energy.leaked);
  return out;
}

std::string picojoules(std::int64_t fj) {
  const auto size = std::abs(fj);
  return fmt::format("{}{}.{:03}", fj < 0 ? "-" : "", grouped(size / 1000), size % 1000);
}

std::string signed_picojoules(std::int64_t fj) { return (fj > 0 ? "+" : "") + picojoules(fj); }

Table energy_table(const explore::Front& front, const explore::Point& p) {
  Table table{{{"", false}, {"for", false}, {"pJ"}, {"share"}}, {}, true};
  const auto total = p.run.energy_fj;
  const auto share = [&](std::int64_t fj) {
    return total > 0 ? fmt::format("{:.1f} %", 100 * static_cast<double>(fj) / static_cast<double>(total)) : "-";
  };
  for (const auto& c : energy_causes(front, p.run.energy))
    table.rows.push_back({c.block.empty() ? "the rest" : c.block, c.cause, picojoules(c.fj), share(c.fj)});
  table.rows.push_back({"total", "", picojoules(total), share(total)});
  return table;
}

Table layer_energy_table(const explore::Front& front, const explore::Point& p) {
  const auto blocks = blocks_of(front, p);
  Table table{{{"layer", false}, {"pJ"}}, {}, true};
  for (const auto& b : blocks) table.columns.push_back({b.name});
  std::vector<std::int64_t> sums(blocks.size() + 1, 0);
  const auto row = [&](const std::string& name, const std::vector<std::int64_t>& numbers) {
    auto& cells = table.rows.emplace_back(1, name);
    for (const auto n : numbers) cells.push_back(picojoules(n));
  };
  for (std::size_t l = 0; l < p.uses.size(); ++l) {
    std::vector<std::int64_t> numbers = {p.uses[l].energy_fj};
    for (const auto& b : blocks) numbers.push_back(b.fj[l]);
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += numbers[i];
    row(layer_of(p, l), numbers);
  }
  row("sum", sums);
  return table;
}

}  // namespace dse::reports
