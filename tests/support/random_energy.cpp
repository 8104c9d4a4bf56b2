#include "tests/support/random_energy.h"

namespace dse::test {

hw::DevicePtr with_energy(const hw::Device& device, Random& random, int leakage) {
  auto d = std::make_shared<hw::Device>(device);
  d->energy_source = "drawn";
  const auto figure = [&](int most) { return pick(random, 0, 8 * most) / 8.0; };
  for (auto& m : d->memories) {
    m.energy_pj_per_byte = figure(m.on_chip ? 4 : 40);
    if (pick(random, 0, 1)) m.energy_pj_per_byte_read = figure(4);
    if (pick(random, 0, 1)) m.energy_pj_per_byte_written = figure(9);
    m.energy_pj_per_access = figure(10);
    if (leakage > 0) m.leakage_uw = figure(leakage), m.leakage_uw_per_kib = figure(leakage / 1000);
  }
  for (auto& e : d->engines) {
    if (e.computes()) {
      e.energy_pj_per_mac = figure(5);
      if (pick(random, 0, 1)) e.energy_pj_per_mac_int16 = figure(20);
      e.energy_pj_per_element = figure(3), e.energy_pj_per_cycle = figure(30);
    }
    if (leakage > 0) e.leakage_uw = figure(leakage);
  }
  if (leakage > 0) d->leakage_uw = figure(leakage);
  return d;
}

}  // namespace dse::test
