# Our own code compiles without a single warning; generated code and the
# headers of others are exempt (they come in as SYSTEM includes).
add_library(rk_warnings INTERFACE)
target_compile_options(rk_warnings INTERFACE -Wall -Wextra -Werror -Wshadow -Wnon-virtual-dtor)
# g++ 12 sees an overlap in `"literal" + std::string(...)` that is not there
# (gcc.gnu.org/PR105651).
target_compile_options(rk_warnings INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
