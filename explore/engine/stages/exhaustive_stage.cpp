// `search: exhaustive`: brute force over whole networks, in worker processes, remembered in the study.
#include <fmt/format.h>

#include <algorithm>

#include "explore/engine/exhaustive.h"
#include "explore/engine/quarantine.h"
#include "explore/engine/work.h"
#include "explore/front/accuracy.h"
#include "explore/front/least.h"
#include "explore/workers/transport.h"
#include "plan/choices/assignment.h"

namespace dse::explore {
namespace {

/// Candidates per work item: enough to make handing out cheap, few enough to share the work evenly.
constexpr std::int64_t kChunk = 64;
/// What can be enumerated in a day on one core, about: beyond it the file asks for something else than it means.
constexpr double kMostCandidates = 1e8;

struct Chunk {
  int work;
  std::int64_t first, size;
};

/// What is on the front so far, with the decisions behind it.
struct Kept {
  std::int64_t number;
  Measured measured;
  plan::Decisions decided;
};

/// In whatever a sweep may ask for; of equal ones the first, whichever worker is faster.
bool beats(const Kept& one, const Kept& other) {
  const auto &a = one.measured, &b = other.measured;
  const bool no_worse = a.memory <= b.memory &&
                        std::equal(a.costs.begin(), a.costs.end(), b.costs.begin(), std::less_equal<>()) &&
                        std::equal(a.heights.begin(), a.heights.end(), b.heights.begin(), std::less_equal<>());
  const bool equal = a.memory == b.memory && a.costs == b.costs && a.heights == b.heights;
  return no_worse && (!equal || one.number <= other.number);
}

/// Every candidate of every case, handed out in chunks.
class Exhaustive {
 public:
  Exhaustive(Engine& engine, std::vector<Work>& works)
      : engine_(engine), works_(works), kept_(works.size()), counts_(works.size()) {}

  void run() {
    if (!share_out()) return;
    recall();
    PoolEvents events;
    events.on_message = [this](std::int64_t i, const std::string& bytes) {
      const auto w = static_cast<std::size_t>(chunks_[static_cast<std::size_t>(i)].work);
      if (engine_.study) engine_.study->put(works_[w].network_subject, candidate_from(bytes));
      engine_.teller.simulated(1);
    };
    events.on_done = [this](std::int64_t i, const std::string& bytes) {
      take(chunks_[static_cast<std::size_t>(i)], bytes);
    };
    events.on_lost = [this](const Lost& loss) { return lost(loss); };
    auto pool = engine_.pool();
    pool.deadline = engine_.until_end();
    const auto results = fork_map(
        static_cast<std::int64_t>(chunks_.size()), pool,
        [this](std::int64_t i, Post& post) { return evaluate_all(chunks_[static_cast<std::size_t>(i)], post); },
        events);
    whole_ = !engine_.interrupted();
    for (const auto& r : results) whole_ = whole_ && r.has_value();
    report_fronts(engine_, works_, [this](std::size_t w, DecisionsById& decided) { return front_of(w, decided); });
  }

 private:
  /// Counts the candidates and cuts them into chunks. @returns false: a case has too many, which is said.
  bool share_out() {
    for (std::size_t w = 0; w < works_.size(); ++w) {
      all_.push_back(std::make_unique<Candidates>(*works_[w].c, engine_.spec, engine_.registry));
      const double count = all_.back()->count();
      if (count > kMostCandidates) {
        engine_.diags.error({engine_.spec.file, 0, 0},
                            fmt::format("search: exhaustive: {} has {:.3g} candidates, more than {:.0e}",
                                        works_[w].name(), count, kMostCandidates),
                            "search: exact proves the same front without running them all; or fix more choices");
        return false;
      }
      auto size = static_cast<std::int64_t>(count);
      if (engine_.spec.simulations > 0 && engine_.spec.simulations < size) {
        counts_[w].skipped = size - engine_.spec.simulations;
        size = engine_.spec.simulations;
      }
      for (std::int64_t first = 0; first < size; first += kChunk)
        chunks_.push_back({static_cast<int>(w), first, std::min(kChunk, size - first)});
      engine_.teller.expect(static_cast<double>(size));
    }
    return true;
  }

  /// What an earlier run left out is not run again.
  void recall() {
    for (auto& work : works_)
      for (const auto& [text, known] : work.known)
        if (known.status == CandidateStatus::crashed || known.status == CandidateStatus::hung)
          ++work.whole_lost, leave_out(work, remembered(known, "candidate"));
  }

  /// Calls each(number, decided) for the candidates of a chunk.
  template <class Each>
  void numbered(const Chunk& chunk, const Each& each) const {
    auto& candidates = *all_[static_cast<std::size_t>(chunk.work)];
    candidates.seek(chunk.first);
    plan::Decisions decided;
    for (std::int64_t i = 0; i < chunk.size && candidates.next(decided); ++i) each(chunk.first + i, decided);
  }
  std::string name_of(const Work& work, const plan::Decisions& decided) const {
    return whole_text(*work.c, decided, engine_.registry);
  }

  /// In a worker: the candidates of a chunk through the full pipeline.
  std::string evaluate_all(const Chunk& chunk, Post& post) const {
    const auto& work = works_[static_cast<std::size_t>(chunk.work)];
    std::int64_t feasible = 0, infeasible = 0;
    std::uint64_t found = 0, wrong = 0;
    ByteWriter list, bad;
    numbered(chunk, [&](std::int64_t number, const plan::Decisions& decided) {
      const auto text = name_of(work, decided);
      const auto known = work.known.find(text);
      const bool failed = known != work.known.end() && (known->second.status == CandidateStatus::crashed ||
                                                        known->second.status == CandidateStatus::hung);
      if (failed) return;
      post.mark(number);
      if (known == work.known.end() && engine_.options.before_candidate) engine_.options.before_candidate(text);
      const auto m = evaluate(*work.c, decided, known == work.known.end() ? nullptr : &known->second);
      if (known == work.known.end() || m.invalid) post.send(to_bytes(candidate_of(m, text)));
      if (m.invalid) {
        bad << text << to_bytes(m), ++wrong;
        return;
      }
      ++(m.feasible() ? feasible : infeasible);
      if (m.feasible()) list << number << to_bytes(m), ++found;
    });
    ByteWriter out;
    out << feasible << infeasible << found << wrong;
    return out.bytes + list.bytes + bad.bytes;
  }

  /// In the parent: what came of them.
  void take(const Chunk& chunk, const std::string& bytes) {
    const auto w = static_cast<std::size_t>(chunk.work);
    ByteReader r(bytes);
    std::uint64_t found = 0, wrong = 0;
    std::int64_t feasible = 0, infeasible = 0;
    r >> feasible >> infeasible >> found >> wrong;
    counts_[w].simulated += feasible, counts_[w].infeasible += infeasible;
    for (std::uint64_t k = 0; k < found; ++k) {
      std::int64_t number = 0;
      std::string measured;
      r >> number >> measured;
      Kept one{number, measured_from(measured), {}};
      if (std::any_of(kept_[w].begin(), kept_[w].end(), [&](const Kept& o) { return beats(o, one); })) continue;
      std::erase_if(kept_[w], [&](const Kept& o) { return beats(one, o); });
      numbered({chunk.work, number, 1}, [&](std::int64_t, const auto& decided) { one.decided = decided; });
      kept_[w].push_back(std::move(one));
    }
    for (std::uint64_t k = 0; k < wrong; ++k) {
      std::string text, measured;
      r >> text >> measured;
      leave_out(works_[w], refused(measured_from(measured), "candidate", text));
    }
    engine_.teller.done(works_[w].name(), static_cast<double>(chunk.size));
  }

  AfterLoss lost(const Lost& loss) {
    const auto& chunk = chunks_[static_cast<std::size_t>(loss.item)];
    auto& work = works_[static_cast<std::size_t>(chunk.work)];
    if (may_try_again(loss)) return AfterLoss::again;
    if (loss.mark < 0) return AfterLoss::give_up;
    Candidate c;
    numbered({chunk.work, loss.mark, 1},
             [&](std::int64_t, const auto& decided) { c.assignment = name_of(work, decided); });
    c.status = loss.hung ? CandidateStatus::hung : CandidateStatus::crashed, c.reason = loss.how;
    if (engine_.study && !loss.exhausted) engine_.study->put(work.network_subject, c);
    leave_out(work, left_by(loss, "candidate", c.assignment));
    ++work.whole_lost;
    work.known[c.assignment] = std::move(c);
    return AfterLoss::again;
  }

  Front front_of(std::size_t w, DecisionsById& decided) const {
    const auto& work = works_[w];
    Front front;
    describe_front(*work.c, front);
    front.notes = work.notes;
    front.left_out = work.left_out;
    std::vector<Point> points;
    for (const auto& k : kept_[w]) {
      if (is_left_out(work, k.measured.plan)) continue;
      points.push_back(light_point(*work.c, k.measured));
      decided[k.measured.plan] = k.decided;
    }
    for (const auto& given : work.given)
      if (given.simulated) points.push_back(given.point), ++front.simulated;
    select_front(points, engine_.spec, front);
    judge_fixed_choices(engine_, work, front);
    front.simulated += counts_[w].simulated;
    front.infeasible = counts_[w].infeasible, front.skipped = counts_[w].skipped;
    front.lost = work.whole_lost;
    front.complete = whole_ && front.skipped == 0 && front.lost == 0 && front.left_out.empty();
    if (front.complete) front.gap = front.pointwise_gap = 0;
    if (front.points.empty() && whole_ && !engine_.spec.constraints.empty()) {
      front.least = least_among(points, engine_.spec.constraints, front.complete);
      front.infeasible_reason = why_infeasible(front.least, front.infeasible_reason);
    }
    judge_accuracy(*work.c, front);
    return front;
  }

  Engine& engine_;
  std::vector<Work>& works_;
  std::vector<std::unique_ptr<Candidates>> all_;
  std::vector<Chunk> chunks_;
  std::vector<std::vector<Kept>> kept_;  // per case
  std::vector<Front> counts_;            // per case: only what is counted
  bool whole_ = false;                   // nothing was left undone
};

}  // namespace

void search_exhaustively(Engine& engine, std::vector<Work>& works) { Exhaustive(engine, works).run(); }

}  // namespace dse::explore
