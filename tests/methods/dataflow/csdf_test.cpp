// CSDF graphs: balance, deadlock, SDF3 files there and back, and files that are wrong.
#include "methods/dataflow/csdf.h"

#include <gmock/gmock.h>

#include "methods/dataflow/buffers.h"
#include "methods/dataflow/sdf3.h"
#include "tests/methods/dataflow/networks.h"

namespace dse::plan::phases::csdf_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

CsdfGraph ring(std::int64_t tokens) {
  CsdfGraph g{"ring", {{"a", 2}, {"b", 1}}, {}};
  g.channels.push_back({"forth", 0, 1, {1, 2}, {2}, 0, 1});
  g.channels.push_back({"back", 1, 0, {2}, {2, 1}, tokens, 1});
  return g;
}

TEST(Csdf, RepetitionVectorBalancesEveryChannel) {
  EXPECT_THAT(repetition_vector(ring(3)).cycles, ElementsAre(2, 3));
  auto g = ring(3);
  g.channels[1].production = {3};
  const auto r = repetition_vector(g);
  EXPECT_TRUE(r.cycles.empty());
  EXPECT_THAT(r.why, HasSubstr("channel 'back' does not balance"));
}

TEST(Csdf, DeadlockIsAMatterOfInitialTokens) {
  const auto stuck = [](std::int64_t tokens) {
    const auto g = ring(tokens);
    return deadlock(literal_flow(g, repetition_vector(g)));
  };
  EXPECT_THAT(stuck(1), ElementsAre(Firing{0, 1}, Firing{1, 1}));
  EXPECT_FALSE(stuck(2).empty());
  EXPECT_TRUE(stuck(3).empty());
}

TEST(Csdf, HugeRatesAreRefusedNotWrapped) {
  CsdfGraph g{"huge", {{"a", 1}, {"b", 1}, {"c", 1}}, {}};
  g.channels.push_back({"x", 0, 1, {max_tokens}, {max_tokens - 1}, 0, 1});
  g.channels.push_back({"y", 1, 2, {max_tokens}, {max_tokens - 1}, 0, 1});
  EXPECT_TRUE(repetition_vector(g).cycles.empty());
  EXPECT_THAT(repetition_vector(g).why, HasSubstr("more than"));
}

TEST(Csdf, EveryNetworkIsConsistentAndFreeOfDeadlock) {
  for (const auto& g : {test::resnet18(), test::googlenet(true), test::tiny_yolo_v2()})
    for (const auto& layers : {g, fuse_elementwise(g)}) {
      const auto csdf = to_csdf(layers, minimum_parts(layers), 1);
      const auto r = repetition_vector(csdf);
      EXPECT_EQ(r.why, "");
      EXPECT_TRUE(deadlock(literal_flow(csdf, r)).empty());
    }
}

TEST(Sdf3, ComesBackAsItWasWritten) {
  for (const auto& layers : {test::example41(), test::resnet18(), test::densenet121()}) {
    const auto g = to_csdf(layers, minimum_parts(layers), 4);
    Diagnostics d;
    const auto back = from_sdf3(to_sdf3(g), "g.xml", d);
    ASSERT_TRUE(back) << d.text();
    EXPECT_TRUE(d.empty());
    ASSERT_EQ(back->graph.actors.size(), g.actors.size());
    ASSERT_EQ(back->graph.channels.size(), g.channels.size());
    for (std::size_t i = 0; i < g.actors.size(); ++i) EXPECT_EQ(back->graph.actors[i].phases, g.actors[i].phases);
    for (std::size_t i = 0; i < g.channels.size(); ++i) {
      const auto &a = g.channels[i], &b = back->graph.channels[i];
      EXPECT_EQ(a.name, b.name);
      EXPECT_EQ(a.from, b.from);
      EXPECT_EQ(a.to, b.to);
      EXPECT_EQ(a.production, b.production);
      EXPECT_EQ(a.consumption, b.consumption);
      EXPECT_EQ(a.token_bytes, b.token_bytes);
    }
    EXPECT_EQ(to_sdf3(back->graph).size() > 0, true);
  }
}

/// A file with the content of <csdf>, which begins in line 2.
std::string file(const std::string& content, const std::string& properties = {}) {
  return "<sdf3 type='csdf' version='1.0'><applicationGraph name='g'><csdf name='g' type='g'>\n" + content + "</csdf>" +
         properties + "</applicationGraph></sdf3>\n";
}
const char* const two_actors =
    "<actor name='a' type='a'><port name='o' type='out' rate='2*1,3'/></actor>\n"
    "<actor name='b' type='b'><port name='i' type='in' rate='5'/></actor>\n";

std::string said(const std::string& text) {
  Diagnostics d;
  EXPECT_FALSE(from_sdf3(text, "f", d)) << text;
  EXPECT_TRUE(d.has_errors());
  return d.text();
}

TEST(Sdf3, ReadsOthersFiles) {
  Diagnostics d;
  const auto g = from_sdf3(
      "\xEF\xBB\xBF<?xml version=\"1.0\"?>\n<!-- by hand -->\n" +
          file(std::string(two_actors) +
                   "<channel name='x&amp;y' srcActor='a' srcPort='o' dstActor='b' dstPort='i' initialTokens='7'/>\n",
               "<csdfProperties><channelProperties channel='x&amp;y'><tokenSize sz='4'/><bandwidth "
               "min='1'/></channelProperties>"
               "<graphProperties/></csdfProperties>"),
      "f", d);
  ASSERT_TRUE(g) << d.text();
  EXPECT_THAT(g->graph.channels.at(0).production, ElementsAre(1, 1, 3));
  EXPECT_EQ(g->graph.channels[0].name, "x&y");
  EXPECT_EQ(g->graph.channels[0].initial_tokens, 7);
  EXPECT_EQ(g->graph.channels[0].token_bytes, 4);
  EXPECT_THAT(repetition_vector(g->graph).cycles, ElementsAre(1, 1));
}

TEST(Sdf3, SaysWhatIsWrongAndWhere) {
  const std::string channel = "<channel name='c' srcActor='a' srcPort='o' dstActor='b' dstPort='i'/>\n";
  EXPECT_THAT(said(file(two_actors)), HasSubstr("f:2:58: error: port 'o' of actor 'a' is on no channel"));
  EXPECT_THAT(said(file(two_actors + channel + channel)), HasSubstr("is on two channels"));
  EXPECT_THAT(
      said(file(two_actors + std::string("<channel name='c' srcActor='z' srcPort='o' dstActor='b' dstPort='i'/>"))),
      HasSubstr("f:4:29: error: there is no actor 'z'"));
  EXPECT_THAT(
      said(file(two_actors + std::string("<channel name='c' srcActor='b' srcPort='i' dstActor='a' dstPort='o'/>"))),
      HasSubstr("port 'i' of actor 'b' is an input"));
  EXPECT_THAT(said(file("<actor name='a'><port name='p' type='out' rate='1,-2'/></actor>")),
              HasSubstr("f:2:51: error: '-2' is no whole number"));
  EXPECT_THAT(said(file("<actor name='a'><port name='p' type='out' rate='1,,2'/></actor>")),
              HasSubstr("'' is no whole number"));
  EXPECT_THAT(said(file("<actor name='a'><port name='p' type='out' rate='9999999*1'/></actor>")),
              HasSubstr("more than 4000000 rates"));
  EXPECT_THAT(
      said(file("<actor name='a'><port name='p' type='out' rate='3*1'/><port name='q' type='in' rate='2*1'/></actor>")),
      HasSubstr("port 'q' has 2 rates, another one of actor 'a' has 3"));
  EXPECT_THAT(said(file("<actor name='a'/><actor name='a'/>")), HasSubstr("a second actor 'a'"));
  EXPECT_THAT(said(file("<thing/>")), HasSubstr("f:2:1: error: <thing> is unknown"));
  EXPECT_THAT(said("<sdf3 type='sdf'/>"), HasSubstr("a graph of type 'sdf'"));
  EXPECT_THAT(said("<graph/>"), HasSubstr("not <sdf3>"));
}

TEST(Xml, RefusesWhatItDoesNotNeed) {
  EXPECT_THAT(said("<!DOCTYPE x [<!ENTITY a 'b'>]><x/>"), HasSubstr("f:1:1: error: document types are not read"));
  EXPECT_THAT(said("<a><![CDATA[x]]></a>"), HasSubstr("CDATA"));
  EXPECT_THAT(said("<a>\n  text</a>"), HasSubstr("f:2:3: error: text inside <a>"));
  EXPECT_THAT(said("<a>\n<b>\n</a>"), HasSubstr("f:3:1: error: </a> closes another element"));
  EXPECT_THAT(said("<a>\n<b>"), HasSubstr("f:2:1: error: <b>, or an element around it, is never closed"));
  EXPECT_THAT(said("<a x='1' x='2'/>"), HasSubstr("attribute 'x' is given twice"));
  EXPECT_THAT(said("<a x='&#7;'/>"), HasSubstr("f:1:7: error: a control character"));
  EXPECT_THAT(said("<a x=1/>"), HasSubstr("f:1:6: error: an attribute without a name, or without a value in quotes"));
  EXPECT_THAT(said("<a x='1"), HasSubstr("without a value in quotes"));
  EXPECT_THAT(said(""), HasSubstr("there is no element"));
  EXPECT_THAT(said("<a/><b/>"), HasSubstr("second root"));
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "<a>";
  for (int i = 0; i < 100'000; ++i) deep += "</a>";
  EXPECT_THAT(said(deep), HasSubstr("nested more than 32 deep"));
}

TEST(Xml, EveryTruncationIsRefusedOrRead) {
  const auto g = to_csdf(test::example41(), minimum_parts(test::example41()), 1);
  const auto text = to_sdf3(g);
  for (std::size_t n = 0; n + 8 < text.size(); ++n) {
    Diagnostics d;
    EXPECT_FALSE(from_sdf3(text.substr(0, n), "f", d));
    EXPECT_TRUE(d.has_errors());
  }
}

}  // namespace
}  // namespace dse::plan::phases::csdf_test
