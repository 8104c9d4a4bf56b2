// What a front answers, in words: the questions are its objectives and limits.
#pragma once
#include <string>
#include <vector>

#include "explore/measure/results.h"

namespace dse::reports {

/// "64 KiB", "20 ms", "2 mJ": a value in the unit of the metric's limits (bytes, microseconds, microjoules), with this
/// many significant digits at most.
std::string metric_text(const std::string& metric, double value, int digits);

/// "memory and latency", "latency, energy and traffic".
std::string objectives_text(const std::vector<std::string>& objectives);
/// The front is in memory and latency, as charts draw it.
bool in_memory_and_latency(const explore::Front& front);
/// The marks of a front's ends and knee, in the order in which they are told.
std::vector<std::string> mark_names(const explore::Front& front);

/// Whether this is the smallest plan near the best, which a front of one objective shows beside it.
bool is_near_best(const explore::Point& point);

/// One line per objective: "fastest within memory <= 64 KiB: 9.81 ms (63.4 KiB)", "least memories.l1.peak with latency
/// <= 20 ms: 23.4 KiB (81.2 KiB in all, 19.7 ms)". None for an empty front, nor for one in memory and latency without
/// limits, whose ends say it. Then, where it was asked for: "smallest within 1 % of the best latency: 24.0 KiB (6.30
/// ms)".
std::vector<std::string> answers(const explore::Front& front);

/// What becomes of the front without an axis of its space, a row per axis that was asked for: its name, the smallest
/// point and the fastest with their change, the share of the hypervolume that is lost, and what is there to know
/// beside it.
std::vector<std::vector<std::string>> without_rows(const explore::Front& front);

}  // namespace dse::reports
