#include "component/config/config_layer.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "component/config/config_tree.h"
#include "component/config/yaml.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/component/config/house_config.h"

namespace rekindle {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

absl::Status ApplyYaml(const std::string& text, Config& config) {
  const auto layer = ParseYaml("house.yaml", text);
  if (!layer.ok()) return layer.status();
  return ApplyLayer(*layer, config);
}

HouseConfig House(const std::string& yaml) {
  HouseConfig house;
  const absl::Status applied = ApplyYaml(yaml, house);
  EXPECT_TRUE(applied.ok()) << applied;
  return house;
}

TEST(ApplyLayerTest, SetsEveryKindOfField) {
  const HouseConfig house = House(R"(
garden: false
floors: 3
height: 9
address: Elm Street
lights: [true, false]
steps: []
areas: [1, 2.5e1]
owners: [Ann, Bob]
sold: true
year: 1990
price: 1e-3
name: "12"
kitchen: {windows: 4}
attic: {colour: red}
rooms: {hall: {windows: 0}, den: {}}
heating: {type: stove, stove: {logs: 5}}
)");
  EXPECT_FALSE(house.garden);
  EXPECT_EQ(house.floors, 3);
  EXPECT_EQ(house.height, 9);
  EXPECT_EQ(house.address, "Elm Street");
  EXPECT_THAT(house.lights, ElementsAre(true, false));
  EXPECT_THAT(house.steps, IsEmpty());
  EXPECT_THAT(house.areas, ElementsAre(1, 25));
  EXPECT_THAT(house.owners, ElementsAre("Ann", "Bob"));
  EXPECT_EQ(house.sold, true);
  EXPECT_EQ(house.year, 1990);
  EXPECT_EQ(house.price, 0.001);
  EXPECT_EQ(house.name, "12");
  EXPECT_EQ(house.kitchen.windows, 4);
  ASSERT_TRUE(house.attic.has_value());
  EXPECT_EQ(house.attic->colour, "red");
  ASSERT_THAT(house.rooms, SizeIs(2));
  EXPECT_EQ(house.rooms.at("hall").windows, 0);
  EXPECT_EQ(house.rooms.at("den").windows, 1);
  EXPECT_EQ(house.heating.type, "stove");
  EXPECT_EQ(house.heating.stove.logs, 5);
}

TEST(ApplyLayerTest, MergesObjectsAndReplacesLists) {
  HouseConfig house = House(
      "{kitchen: {windows: 4}, rooms: {hall: {windows: 7}}, steps: [5, 6, 7]}");
  const absl::Status applied = ApplyYaml(
      "{kitchen: {colour: red}, rooms: {hall: {colour: blue}, den: {}}, "
      "steps: [9]}",
      house);
  ASSERT_TRUE(applied.ok()) << applied;
  EXPECT_EQ(house.kitchen.windows, 4);
  EXPECT_EQ(house.kitchen.colour, "red");
  EXPECT_EQ(house.rooms.at("hall").windows, 7);
  EXPECT_EQ(house.rooms.at("hall").colour, "blue");
  EXPECT_THAT(house.steps, ElementsAre(9));
}

TEST(ApplyLayerTest, NullEmptiesWhatMayBeEmpty) {
  HouseConfig house = House(
      "{sold: true, name: x, attic: {windows: 2}, rooms: {den: {}}, owners: "
      "[Ann], heating: {type: sun, stove: {logs: 3}}}");
  const absl::Status applied = ApplyYaml(
      "{sold: null, name: ~, attic: null, rooms: null, owners: null, heating: "
      "{type: null, stove: {logs: null}}}",
      house);
  ASSERT_TRUE(applied.ok()) << applied;
  EXPECT_FALSE(house.sold.has_value());
  EXPECT_FALSE(house.name.has_value());
  EXPECT_FALSE(house.attic.has_value());
  EXPECT_THAT(house.rooms, IsEmpty());
  EXPECT_THAT(house.owners, IsEmpty());
  EXPECT_EQ(house.heating.type, "");
  EXPECT_EQ(house.heating.stove.logs, 0);
}

TEST(ApplyLayerTest, ReadsACommaListWhereOneIsAllowed) {
  EXPECT_THAT(House("owners: 'Ann, Bob,,Cy '").owners,
              ElementsAre("Ann", "Bob", "Cy"));
  EXPECT_THAT(House("owners: Ann").owners, ElementsAre("Ann"));
  EXPECT_THAT(House("owners: ''").owners, IsEmpty());
}

TEST(ApplyLayerTest, FieldsOfWhatIsNotChosenMayBeNamed) {
  const HouseConfig house =
      House("heating: {type: sun, stove: {heat: 0.25}, sun: {windows: 2}}");
  EXPECT_EQ(house.heating.stove.heat, 0.25);
}

TEST(ApplyLayerTest, TheDefaultOfARefusedNameIsAccepted) {
  House("{pool: false, towers: 0, heating: {reactor: null}}");
}

struct BadLayer {
  std::string name;
  std::string yaml;
  std::string message;
};

class BadLayerTest : public ::testing::TestWithParam<BadLayer> {};

TEST_P(BadLayerTest, IsRefusedWithItsPlace) {
  HouseConfig house;
  const absl::Status applied = ApplyYaml(GetParam().yaml, house);
  EXPECT_EQ(applied.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(applied.message(), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    ApplyLayer, BadLayerTest,
    ::testing::ValuesIn(std::vector<BadLayer>{
        {"MisspeltName", "garden: true\nflors: 3",
         "house.yaml:2: flors is unknown; did you mean 'floors'?"},
        {"MisspeltInnerName", "kitchen:\n  window: 3",
         "house.yaml:2: kitchen.window is unknown; did you mean 'windows'?"},
        {"ForeignName", "kitchen: {zzzzzzzz: 3}",
         "house.yaml:1: kitchen.zzzzzzzz is unknown; there are: windows, "
         "colour"},
        {"NameInAMap", "rooms:\n  den:\n    color: red",
         "house.yaml:3: rooms.den.color is unknown; did you mean 'colour'?"},
        {"NoObject", "[1, 2]",
         "house.yaml:1: the whole is [1,2], expected names and values"},
        {"ScalarForAConfig", "kitchen: 3",
         "house.yaml:1: kitchen is 3, expected names and values"},
        {"NullForAConfig", "kitchen: null",
         "house.yaml:1: kitchen is null, expected names and values"},
        {"ScalarForAMap", "rooms: 3",
         "house.yaml:1: rooms is 3, expected names and values"},
        {"ListForAnOptionalConfig", "attic: []",
         "house.yaml:1: attic is [], expected names and values"},
        {"StringForABool", "garden: yes",
         "house.yaml:1: garden is \"yes\", expected true or false"},
        {"StringForAnInteger", "floors: '3'",
         "house.yaml:1: floors is \"3\", expected an integer, at least 1"},
        {"FractionForAnInteger", "floors: 1.5",
         "house.yaml:1: floors is 1.5, expected an integer, at least 1"},
        {"TooLargeAnInteger", "floors: 9223372036854775808",
         "house.yaml:1: floors is 9.223372036854776e+18, expected an integer, "
         "at least 1"},
        {"NullForAnInteger", "floors: ~",
         "house.yaml:1: floors is null, expected an integer, at least 1"},
        {"InfinityForANumber", "height: .inf",
         "house.yaml:1: height is \".inf\", expected a number, above 0"},
        {"OverflowForANumber", "height: 1e999",
         "house.yaml:1: height is null, expected a number, above 0"},
        {"NumberForAString", "address: 12",
         "house.yaml:1: address is 12, expected a string, not empty"},
        {"BelowRange", "floors: 0",
         "house.yaml:1: floors is 0, expected an integer, at least 1"},
        {"AboveRange", "kitchen: {windows: 10}",
         "house.yaml:1: kitchen.windows is 10, expected an integer, at least 0 "
         "and at most 9"},
        {"OpenRange", "heating: {stove: {heat: 1}}",
         "house.yaml:1: heating.stove.heat is 1, expected a number, above 0 "
         "and below 1"},
        {"ForeignWord", "kitchen: {colour: rod}",
         "house.yaml:1: kitchen.colour is \"rod\", expected a string, one of "
         "white, red, blue"},
        {"EmptyString", "address: ''",
         "house.yaml:1: address is \"\", expected a string, not empty"},
        {"EmptyList", "areas: []",
         "house.yaml:1: areas is [], expected a list of numbers, at least 0 "
         "and not empty"},
        {"BadElement", "steps:\n- 1\n- 0",
         "house.yaml:1: steps is [1,0], expected a list of integers, at least "
         "1"},
        {"ElementOfAnotherType", "lights: [true, 1]",
         "house.yaml:1: lights is [true,1], expected a list of booleans"},
        {"ScalarForAList", "steps: 3",
         "house.yaml:1: steps is 3, expected a list of integers, at least 1"},
        {"RuleOfAnOptional", "year: 7",
         "house.yaml:1: year is 7, expected an integer or null, at least 1000"},
        {"RefusedName", "pool: true",
         "house.yaml:1: pool is true, but cannot be set: there is no water"},
        {"UnknownType", "heating: {type: stov}",
         "house.yaml:1: heating.type is 'stov', which is unknown; did you mean "
         "'stove'?"},
        {"RefusedType", "heating: {type: reactor}",
         "house.yaml:1: heating.type cannot be 'reactor': it is not safe"},
        {"TypeOfAnotherType", "heating: {type: 3}",
         "house.yaml:1: heating.type is 3, expected a string"},
        {"RefusedChoice", "heating: {reactor: {rods: 3}}",
         "house.yaml:1: heating.reactor is {\"rods\":3}, but cannot be set: it "
         "is not safe"},
    }),
    [](const auto& test) { return test.param.name; });

struct DerivedRoom : RoomConfig {
  bool bed = true;

  void Describe(ConfigFields& fields) override {
    RoomConfig::Describe(fields);
    fields.Add("windows", &windows, "again").AtLeast(3);
    fields.Refuse("colour", nullptr, "it is dark");
    fields.Add("bed", &bed);
  }
};

TEST(ConfigFieldsTest, AStructMayDescribeAFieldOfItsBaseAnew) {
  DerivedRoom room;
  EXPECT_THAT(ApplyYaml("windows: 2", room).message(),
              HasSubstr("an integer, at least 3"));
  EXPECT_THAT(ApplyYaml("colour: red", room).message(),
              HasSubstr("it is dark"));
  room.windows = 5;
  EXPECT_EQ(ConfigToYaml(room), "windows: 5\nbed: true\n");
}

TEST(PutAtTest, MakesWhatIsMissingAndMergesObjects) {
  ConfigJson tree = ConfigJson::object();
  PutAt("a.b.c", 1, tree);
  PutAt("a.b", {{"d", 2}}, tree);
  PutAt("a.e", {1, 2}, tree);
  PutAt("a.e", {3}, tree);
  PutAt("f", 1, tree);
  PutAt("f.g", 2, tree);
  EXPECT_EQ(tree.dump(), R"({"a":{"b":{"c":1,"d":2},"e":[3]},"f":{"g":2}})");
}

}  // namespace
}  // namespace rekindle
