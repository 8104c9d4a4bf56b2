// Writes the pages that inspect_click.py uses: `inspect_sample SMALL.html LARGE.html`.
#include <fstream>

#include "reports/network/network_page.h"
#include "tests/reports/page/inspected_network.h"

int main(int argc, char** argv) {
  using namespace dse::reports;
  if (argc != 3) return 2;
  std::ofstream(argv[1], std::ios::binary) << network_page(*testing::small_network());
  std::ofstream(argv[2], std::ios::binary) << network_page(*testing::large_network(668));
  return 0;
}
