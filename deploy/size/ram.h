// What a package takes of a target's memory: its static objects, to the byte.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "deploy/export/kernels.h"
#include "models/hw/device.h"
#include "models/nn/network.h"
#include "program/program.h"

namespace dse::deploy {

/// One arena of a program as an object of dse_arenas.c.
struct ArenaRam {
  std::string name;
  /// sizeof the object: the arena's bytes; 0 = there is none (nothing lies there, or only weights that are read in
  /// place).
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

/// What an interpreted package takes of a 32-bit target's memory on the chip, in a firmware that uses it as its README
/// says. All but the arenas is the same for all plans of a network, so that the order of plans by memory is that by
/// RAM.
struct TargetRam {
  std::int64_t arenas = 0;             // on the chip
  std::int64_t runtime = 0, port = 0;  // sizeof, with pointers of 4 bytes
  std::int64_t kernels = 0;            // what the kernel set works with
  /// Kept free: stack_of(); 0 where arrays compute, whose processors are none that it is known of.
  std::int64_t stack = 0;
  std::int64_t objects() const { return arenas + runtime + port + kernels; }
  std::int64_t besides() const { return runtime + port + kernels + stack; }
  std::int64_t total() const { return arenas + besides(); }
};
/// What is known before there is a plan: all but the arenas.
TargetRam target_ram(const nn::Network& network, const hw::Device& device, KernelSet kernels);
TargetRam target_ram(const nn::Network& network, const hw::Device& device, const program::Program& program,
                     KernelSet kernels);
/// Why `ram` is not said of plans of a network for a device; empty: it is. An NPU's package has working memory for its
/// emulation in place of the NPU, weights in a memory on the chip are counted by `memory` and are no object, and
/// operators that only have a price have no kernel.
std::string why_no_ram(const nn::Network& network, const hw::Device& device);

/// Bytes of the objects in RAM of an image for a 32-bit target, all arenas included: what linking it has to give.
/// An encrypted package has a buffer besides, which is the caller's.
/// `runtime`: it is interpreted. `emulation`: of all points of the package.
std::int64_t linked_objects(const nn::Network& network, const program::Program& program, KernelSet kernels,
                            bool runtime, std::int64_t emulation);

/// Bytes of stack below dse_init() and dse_run() with the eager port, the most of the cores that --check compiles for
/// (stack_table.h, made by scripts/stack_table): of the kernel that goes deepest among those that a plan of the network
/// may call. Of kernels of the user's own nothing is known; the reference ones stand for them. What calls the two, and
/// interrupts, are beside it.
std::int64_t stack_of(const nn::Network& network, KernelSet kernels);
/// The compiler that it was read from.
const char* stack_compiler();

}  // namespace dse::deploy
