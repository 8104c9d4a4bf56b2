// What declarations of choices are made of: kinds of values, and what their domains ask.
#pragma once
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "plan/choices/choice.h"

namespace dse::plan::choices {

using Domain = std::function<std::vector<int>(const LayerContext&, const LayerChoice&)>;

/// Names of an enumeration, by value.
Choice named(std::string name, std::string doc, std::vector<std::string> names,
             std::function<int(const LayerChoice&)> get, std::function<void(LayerChoice&, int)> set, Domain domain);
/// Counts; 0 is "all".
Choice counted(std::string name, std::string doc, int LayerChoice::*field, Domain domain);
/// A memory of the device, or `none` for -1.
Choice memory(std::string name, std::string doc, std::string none, int LayerChoice::*field, Domain domain);
/// The same choice, which needs these others.
inline Choice needing(std::vector<std::string> needs, Choice c) {
  c.needs = std::move(needs);
  return c;
}
/// Left out by layer searches: other planners decide it.
inline Choice not_searched(Choice c) {
  c.searched = false;
  return c;
}

/// No scheme tiles the layer.
bool whole_only(const LayerContext& c);

// What a version declares, by theme.
std::vector<Choice> home_choices();   // engine, output, layout, weights, operands, in_place
std::vector<Choice> phase_choices();  // phases, halo, strips
std::vector<Choice> tile_choices();   // scheme, tile, filters, channels
std::vector<Choice> flow_choices();   // technique, batches, buffering, order, ...

/// An operand is moved to the nearest memory: it lies where the engine does not reach, or all operands are tiled.
bool moves(const LayerContext& c, const LayerChoice& l, int memory);
bool moves_activations(const LayerContext& c, const LayerChoice& l);
/// Constants are, from where they stream or are resident.
bool moves_filters(const LayerContext& c, const LayerChoice& l);
/// Activations or filters are.
bool moves_anything(const LayerContext& c, const LayerChoice& l);

}  // namespace dse::plan::choices
