// Inputs of the network and what becomes of them: their places and lifetimes, and the tasks that bring them in where
// they are streamed.
#pragma once
#include <string>
#include <vector>

#include "plan/plan.h"

namespace dse::plan {

/// Name of the buffer that a streamed input lies in before it is copied, in the device's `input_from`: "t3.input".
std::string input_buffer(int tensor);

/// The first of `layers` (operators, as they run) that reads an input, through aliased reshapes too: it is needed from
/// there on. The very first layer for one that nothing reads but that is an output of the network; -1: nothing needs
/// it.
int first_reader(const nn::Network& network, bool alias_reshapes, const std::vector<int>& layers, int tensor);

/// `home`: the buffer of a network input in the io memory, from section 0 to its last reader. Gives it the lifetime
/// that `mode` asks for, and appends its buffer in `input_from` to `out` where it is streamed. `section`: per operator,
/// that of its layer; `layers`: as they run. @returns false when it needs no buffer in the io memory.
bool place_input(const nn::Network& network, const hw::Device& device, const Plan& plan, const std::vector<int>& layers,
                 const std::vector<int>& section, PlacedBuffer& home, std::vector<PlacedBuffer>& out);

/// Appends a task that copies the rows `y` of an input (a tensor seen as an image, nn::Tensor::image()) from where it
/// lies dense at `offset` of arena `from` to `to`, a view of the same coordinates, possibly a ring of rows. On the
/// first channel of the engine that copies between the two, so that all rows come in order. `slot`: program::kNoSlot =
/// none.
/// @throws InvariantError when nothing copies between the two memories.
void emit_input_rows(program::Program& program, const nn::Network& network, const hw::Device& device, int tensor,
                     int from, std::int64_t offset, const program::View& to, program::Range y, int slot,
                     std::vector<program::Dependency> dependencies);

/// The same of the whole input, to where it lies dense at `to_offset` of arena `to`.
void emit_input(program::Program& program, const nn::Network& network, const hw::Device& device, int tensor, int from,
                std::int64_t offset, int to, std::int64_t to_offset);

/// The dense view of an input at `offset` of `arena`.
program::View input_view(const nn::Network& network, int tensor, int arena, std::int64_t offset);

/// Appends the tasks that bring in all inputs whose first reader is the layer `op`, whole, and the Wait for them;
/// nothing when there are none. The plan is a streamed one.
void emit_inputs(program::Program& program, const nn::Network& network, const hw::Device& device, const Plan& plan,
                 int op);

}  // namespace dse::plan
