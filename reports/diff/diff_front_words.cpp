#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/diff/diff_words.h"
#include "reports/words/across.h"
#include "reports/words/certificate.h"
#include "reports/words/format.h"

namespace dse::reports {
namespace {

std::string ids(const std::vector<explore::Point>& points) {
  constexpr std::size_t most = 8;
  std::string out;
  for (std::size_t i = 0; i < std::min(most, points.size()); ++i) out += (i ? ", " : "") + points[i].id;
  return points.size() > most ? out + fmt::format(" and {} more", points.size() - most) : out;
}

/// "3.1 % less", "as much".
std::string degree(double ratio) {
  const double percent = std::abs(ratio) * 100;
  if (percent < 0.005) return "as much";
  return fmt::format("{:.{}f} % {}", percent, percent < 0.95 ? 2 : 1, ratio < 0 ? "less" : "more");
}

/// Both values where they differ, else the one.
std::string range(double least, const std::string& at_least, double most, const std::string& at_most) {
  return least == most ? "everywhere"
                       : fmt::format("from {} (at {}) to {} (at {})", degree(least), at_least, degree(most), at_most);
}

void describe_named(const FrontDiff& d, Document& out) {
  Table t{{{"", false},
           {"A", false},
           {"memory"},
           {"latency"},
           {"B", false},
           {"memory"},
           {"latency"},
           {"memory"},
           {"latency"}}};
  for (const auto& n : d.named) {
    std::vector<std::string> row = {n.name};
    for (const auto* p : {&n.a, &n.b}) {
      row.push_back(*p ? (*p)->id : "none");
      row.push_back(*p ? memory_text((*p)->memory_bytes) : "");
      row.push_back(*p ? latency_text((*p)->latency_us) : "");
    }
    const bool both = n.a && n.b;
    row.push_back(both ? change_text(static_cast<double>(n.b->memory_bytes), static_cast<double>(n.a->memory_bytes))
                       : "");
    row.push_back(both && n.a->latency_us > 0 && n.b->latency_us > 0 ? change_text(n.b->latency_us, n.a->latency_us)
                                                                     : "");
    t.rows.push_back(std::move(row));
  }
  out.table(std::move(t));
}

}  // namespace

void describe(const FrontDiff& d, Document& out) {
  const auto name = [](const explore::Front& s) { return s.network + " on " + s.device; };
  const bool same = name(d.a) == name(d.b);
  out.heading(same ? "fronts of " + name(d.a) : fmt::format("fronts of {} (A) and {} (B)", name(d.a), name(d.b)));
  for (const auto* s : {&d.a, &d.b})
    if (!s->infeasible_reason.empty())
      out.line(fmt::format("{}: {}: {}", s == &d.a ? "A" : "B", none_text(*s), s->infeasible_reason));
  if (d.a.area_mm2 != d.b.area_mm2) {
    const auto area = [](const explore::Front& f) { return f.area_mm2 ? area_text(*f.area_mm2) : "not given"; };
    const bool both = d.a.area_mm2 && d.b.area_mm2;
    out.line(fmt::format("area of the device: A {}; B {}{}", area(d.a), area(d.b),
                         both ? " (" + change_text(*d.b.area_mm2, *d.a.area_mm2) + ")" : ""));
  }
  if (d.equal()) {
    out.line(fmt::format("equal: the same {} points", d.in_both));
    return;
  }
  const auto count = [](const explore::Front& s) {
    return fmt::format("{} {}{}", s.points.size(), s.points.size() == 1 ? "point" : "points",
                       s.complete ? ", complete" : "");
  };
  out.line(fmt::format("A: {}; B: {}; {} in both", count(d.a), count(d.b), d.in_both));
  if (!d.only_a.empty()) out.line("only in A: " + ids(d.only_a));
  if (!d.only_b.empty()) out.line("only in B: " + ids(d.only_b));
  describe_named(d, out);
  const auto time = [&](std::int64_t units) {
    return latency_text(static_cast<double>(units) * 1e6 / static_cast<double>(d.time.per_second));
  };
  if (const auto& l = d.latency_at_equal_memory)
    out.line(fmt::format("at equal memory ({} to {}) B takes {} time in the mean, {}", memory_text(l->from),
                         memory_text(l->to), degree(l->mean),
                         range(l->least, memory_text(l->least_at), l->most, memory_text(l->most_at))));
  if (const auto& m = d.memory_at_equal_latency)
    out.line(fmt::format("at equal latency ({} to {}) B needs {} memory in the mean, {}", time(m->from), time(m->to),
                         degree(m->mean), range(m->least, time(m->least_at), m->most, time(m->most_at))));
}

}  // namespace dse::reports
