// make_package_corpus FOLDER: small packages, of every audience, with check bits, encrypted. The first byte of a seed
// tells the target to make sums right.
#include <fstream>
#include <iostream>
#include <string>

#include "deploy/format/contents.h"
#include "deploy/format/sealed.h"
#include "program/encoding.h"
#include "tests/deploy/random_program.h"

int main(int argc, char** argv) {
  using namespace dse;
  if (argc != 2) {
    std::cerr << "usage: make_package_corpus FOLDER\n";
    return 2;
  }
  const auto write = [&](const std::string& name, deploy::Bytes bytes) {
    bytes.insert(bytes.begin(), 1);
    std::ofstream(std::string(argv[1]) + "/" + name, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  };
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    deploy::Contents c;
    c.info = R"({"tool": "dse"})";
    for (std::uint64_t k = 0; k <= seed % 2; ++k) {
      const auto p = test::random_program(seed + k, true);
      c.points.push_back({program::encode(p), 0, static_cast<std::int64_t>(100 + k), "plan"});
    }
    c.images.emplace_back(64, 3);
    c.network = deploy::Bytes(40, 9);
    c.device = "{}";
    c.inputs = {{1, 2, 3}};
    c.outputs = {{4}};
    const auto target = deploy::write_contents(c, deploy::Audience::target, false);
    const std::string n = std::to_string(seed);
    write("host-" + n, deploy::write_contents(c, deploy::Audience::host, false));
    write("parity-" + n, deploy::write_contents(c, deploy::Audience::host, true));
    write("target-" + n, target);
    write("sealed-" + n, deploy::seal(target, c.info, deploy::Key{}));
  }
}
