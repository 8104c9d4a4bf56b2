// The report: one HTML file that needs nothing beside it.
#pragma once
#include <string>

#include "explore/measure/results.h"
#include "reports/page/payload.h"

namespace dse::reports {

/// The whole page, UTF-8: markup, style, scripts, D3 and data in one file that opens without a network. At most
/// `limits.bytes` long as long as everything but traces fits; traces are cut to fit and the page says where. Equal
/// sweeps give equal bytes.
std::string report_html(const explore::Sweep& sweep, const PageLimits& limits = {});

}  // namespace dse::reports
