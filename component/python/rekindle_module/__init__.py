"""What runs a user's module file; run_module.py is the program.

Nothing here imports TensorFlow before the user's module does, or needs it: a module that cannot be run is told in a
tenth of a second.
"""
