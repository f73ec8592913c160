// Families by name, as the command line takes them, and what is said of names that are none.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "sortlast/error.hpp"
#include "sortlast/fabric/families.hpp"

namespace sortlast::fabric {
namespace {

std::string message_of(const std::string& text) {
  try {
    make_topology(text);
  } catch (const ArgumentError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Families, AreMadeByName) {
  EXPECT_EQ(make_topology("pgft:18,12;1,9;1,2").name(), "PGFT(2; 18,12; 1,9; 1,2)");
  EXPECT_EQ(make_topology("torus:8,8,8").name(), "8x8x8 torus");
  EXPECT_EQ(make_topology("mesh:4,4;3").hosts(), 48);
  std::set<std::string> names;
  for (const Family& family : families()) {
    EXPECT_EQ(family.usage.substr(0, family.name.size() + 1), family.name + ":");
    EXPECT_TRUE(names.insert(family.name).second);
    EXPECT_NE(message_of("nonsense:1").find(family.usage), std::string::npos);
    EXPECT_NE(message_of(family.name).find(family.usage), std::string::npos) << "no parameters";
  }
}

TEST(Families, NamesOfNonsenseSayWhatIsWrong) {
  EXPECT_NE(message_of("torus:8,x").find("'x' is no whole number"), std::string::npos);
  EXPECT_NE(message_of("torus:8,").find("'' is no whole number"), std::string::npos);
  EXPECT_NE(message_of("torus:99999999999").find("is no whole number"), std::string::npos);
  EXPECT_EQ(message_of("rlft:36"),
            "topology 'rlft:36': 1 parameters instead of 2; expected rlft:PORTS,LEVELS");
  EXPECT_NE(message_of("pgft:4,4;1,4").find("2 lists of parameters instead of 3"), std::string::npos);
  EXPECT_NE(message_of("rlft:7,2").find("cannot be halved"), std::string::npos);
  EXPECT_NE(message_of("").find("no family ''"), std::string::npos);
}

}  // namespace
}  // namespace sortlast::fabric
