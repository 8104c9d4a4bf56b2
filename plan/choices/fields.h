// The fields of what is decided, by name: ids, transport and tests go through them, so that none of them forgets one.
// A field that is added to the struct and not here does not compile.
#pragma once
#include <type_traits>

#include "plan/choices/choice.h"
#include "plan/layer/layer.h"
#include "plan/plan.h"

namespace dse::plan {

/// f(name, field) for every field, in the order in which they came to be: new ones are added at the end.
template <class Choice, class F>
void for_each_field(Choice& c, F&& f) requires std::is_same_v<std::remove_const_t<Choice>, LayerChoice> {
  auto& [scheme, tile, filters, channels, buffering, order, operands, staging, weights_memory, output_memory,
         output_layout, engine, phases, halo, strips, in_place, prefetch, technique, batches, batch_buffers,
         sums_memory, further] = c;
  f("scheme", scheme), f("tile", tile), f("filters", filters), f("channels", channels);
  f("buffering", buffering), f("order", order), f("operands", operands), f("staging", staging);
  f("weights_memory", weights_memory), f("output_memory", output_memory), f("output_layout", output_layout);
  f("engine", engine), f("phases", phases), f("halo", halo), f("strips", strips), f("in_place", in_place);
  f("further", further), f("prefetch", prefetch), f("technique", technique);
  f("batches", batches), f("batch_buffers", batch_buffers), f("sums_memory", sums_memory);
}

template <class Choice, class F>
void for_each_field(Choice& c, F&& f) requires std::is_same_v<std::remove_const_t<Choice>, NetworkChoice> {
  auto& [alias_reshapes, greedy_offsets, input, order] = c;
  f("alias_reshapes", alias_reshapes), f("greedy_offsets", greedy_offsets), f("input", input);
  f("order", order);
}

}  // namespace dse::plan
