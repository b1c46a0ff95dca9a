"""Stands in for tfx_bsl: the options of data_accessor's factories."""
