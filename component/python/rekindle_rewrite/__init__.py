"""What makes other models of a SavedModel, and compares their answers with its own; rewrite_model.py is the program."""
