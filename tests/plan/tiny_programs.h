// Small hand-made devices and programs, for tests of what looks at programs.
#pragma once
#include "models/hw/device.h"
#include "program/program.h"

namespace dse::test {

/// l1 (1 KiB) and l2 (4 KiB) on chip, l3 (8 KiB, constants); engines: cluster (l1), dma (l2-l1, two channels), io
/// (l3-l2), cpu (all; copies).
hw::Device tiny_device();
enum TinyMemory { kL1, kL2, kL3 };
enum TinyQueue { kCluster, kDma, kDma1, kIo, kCpu };

/// A program with the arenas and queues of tiny_device() and nothing else.
program::Program empty_program();

/// Rows of `width` bytes at `offset`; `ring` rows held, 0 = all.
program::View rows(int arena, std::int64_t offset, int width, int ring = 0);
program::TaskTemplate copy_task(int queue, const program::View& from, const program::View& to, program::Range rows,
                                int width, int slot, std::vector<program::Dependency> after = {});
program::TaskTemplate wait_task(bool all = true, std::vector<program::Dependency> after = {});
void add_buffer(program::Program& p, const char* name, program::BufferRole role, int arena, std::int64_t offset,
                std::int64_t size, int first, int last, int tensor = -1);

/// One section: rows 0..7 of 16 bytes go from the input in l2 through a ring of two tiles in l1, are moved by the cpu
/// to another ring there, and to the output in l2; the next load is issued before each compute. Valid; output = input.
program::Program tiled_copy_program();

}  // namespace dse::test
