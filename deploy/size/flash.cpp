#include "deploy/size/flash.h"

#include <algorithm>
#include <iterator>

#include "base/diagnostics.h"
#include "deploy/size/flash_table.h"

namespace dse::deploy {
namespace {

constexpr std::int64_t kArenaEntry = 8;  // sizeof dse_arena, with pointers of 4 bytes

std::uint64_t bit_of(const std::string& function) {
  const auto at = std::find(std::begin(kFlashRoots), std::end(kFlashRoots), function);
  ensure(at != std::end(kFlashRoots), "the size of " + function + " is not known");
  return std::uint64_t{1} << (at - std::begin(kFlashRoots));
}

}  // namespace

std::vector<std::string> flash_cores() {
  std::vector<std::string> out;
  for (const auto& c : kFlashCores) out.emplace_back(c.name);
  return out;
}

const char* flash_compiler() { return kFlashCompiler; }

std::int64_t text_bytes(const std::vector<const program::Program*>& points, KernelSet kernels,
                        const std::string& core) {
  const auto known =
      std::find_if(std::begin(kFlashCores), std::end(kFlashCores), [&](const FlashCore& c) { return core == c.name; });
  ensure(known != std::end(kFlashCores), "no code is known for " + core);
  // Those of the user's own are macros, which the reference ones stand behind.
  const auto table = kernel_table_of(points, kernels == KernelSet::own ? KernelSet::reference : kernels);
  std::uint64_t roots = bit_of("dse_run");
  for (const auto& function : table.functions()) roots |= bit_of(function);
  std::int64_t bytes = kArenaEntry * std::max<std::int64_t>(std::ssize(points.front()->arenas), 1);
  for (const auto& row : kFlashRows)
    if (row.core == known - std::begin(kFlashCores) && (row.roots & roots) != 0) bytes += row.bytes;
  return bytes;
}

TargetFlash target_flash(const Shipment& shipment, const std::vector<std::size_t>& program_bytes,
                         std::size_t package_bytes) {
  TargetFlash out;
  std::vector<const program::Program*> points;
  const auto& all = shipment.points;
  for (std::size_t k = 0; k < all.size(); ++k) {
    points.push_back(all[k].program.get());
    out.program += static_cast<std::int64_t>(program_bytes[k]);
    const auto same = [&](const ShippedPoint& p) { return p.constants == all[k].constants; };
    if (std::find_if(all.begin(), all.end(), same) - all.begin() == static_cast<std::ptrdiff_t>(k))
      out.constants += std::ssize(all[k].constants);  // points share images
  }
  out.frame = static_cast<std::int64_t>(package_bytes) - out.constants - out.program;
  for (const auto& core : flash_cores()) out.text[core] = text_bytes(points, shipment.kernels, core);
  return out;
}

}  // namespace dse::deploy
