"""Writes what the real tfx_bsl and tensorflow_transform make of schemas and of examples.

    python make.py        in an environment with tensorflow-transform 1.21.0

writes, beside itself, feature_specs.json (random schemas in text form, the feature spec and the domains of each, or that
it is refused) and batches.json (for options of tf_dataset_factory a digest over the batches of one file of
taxi_transform/raw).
"""

import json
import pathlib
import random

from absl import logging
from google.protobuf import text_format
from tensorflow_metadata.proto.v0 import schema_pb2
from tensorflow_transform.tf_metadata import schema_utils
from tfx_bsl.tfxio import dataset_options
from tfx_bsl.tfxio import tf_example_record

import batch_digest

HERE = pathlib.Path(__file__).resolve().parent
SCHEMAS = 80
OPTIONS = (
    {"shuffle": False, "num_epochs": 1},
    {"shuffle": False, "num_epochs": 1, "drop_final_batch": True},
    {"shuffle": False, "num_epochs": 2, "label_key": "tips"},
    {"shuffle_seed": 4, "num_epochs": 2},
    {"shuffle_seed": 4, "shuffle_buffer_size": 20, "label_key": "tips"},
)


def random_schema(draw):
    schema = schema_pb2.Schema(represent_variable_length_as_ragged=draw.random() < 0.3)
    for i in range(draw.randint(1, 6)):
        add_feature(draw, schema, schema.feature.add(name="f%d" % i))
    if draw.random() < 0.3:
        add_sparse_feature(draw, schema)
    if draw.random() < 0.4:
        add_representation(draw, schema)
    return schema


def add_feature(draw, schema, feature):
    feature.type = draw.choice((schema_pb2.BYTES, schema_pb2.INT, schema_pb2.FLOAT))
    form = draw.random()
    if form < 0.4:
        feature.shape.SetInParent()
        for _ in range(draw.randint(0, 3)):
            feature.shape.dim.add(size=draw.randint(1, 4))
        feature.presence.min_fraction = 1 if draw.random() < 0.95 else 0.5
    elif form < 0.7:
        feature.value_count.min = feature.value_count.max = 1
    feature.deprecated = draw.random() < 0.1
    if draw.random() < 0.2:
        feature.lifecycle_stage = draw.choice(schema_pb2.LifecycleStage.values())
    add_domain(draw, schema, feature)


def add_domain(draw, schema, feature):
    if draw.random() < 0.5:
        return
    if feature.type == schema_pb2.INT:
        feature.int_domain.min, feature.int_domain.max = 0, 7
    elif feature.type == schema_pb2.BYTES and draw.random() < 0.5:
        feature.string_domain.value.append("own")
    elif feature.type == schema_pb2.BYTES:
        feature.domain = "shared"
        if not schema.string_domain:
            schema.string_domain.add(name="shared").value.append("of all")


def add_sparse_feature(draw, schema):
    index = schema.feature.add(name="index", type=schema_pb2.INT)
    if draw.random() < 0.6:
        index.int_domain.min, index.int_domain.max = draw.choice(((0, 9), (0, 9), (1, 9)))
    schema.feature.add(name="value", type=schema_pb2.FLOAT)
    sparse = schema.sparse_feature.add(name="sparse", is_sorted=draw.random() < 0.4)
    sparse.index_feature.add(name="index")
    sparse.value_feature.name = "value"


def add_representation(draw, schema):
    feature = draw.choice(list(schema.feature))
    tensors = schema.tensor_representation_group[""].tensor_representation
    tensor = tensors[draw.choice((feature.name, "tensor"))]
    form = draw.random()
    if form < 0.4:
        tensor.dense_tensor.column_name = feature.name
        for _ in range(draw.randint(0, 2)):
            tensor.dense_tensor.shape.dim.add(size=2)
        if draw.random() < 0.6:
            default = tensor.dense_tensor.default_value
            field, value = {schema_pb2.BYTES: ("bytes_value", b"x"), schema_pb2.INT: ("int_value", 3),
                            schema_pb2.FLOAT: ("float_value", 0.5)}[feature.type]
            setattr(default, field, value)
    elif form < 0.6:
        tensor.varlen_sparse_tensor.column_name = feature.name
    else:
        tensor.ragged_tensor.feature_path.step.append(feature.name)
        if draw.random() < 0.5:
            tensor.ragged_tensor.partition.add(uniform_row_length=2)
        if draw.random() < 0.5:
            tensor.ragged_tensor.row_partition_dtype = schema_pb2.TensorRepresentation.INT32


def spec_of(schema):
    """What tensorflow_transform says of the schema, as text; None if it refuses it."""
    try:
        spec, domains = schema_utils.schema_as_feature_spec(schema)
    except (ValueError, KeyError):
        return None
    return {"spec": {name: repr(value) for name, value in spec.items()},
            "domains": {name: text_format.MessageToString(value) for name, value in domains.items()}}


def digests():
    schema = text_format.Parse((HERE.parent / "taxi_transform/schema/schema.pbtxt").read_text(), schema_pb2.Schema())
    pattern = str(HERE.parent / "taxi_transform/raw/Split-train/*")
    for options in OPTIONS:
        reader = tf_example_record.TFExampleRecord([pattern], schema=schema, telemetry_descriptors=["golden"])
        dataset = reader.TensorFlowDataset(dataset_options.TensorFlowDatasetOptions(batch_size=16, **options))
        yield {"options": options, "digest": batch_digest.of(dataset)}


def main():
    logging.set_verbosity(logging.ERROR)
    draw = random.Random(1)
    schemas = [random_schema(draw) for _ in range(SCHEMAS)]
    specs = [{"schema": text_format.MessageToString(schema), "made": spec_of(schema)} for schema in schemas]
    (HERE / "feature_specs.json").write_text(json.dumps(specs, indent=1) + "\n")
    (HERE / "batches.json").write_text(json.dumps(list(digests()), indent=1) + "\n")


if __name__ == "__main__":
    main()
