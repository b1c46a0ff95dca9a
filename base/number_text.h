#ifndef REKINDLE_BASE_NUMBER_TEXT_H_
#define REKINDLE_BASE_NUMBER_TEXT_H_

#include <string>

namespace rekindle {

// The shortest decimal that reads back as exactly this double: "0.1", "1e-07";
// "nan", "inf" and "-inf" for what is no number.
std::string ShortestDecimal(double value);

}  // namespace rekindle

#endif  // REKINDLE_BASE_NUMBER_TEXT_H_
