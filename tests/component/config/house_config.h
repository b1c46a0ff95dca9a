#ifndef REKINDLE_TESTS_COMPONENT_CONFIG_HOUSE_CONFIG_H_
#define REKINDLE_TESTS_COMPONENT_CONFIG_HOUSE_CONFIG_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "rekindle/training/config.h"

namespace rekindle {

// A config with every kind of field, as a user's module would write it.

struct RoomConfig : Config {
  int64_t windows = 1;
  std::string colour = "white";

  void Describe(ConfigFields& fields) override {
    fields.Add("windows", &windows, "of glass").AtLeast(0).AtMost(9);
    fields.Add("colour", &colour).AnyOf({"white", "red", "blue"});
  }
};

struct StoveConfig : Config {
  double heat = 0.5;
  int64_t logs = 0;

  void Describe(ConfigFields& fields) override {
    fields.Add("heat", &heat).Above(0).Below(1);
    fields.Add("logs", &logs, "wood to burn").AtLeast(1).OrNull();
  }
};

struct HeatingConfig : Config {
  std::string type;
  StoveConfig stove;
  RoomConfig sun;

  void Describe(ConfigFields& fields) override {
    fields.AddType(&type);
    fields.Add("stove", &stove);
    fields.Add("sun", &sun);
    fields.Refuse({"reactor"}, "it is not safe");
  }
};

struct HouseConfig : Config {
  bool garden = true;
  int64_t floors = 2;
  double height = 7.5;
  std::string address = "Main Street 1";
  std::vector<bool> lights;
  std::vector<int64_t> steps = {1, 2};
  std::vector<double> areas = {20.5};
  std::vector<std::string> owners;
  std::optional<bool> sold;
  std::optional<int64_t> year;
  std::optional<double> price;
  std::optional<std::string> name;
  RoomConfig kitchen;
  std::optional<RoomConfig> attic;
  std::map<std::string, RoomConfig> rooms;
  HeatingConfig heating;

  void Describe(ConfigFields& fields) override {
    fields.Add("garden", &garden);
    fields.Add("floors", &floors).AtLeast(1);
    fields.Add("height", &height).Above(0);
    fields.Add("address", &address).NotEmpty();
    fields.Add("lights", &lights);
    fields.Add("steps", &steps).AtLeast(1);
    fields.Add("areas", &areas).AtLeast(0).NotEmpty();
    fields.Add("owners", &owners).OrCommaList().OrNull();
    fields.Add("sold", &sold);
    fields.Add("year", &year).AtLeast(1000);
    fields.Add("price", &price).AtLeast(0);
    fields.Add("name", &name);
    fields.Add("kitchen", &kitchen);
    fields.Add("attic", &attic);
    fields.Add("rooms", &rooms);
    fields.Add("heating", &heating);
    fields.Refuse("pool", false, "there is no water");
    fields.Refuse("towers", 0, "it is not a castle");
  }

  absl::Status Validate() const override {
    if (height >= static_cast<double>(floors)) return absl::OkStatus();
    return absl::InvalidArgumentError("height is less than a metre a floor");
  }
};

}  // namespace rekindle

#endif  // REKINDLE_TESTS_COMPONENT_CONFIG_HOUSE_CONFIG_H_
