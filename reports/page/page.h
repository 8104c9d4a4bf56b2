// What all our pages are made of: a template with slots, D3, and data inside a script element.
#pragma once
#include <span>
#include <string>

namespace dse::reports {

/// Puts text in the place of a slot such as "/*slot:style*/". @throws InvariantError if the page has no such slot.
void fill_slot(std::string& page, const std::string& slot, const std::string& with);

/// A page but for its data: the assets `name`.html between head.html and foot.html, `name`.css, D3 with its licence,
/// and scripts in load order.
std::string page_of(const std::string& name, const std::string& title, std::span<const char* const> scripts);

}  // namespace dse::reports
