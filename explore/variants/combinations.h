// What the axes of a network come to.
#pragma once
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "explore/question/sweep.h"

namespace dse::explore {

/// {"fc0.block", "64"}, {"bits", "8"}
using Fields = std::vector<std::pair<std::string, std::string>>;

/// All values of the axes that are `wanted`, the first axis slowest.
std::vector<Fields> combinations(const std::vector<Axis>& axes, const std::function<bool(const Axis&)>& wanted);
/// A field of a layer, not one of all the network.
bool is_of_layer(const Axis& a);
/// "circulant-arch1/fc0.block=64"
std::string label_of(const std::string& base, const Fields& fields);

}  // namespace dse::explore
