// Nothing but the headers that rk_precompile_tensorflow lists.
