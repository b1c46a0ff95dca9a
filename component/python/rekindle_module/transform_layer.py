"""The transform as a Keras layer, of whichever Keras this TensorFlow has."""

import tensorflow as tf

from rekindle_module import transform_graph
from rekindle_module import transform_output


class TransformFeaturesLayer(tf.keras.layers.Layer):
    """Maps a dict of raw features to the transformed ones. Has no weights; saved with a model, it keeps its tables."""

    def __init__(self, tft_output, **kwargs):
        super().__init__(trainable=False, **kwargs)
        self._graph = transform_graph.TransformGraph(tft_output.transform_savedmodel_dir)
        # An attribute that is trackable is saved with the layer.
        self._saved_transform = self._graph.loaded

    def build(self, input_shape=None):
        """There is nothing to build."""
        self.built = True

    def call(self, inputs):
        return self._graph.apply(inputs)

    def __call__(self, inputs, **kwargs):
        return transform_output.TransformedFeatures(super().__call__(inputs, **kwargs))
