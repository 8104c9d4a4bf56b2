#include "plan/alloc/valleys/fill.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <span>

#include "plan/alloc/valleys/choice.h"
#include "plan/alloc/valleys/dead_ends.h"

namespace dse::plan::alloc {
namespace {

constexpr std::int64_t kAskFill = 1024;     // nodes between two questions whether to stop
constexpr std::int64_t kLookPerNode = 400;  // buffers and sections looked at, from which a placement counts more

constexpr std::size_t kMostDepth = 5000;  // of the recursion

}  // namespace

class Fill::State {
 public:
  State(const Model& m, std::vector<Block> blocks, bool certain, std::int64_t height)
      : m_(m),
        certain_(certain),
        height_(height),
        blocks_(std::move(blocks)),
        sky_(m, blocks_, height),
        chooser_(sky_) {
    rank_.resize(blocks_.size());
    words_ = static_cast<std::size_t>(m.sections) / 64 + 1;
    for (const auto spare : sky_.spare) possible_ &= spare >= 0;
  }

  Answer run(std::int64_t nodes, Budget& budget) {
    if (height_ < m_.floor) return Answer::none;
    if (blocks_.size() > static_cast<std::size_t>(Search::kMost)) return Answer::unknown;
    budget_ = &budget;
    left_ = std::min(nodes, budget.nodes);
    shuffle();
    tried_ = asked_ = 0, aborted_ = false;
    const bool found = possible_ && fill(0, m_.sections, 0);
    if (!found) sky_.take_back(0);
    tried_ = std::min(tried_, left_);
    budget.nodes -= tried_, budget.used += tried_;
    exhausted_ = !certain_ && !found && !aborted_;
    return found ? Answer::found : aborted_ || exhausted_ ? Answer::unknown : Answer::none;
  }
  bool exhausted() const { return exhausted_; }
  Placement result() const {
    Placement p{std::vector<std::int64_t>(m_.count(), 0), 0};
    for (std::size_t b = 0; b < blocks_.size(); ++b)
      for (const auto& [i, above] : blocks_[b].parts) p.offsets[i] = sky_.offset[b] + above;
    for (int i = 0; i < m_.count(); ++i)
      if (m_.active[i]) p.height = std::max(p.height, m_.end(i, p.offsets[i]));
    return p;
  }

 private:
  struct Part {
    int first, end;
    Failures::Key key;
    Choice choice;
  };
  using Reason = std::vector<std::uint64_t>;  // a bit per section
  struct Frame {
    std::vector<Part> parts;
    Reason reason;
  };

  /// The order of the blocks for the first run; after that, each may move forward by up to a third of all: a run that
  /// has gone astray early is seldom worth more than a new one.
  void shuffle() {
    const auto n = static_cast<std::uint64_t>(blocks_.size());
    for (std::uint64_t k = 0; k < n; ++k) {
      random_ = random_ * 6364136223846793005u + 1442695040888963407u;
      rank_[k] = 3 * k + (runs_ > 0 ? (random_ >> 33) % n : 0);
    }
    ++runs_;
  }

  /// Cuts the sections [first, end) where no open buffer goes across.
  void split(int first, int end, std::vector<Part>& parts, std::size_t& count) const {
    count = 0;
    for (int from = first, to = first; from < end; from = to) {
      ++to;
      if (sky_.alive[from] == 0) continue;
      while (to < end && sky_.crossing[to] > 0) ++to;
      if (parts.size() == count) parts.emplace_back();
      parts[count].first = from, parts[count].end = to, ++count;
    }
  }

  Failures::Key key_of(int first, int end) const {
    Failures::Hash hash;
    for (int s = first; s < end; ++s) {
      hash.add(s, sky_.line[s] * 2 + sky_.hollow[s]);
      for (const int i : sky_.begins[s])
        if (sky_.open[i]) hash.add(i, -1);
    }
    return hash.key;
  }

  /// Places all open buffers that are alive in the sections. False: that cannot be done, or the search is aborted.
  bool fill(int first, int end, std::size_t depth) {
    if (depth > kMostDepth) aborted_ = true;
    if (aborted_) return false;
    if (frames_.size() <= depth) frames_.resize(depth + 1);
    auto& parts = frames_[depth].parts;
    std::size_t count = 0;
    split(first, end, parts, count);
    bool possible = true;
    for (std::size_t k = 0; k < count && possible; ++k) {
      Part& p = parts[k];
      p.key = key_of(p.first, p.end);
      const SectionRange* known = dead_ends_.find(p.key);
      if (known) return fail(depth, *known);
      possible = chooser_.choose(p.first, p.end, p.choice);
      tried_ += chooser_.work() / kLookPerNode;
    }
    if (!possible) return fail(depth, chooser_.reason());
    std::sort(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(count),
              [](const Part& a, const Part& b) { return a.end - a.first < b.end - b.first; });
    for (std::size_t k = 0; k < count; ++k)
      if (!fill_part(depth, k)) return false;
    return true;
  }

  bool fill_part(std::size_t depth, std::size_t k) {
    Part& p = frames_[depth].parts[k];
    std::sort(p.choice.buffers.begin(), p.choice.buffers.end(), [&](int a, int b) { return rank_[a] < rank_[b]; });
    Reason reason(words_, 0);
    include(reason, p.choice.reason);
    bool persists = false;
    const auto go_on = [&](const SectionRange& changed) {
      if (fill(p.first, p.end, depth + 1)) return true;
      if (aborted_) return false;
      const Reason& below = frames_[depth + 1].reason;
      persists = !touches(below, changed);
      for (std::size_t w = 0; w < words_; ++w) reason[w] = persists ? below[w] : reason[w] | below[w];
      return false;
    };
    const auto mark = sky_.mark();
    for (const int i : p.choice.buffers) {
      if (!spend()) return false;
      sky_.put(i);
      if (go_on({sky_.first[i], sky_.end[i]})) return true;
      sky_.take_back(mark);
      if (persists || aborted_) break;
    }
    if (p.choice.raised >= 0 && !persists && !aborted_) {
      if (!spend()) return false;
      sky_.raise(p.choice.section, p.choice.raised);
      if (go_on({p.choice.section, p.choice.section + 1})) return true;
      sky_.take_back(mark);
    }
    if (aborted_) return false;
    dead_ends_.add(p.key, hull(reason));
    frames_[depth].reason = std::move(reason);
    return false;
  }

  bool fail(std::size_t depth, const SectionRange& reason) {
    frames_[depth].reason.assign(words_, 0);
    include(frames_[depth].reason, reason);
    return false;
  }
  static void include(Reason& reason, const SectionRange& s) {
    for (int at = s.first; at < s.end; ++at) reason[at / 64] |= std::uint64_t{1} << at % 64;
  }
  static bool touches(const Reason& reason, const SectionRange& s) {
    for (int at = s.first; at < s.end; ++at)
      if (reason[at / 64] >> at % 64 & 1) return true;
    return false;
  }
  SectionRange hull(const Reason& reason) const {
    SectionRange s{0, m_.sections};
    while (s.first < s.end && !touches(reason, {s.first, s.first + 1})) ++s.first;
    while (s.first < s.end && !touches(reason, {s.end - 1, s.end})) --s.end;
    return s;
  }

  /// Counts a placement. False: the search is aborted.
  bool spend() {
    ++tried_;
    if (tried_ >= left_ || (tried_ - asked_ >= kAskFill && (asked_ = tried_, budget_->ask()))) aborted_ = true;
    return !aborted_;
  }

  const Model& m_;
  const bool certain_;
  const std::int64_t height_;
  const std::vector<Block> blocks_;
  Skyline sky_;
  Chooser chooser_;
  DeadEnds dead_ends_;
  std::vector<std::uint64_t> rank_;  // who is tried first
  std::uint64_t random_ = 1;
  int runs_ = 0;
  std::size_t words_ = 0;
  bool possible_ = true, aborted_ = false, exhausted_ = false;
  Budget* budget_ = nullptr;
  std::int64_t left_ = 0, tried_ = 0, asked_ = 0;
  std::deque<Frame> frames_;  // by depth; stay where they are while deeper ones are added
};

Fill::Fill(const Model& model, std::vector<Block> blocks, bool certain, std::int64_t height)
    : state_(std::make_unique<State>(model, std::move(blocks), certain, height)) {}
Fill::~Fill() = default;
Fill::Fill(Fill&&) noexcept = default;

Answer Fill::run(std::int64_t nodes, Budget& budget) { return state_->run(nodes, budget); }
bool Fill::exhausted() const { return state_->exhausted(); }
Placement Fill::result() const { return state_->result(); }

std::vector<Fill> fills_of(const Model& m, std::int64_t height) {
  std::vector<Fill> out;
  if (!Skyline::suits(m)) return out;
  using Key = std::pair<double, double>;
  const auto length = [](const Block& b) { return static_cast<double>(b.end - b.first); };
  const auto size = [](const Block& b) { return static_cast<double>(b.size); };
  const std::function<Key(const Block&)> keys[] = {
      [&](const Block& b) { return Key(length(b), size(b)); },
      [&](const Block& b) { return Key(length(b) * size(b), size(b)); },
      [&](const Block& b) { return Key(size(b), length(b)); },
      [&](const Block& b) { return Key(length(b) * length(b) * size(b), length(b)); },
  };
  std::size_t least = 0;
  for (const std::int64_t odds : {0, 50, 5}) {
    auto blocks = blocks_of(m, height, odds);
    if (odds > 0 && blocks.size() == least) continue;
    least = blocks.size();
    for (const auto& key : std::span(keys).first(odds == 0 ? 4 : 2)) {
      std::stable_sort(blocks.begin(), blocks.end(), [&](const Block& a, const Block& b) { return key(a) > key(b); });
      out.emplace_back(m, blocks, odds == 0, height);
    }
  }
  return out;
}

}  // namespace dse::plan::alloc
