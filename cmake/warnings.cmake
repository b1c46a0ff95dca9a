# Our own code compiles without a single warning; generated code and the
# headers of others are exempt (they come in as SYSTEM includes).
add_library(rk_warnings INTERFACE)
target_compile_options(rk_warnings INTERFACE -Wall -Wextra -Werror -Wshadow -Wnon-virtual-dtor)
