"""fn_args_utils and executor."""
