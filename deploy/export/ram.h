// What a package takes of a target's memory: its static objects, to the byte.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "program/program.h"

namespace dse::deploy {

/// One arena of a program as an object of dse_arenas.c.
struct ArenaRam {
  std::string name;
  /// sizeof the object: the arena's bytes, rounded up to 8; 0 = there is none (nothing lies there, or only weights that
  /// are read in place).
  std::int64_t object = 0;
  bool in_place = false;      // it holds the weights and nothing else: they are read where the linker puts them
  std::int64_t state = 0;     // of the object: kept from run to run
  std::int64_t resident = 0;  // of the object: weights and first values copied by dse_bind(), state left out
  std::int64_t image = 0;     // of the object: all weights, copied by dse_bind(), because something else lies there too
};

/// In the program's order. `constants`: bytes of the constants image.
std::vector<ArenaRam> arena_ram(const program::Program& program, std::int64_t constants);

/// Working memory of the emulation of an NPU: what the program's largest stream needs. 0: it has none.
std::int64_t emulation_bytes(const program::Program& program);

/// What is static in a firmware that uses the package as its README says: arenas, a dse_runtime and a dse_port_eager,
/// and what emulates an NPU.
struct Ram {
  std::vector<ArenaRam> arenas;
  std::int64_t all_arenas = 0;
  std::int64_t runtime = 0, port = 0;  // of this host, whose pointers have 8 bytes: a little less on a 32-bit target
  std::int64_t emulation = 0;          // emulation_bytes()
  std::int64_t total() const { return all_arenas + runtime + port + emulation; }
};
Ram ram_of(const program::Program& program, std::int64_t constants);

}  // namespace dse::deploy
