// Numbers as people read them, and the order in which every file lists the points.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "explore/measure/results.h"

namespace dse::reports {

/// 14903 -> "14,903".
std::string grouped(std::int64_t n);
/// Bytes -> "18.4 KiB", from 1 MiB on "1.25 MiB".
std::string memory_text(std::int64_t bytes);
/// Microseconds -> three significant digits with a unit: "9.81 ms", "412 us", "1.27 s"; "-" when not positive (not
/// timed).
std::string latency_text(double us);
/// (now - then) / then as a signed percentage: "-13 %"; "+0 %" never appears: equal is "the same".
std::string change_text(double now, double then);

/// The layer of a row of the account; "?" where it has no name.
std::string layer_of(const explore::Point& p, std::size_t row);
/// The segment of several layers that runs by phases and that this row is of; empty: it is alone in its section.
std::string segment_of(const explore::Point& p, std::size_t row);

/// By memory, latency, origin, id.
std::vector<const explore::Point*> in_order(const std::vector<explore::Point>& points);
/// The front's points, then the marked ones, each in order. A marked plan that lies on the front is a point of the
/// front only.
std::vector<const explore::Point*> ordered_points(const explore::Front& front);
/// The front point that carries this mark ("smallest", "knee", "fastest"), or nullptr.
const explore::Point* point_with_mark(const explore::Front& front, const std::string& mark);

}  // namespace dse::reports
