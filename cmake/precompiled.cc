// Nothing but the headers that cmake/rk_library.cmake lists.
