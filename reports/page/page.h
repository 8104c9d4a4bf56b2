// What all our pages are made of: a template with slots, D3, and data inside a script element.
#pragma once
#include <string>

namespace dse::reports {

/// Puts text in the place of a slot such as "/*slot:style*/". @throws InvariantError if the page has no such slot.
void fill_slot(std::string& page, const std::string& slot, const std::string& with);

/// D3 with its licence before it and without web addresses that a reader might take for requests.
std::string d3_source();

}  // namespace dse::reports
