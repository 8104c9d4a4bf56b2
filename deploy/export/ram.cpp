#include "deploy/export/ram.h"

#include <algorithm>

#include "base/units.h"
#include "dse_npu_stream.h"
#include "dse_port_eager.h"
#include "dse_runtime.h"

namespace dse::deploy {

std::vector<ArenaRam> arena_ram(const program::Program& p, std::int64_t constants) {
  std::vector<ArenaRam> out;
  for (std::size_t a = 0; a < p.arenas.size(); ++a) {
    ArenaRam r;
    r.name = p.arenas[a].name;
    const bool weights = static_cast<int>(a) == p.constants_arena;
    r.in_place = weights && p.arenas[a].size <= constants;
    if (!r.in_place) r.object = round_up(p.arenas[a].size, 8);
    if (weights && !r.in_place) r.image = constants;
    for (const auto& b : p.buffers)
      if (b.arena == static_cast<int>(a) && b.role == program::BufferRole::state) r.state += b.size;
    for (const auto& l : p.preloads)
      if (l.arena == static_cast<int>(a)) r.resident += l.size;
    r.resident -= r.state;  // every state is preloaded
    out.push_back(std::move(r));
  }
  return out;
}

std::int64_t emulation_bytes(const program::Program& program) {
  std::int64_t most = 0;
  for (const auto& t : program.templates)
    if (const auto* s = program::stream_of(t))
      most = std::max<std::int64_t>(
          most, dse_npu_memory_bytes(s->meaning.data(), static_cast<std::uint32_t>(s->meaning.size())));
  return round_up(most, std::int64_t{8});
}

Ram ram_of(const program::Program& program, std::int64_t constants) {
  Ram out;
  out.arenas = arena_ram(program, constants);
  for (const auto& a : out.arenas) out.all_arenas += a.object;
  out.emulation = emulation_bytes(program);
  out.runtime = sizeof(dse_runtime), out.port = sizeof(dse_port_eager);
  return out;
}

}  // namespace dse::deploy
