"""Schema and its parts."""

from rekindle_module import run_time_protos

run_time_protos.define("tensorflow_metadata/proto/v0/schema.proto", globals())
