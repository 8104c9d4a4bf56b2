#include "explore/engine/quarantine.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string_view>

#include "base/log.h"

namespace dse::explore {
namespace {

/// Named in notes, of each reason; results name all.
constexpr std::ptrdiff_t kNamed = 3;

/// How worker losses begin that were exceptions, and reasons of refused candidates in a study.
constexpr std::string_view kThrown = "error: ", kRefused = "refused by the checker: ";

/// The first of the findings, which come one per line.
std::string first_line(const std::string& text) {
  const auto end = text.find('\n');
  if (end == std::string::npos) return text;
  const auto more = std::count(text.begin(), text.end(), '\n') - (text.back() == '\n' ? 1 : 0);
  return text.substr(0, end) + (more > 0 ? fmt::format(", and {} more", more) : "");
}

std::string in_words(const LeftOut& l) {
  const auto which = !l.plan.empty() ? " " + l.plan : l.assignment.empty() ? "" : " '" + l.assignment + "'";
  const auto name = l.what + which + " was left out: ";
  if (l.why == "other bytes") return name + "it computes other bytes than the interpreter";
  if (l.why == "refused") return fmt::format("{}the checker refuses it ({})", name, first_line(l.reason));
  if (l.why == "failed") return fmt::format("{}it failed ({})", name, first_line(l.reason));
  if (l.why == kOutOfMemory) return name + "there was no memory for it";
  return fmt::format("{}its simulation {} ({})", name, l.why, l.reason);
}

}  // namespace

void leave_out(Work& work, LeftOut candidate) {
  const auto same = [&](const LeftOut& l) {
    return l.why == candidate.why && l.what == candidate.what && l.plan == candidate.plan &&
           l.assignment == candidate.assignment;
  };
  if (std::any_of(work.left_out.begin(), work.left_out.end(), same)) return;
  log_debug(work.name() + ": " + in_words(candidate));
  const auto alike = std::count_if(work.left_out.begin(), work.left_out.end(),
                                   [&](const LeftOut& l) { return l.why == candidate.why; });
  if (alike < kNamed) work.notes.push_back(in_words(candidate));
  if (alike == kNamed) work.notes.push_back("more candidates were left out: left_out in results.json names them all");
  work.left_out.push_back(std::move(candidate));
}

LeftOut left_by(const Lost& loss, const std::string& what, const std::string& assignment) {
  const bool thrown = loss.how.rfind(kThrown, 0) == 0;
  if (loss.exhausted) return {what, "", assignment, kOutOfMemory, loss.how};
  return {what, "", assignment, thrown ? "failed" : loss.hung ? "hung" : "crashed", loss.how};
}

LeftOut refused(const Measured& measured, const std::string& what, const std::string& assignment) {
  return {what, measured.plan, assignment, measured.failed ? "failed" : "refused", measured.reason};
}

LeftOut remembered(const Candidate& c, const std::string& what) {
  if (c.reason.rfind(kRefused, 0) == 0)
    return {what, c.plan, c.assignment, "refused", c.reason.substr(kRefused.size())};
  const bool thrown = c.reason.rfind(kThrown, 0) == 0;
  return {what, c.plan, c.assignment, thrown ? "failed" : std::string(to_string(c.status)), c.reason};
}

bool is_left_out(const Work& work, const std::string& plan) {
  return std::any_of(work.left_out.begin(), work.left_out.end(), [&](const LeftOut& l) { return l.plan == plan; });
}

void report_defects(const Front& front, Diagnostics& diags) {
  const auto first = std::find_if(front.left_out.begin(), front.left_out.end(), std::mem_fn(&LeftOut::is_defect));
  if (first == front.left_out.end()) return;
  const auto all = std::count_if(first, front.left_out.end(), std::mem_fn(&LeftOut::is_defect));
  diags.error({},
              fmt::format("a defect of dse in {} of {} on {}: {}", all == 1 ? "a plan" : fmt::format("{} plans", all),
                          front.network, front.device, in_words(*first)));
}

}  // namespace dse::explore
