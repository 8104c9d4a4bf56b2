// In which order the layers of a network may run.
#pragma once
#include <string>
#include <variant>
#include <vector>

#include "models/nn/network.h"

namespace dse::plan {

/// Per operator: the layers that must have run before it, ascending. Those that make what it reads, through aliased
/// reshapes too, and those that the file lists before it and that use the same variables. Empty for what is no layer.
std::vector<std::vector<int>> run_before(const nn::Network& network, bool alias_reshapes);
/// The layers (operators) as they run: `order`, or as in the file where it is empty.
std::vector<int> layers_in(const nn::Network& network, bool alias_reshapes, const std::vector<int>& order);
/// What keeps the layers from running in this order: one is missing, there twice, or before what it needs. Empty:
/// nothing. `at`, where given: the place in the order that it is about; its end where a layer is missing.
std::string why_not_in(const nn::Network& network, bool alias_reshapes, const std::vector<int>& order,
                       std::size_t* at = nullptr);
/// There is an order besides the file's.
bool has_orders(const nn::Network& network, bool alias_reshapes);
/// An order of all layers that runs those late which the file lists early, as far as it may.
std::vector<int> latest_first(const nn::Network& network, bool alias_reshapes);

/// "file" where `order` is empty, else the names of the layers, with commas between them: "a1,b1,c1". A comma or a
/// percent sign in a name is %2C or %25.
std::string order_text(const nn::Network& network, const std::vector<int>& order);
/// The inverse; the order, or what is wrong with the text. Names of layers alone are looked at, not whether they may
/// run so. `at`, where given: the place in the list of what is wrong.
std::variant<std::vector<int>, std::string> parse_order(const nn::Network& network, const std::string& text,
                                                        std::size_t* at = nullptr);

}  // namespace dse::plan
