#include "explore/engine/teller.h"

#include <cmath>

namespace dse::explore {

Teller::Teller(const ExploreOptions& options) : options_(options), start_(Clock::now()), began_(start_) {}

void Teller::stage(std::string name) {
  tell();
  stage_ = std::move(name), done_ = total_ = 0, began_ = Clock::now(), behind_ = !what_.empty();
  tell();
}

void Teller::done(const std::string& what, double weight) {
  done_ += weight, what_ = what, behind_ = true;
  if (Clock::now() - told_ >= std::chrono::milliseconds(100) || done_ >= total_) tell();
}

void Teller::tell() {
  if (!options_.progress || !behind_) return;
  told_ = Clock::now(), behind_ = false;
  Progress p;
  p.what = what_, p.stage = stage_, p.done = std::llround(done_), p.total = std::llround(total_);
  p.simulated = simulated_, p.discarded = discarded_, p.front = front_, p.gap = gap_;
  p.seconds = std::chrono::duration<double>(told_ - start_).count();
  const std::chrono::duration<double> spent = told_ - began_;
  p.eta_seconds = done_ > 0 ? spent.count() * std::max(0.0, total_ - done_) / done_ : -1;
  options_.progress(p);
}

}  // namespace dse::explore
