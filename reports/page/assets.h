// The files of reports/assets and D3, as they were when the library was built.
#pragma once
#include <string>
#include <string_view>

namespace dse::reports {

/// The bytes of one asset by file name without its folder ("report.css", "d3.min.js"). @throws InvariantError if there
/// is none of that name.
std::string_view asset(const std::string& name);

}  // namespace dse::reports
