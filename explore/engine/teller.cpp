#include "explore/engine/teller.h"

#include <cmath>

namespace dse::explore {

Teller::Teller(const ExploreOptions& options) : options_(options), start_(Clock::now()) {}

void Teller::done(const std::string& what, double weight) {
  done_ += weight, what_ = what, behind_ = true;
  if (Clock::now() - told_ >= std::chrono::milliseconds(100) || done_ >= total_) tell();
}

void Teller::tell() {
  if (!options_.progress || !behind_) return;
  told_ = Clock::now(), behind_ = false;
  Progress p;
  p.what = what_, p.done = std::llround(done_), p.total = std::llround(total_);
  p.simulated = simulated_, p.discarded = discarded_, p.front = front_, p.gap = gap_;
  p.seconds = std::chrono::duration<double>(told_ - start_).count();
  p.eta_seconds = done_ > 0 ? p.seconds * std::max(0.0, total_ - done_) / done_ : -1;
  options_.progress(p);
}

}  // namespace dse::explore
