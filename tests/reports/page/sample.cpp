// Writes the report of the made-up sweep: `reports_sample FILE [FRONTS POINTS TILES DOTS [variants|marked]]`. For
// looking at the page and for report_click.py.
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>

#include "reports/page/html.h"
#include "tests/reports/synthetic.h"

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: reports_sample FILE [FRONTS POINTS TILES DOTS [variants|marked]]\n";
    return 2;
  }
  dse::reports::testing::SyntheticOptions options;
  if (argc > 2) options.fronts = std::atoi(argv[2]);
  if (argc > 3) options.points = std::atoi(argv[3]);
  if (argc > 4) options.tiles_per_layer = std::atoi(argv[4]);
  if (argc > 5) options.dominated = std::atoi(argv[5]);
  options.variants = argc > 6 && argv[6] == std::string("variants");
  options.marked_alone = argc > 6 && argv[6] == std::string("marked");
  std::ofstream out(argv[1], std::ios::binary);
  out << dse::reports::report_html(dse::reports::testing::synthetic_sweep(options));
  return out.flush() ? 0 : 1;
}
