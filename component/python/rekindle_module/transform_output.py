"""tft.TFTransformOutput: what a module needs of a TransformGraph artifact to train and to serve."""

import functools
import json
import os
import re

from rekindle_module import feature_spec
from rekindle_module import text_proto


class DatasetMetadata:
    """A schema, as tensorflow_transform wraps it."""

    def __init__(self, schema):
        self.schema = schema


class TFTransformOutput:
    """The folder of a TransformGraph artifact: schemas before and after, the graph, its vocabularies."""

    RAW_METADATA_DIR = "metadata"
    TRANSFORMED_METADATA_DIR = "transformed_metadata"
    TRANSFORM_FN_DIR = "transform_fn"
    ASSET_MAP = "asset_map"

    def __init__(self, transform_output_dir):
        if not transform_output_dir:
            raise ValueError("there is no transform graph: give the step one with --transform-graph")
        self._folder = transform_output_dir
        self._where = None  # the graph that _graph was loaded into
        self._graph = None

    @property
    def transform_savedmodel_dir(self):
        return os.path.join(self._folder, self.TRANSFORM_FN_DIR)

    @functools.cached_property
    def transformed_metadata(self):
        return self._read_metadata(self.TRANSFORMED_METADATA_DIR)

    @functools.cached_property
    def raw_metadata(self):
        return self._read_metadata(self.RAW_METADATA_DIR)

    def transformed_feature_spec(self):
        return feature_spec.schema_as_feature_spec(self.transformed_metadata.schema).feature_spec

    def transformed_domains(self):
        return feature_spec.schema_as_feature_spec(self.transformed_metadata.schema).domains

    def raw_feature_spec(self):
        return feature_spec.schema_as_feature_spec(self.raw_metadata.schema).feature_spec

    def raw_domains(self):
        return feature_spec.schema_as_feature_spec(self.raw_metadata.schema).domains

    def num_buckets_for_transformed_feature(self, name):
        """How many values a feature has whose domain counts from 0."""
        domain = self.transformed_domains().get(name)
        if getattr(domain, "min", None) != 0 or not isinstance(getattr(domain, "max", None), int):
            raise ValueError("transformed feature '%s' has no domain of integers from 0" % name)
        return domain.max + 1

    def vocabulary_file_by_name(self, vocab_filename):
        """The path of a vocabulary, by its vocab_filename or annotated name; None if there is none."""
        assets = os.path.join(self.transform_savedmodel_dir, "assets")
        named = self._asset_map().get(vocab_filename, _file_name(vocab_filename))
        for candidate in (named, named + ".tfrecord.gz"):
            path = os.path.join(assets, candidate)
            if os.path.exists(path):
                return path
        return None

    def vocabulary_by_name(self, vocab_filename):
        """The terms of a vocabulary, as bytes, the most frequent first."""
        path = self.vocabulary_file_by_name(vocab_filename)
        if path is None:
            raise ValueError("the transform graph has no vocabulary '%s'" % vocab_filename)
        if path.endswith(".tfrecord.gz"):
            return _records(path)
        with open(path, "rb") as file:
            return [line.rstrip(b"\n") for line in file]

    def vocabulary_size_by_name(self, vocab_filename):
        return len(self.vocabulary_by_name(vocab_filename))

    def transform_raw_features(self, raw_features, drop_unused_features=True):
        """Transforms a dict of tensors. What depends on a feature that is not given is left out."""
        del drop_unused_features  # as tensorflow_transform does with graphs of TensorFlow 2
        return TransformedFeatures(self._graph_here().apply(raw_features))

    def load_transform_graph(self):
        """Loads the graph, so that what belongs to it is in the graph at hand before training begins."""
        self._graph_here()

    def transform_features_layer(self):
        """A Keras layer that is the transform; the same one each time."""
        return self._layer

    @functools.cached_property
    def _layer(self):
        from rekindle_module import transform_layer  # pylint: disable=import-outside-toplevel

        return transform_layer.TransformFeaturesLayer(self)

    def _graph_here(self):
        """The graph loaded for where the caller is: eager execution, or a graph of TensorFlow 1."""
        import tensorflow as tf  # pylint: disable=import-outside-toplevel
        from rekindle_module import transform_graph  # pylint: disable=import-outside-toplevel

        with tf.init_scope():
            where = tf.compat.v1.get_default_graph()
        if where is not self._where:
            self._graph = transform_graph.TransformGraph(self.transform_savedmodel_dir)
            self._where = where
        return self._graph

    def _read_metadata(self, folder):
        return DatasetMetadata(text_proto.SchemaReader().read(os.path.join(self._folder, folder, "schema.pbtxt")))

    def _asset_map(self):
        path = os.path.join(self._folder, self.TRANSFORMED_METADATA_DIR, self.ASSET_MAP)
        if not os.path.exists(path):
            return {}
        with open(path, encoding="utf-8") as file:
            return json.load(file)


class TransformedFeatures(dict):
    """Features by name; to pop one that is not there, as the label when serving, is no mistake."""

    def pop(self, key, default=None):
        return super().pop(key, default)


def _file_name(vocab_filename):
    """Under which name tf.Transform keeps a vocabulary: letters and digits, `_` for signs, `-` for spaces."""
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "_", vocab_filename).strip())


def _records(path):
    """All records of a gzip'ed TFRecord file."""
    import tensorflow as tf  # pylint: disable=import-outside-toplevel

    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        dataset = tf.data.TFRecordDataset(path, compression_type="GZIP").batch(1 << 30)
        return list(session.run(tf.compat.v1.data.make_one_shot_iterator(dataset).get_next()))
