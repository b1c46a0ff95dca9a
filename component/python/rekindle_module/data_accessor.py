"""The two factories of DataAccessor, on tf.data: TFRecord files of tf.Example, plain or gzip."""

import difflib

from rekindle_module.fn_args import DataAccessor

_GZIP_MAGIC = b"\x1f\x8b"


def make_data_accessor():
    """A DataAccessor of TFRecords. Its functions import TensorFlow, this does not."""
    return DataAccessor(tf_dataset_factory, record_batch_factory, None)


def tf_dataset_factory(file_pattern, options, schema=None):
    """A tf.data.Dataset of batches: dicts of tensors by name, or pairs (dict, label) with a `label_key`.

    `file_pattern` is a glob pattern or a list of them; `options` are TensorFlowDatasetOptions. The schema says what an
    example is parsed into.
    """
    from rekindle_module import feature_spec  # pylint: disable=import-outside-toplevel

    if schema is None:
        raise ValueError("tf_dataset_factory needs a schema to parse examples by; none was given")
    dataset = _serialized_batches(file_pattern, options, options.reader_num_threads, options.sloppy_ordering)
    dataset = dataset.map(feature_spec.parser_of(schema), num_parallel_calls=options.parser_num_threads)
    if options.label_key is not None:
        _check_label(options.label_key, dataset.element_spec)
        dataset = dataset.map(lambda features: _without_label(features, options.label_key))
    return dataset.prefetch(options.prefetch_buffer_size)


def record_batch_factory(file_pattern, options, schema=None):
    """An iterator of pyarrow.RecordBatch, one column for each feature of the schema, or of the examples without one.

    `options` are RecordBatchesOptions.
    """
    from rekindle_module import record_batches  # pylint: disable=import-outside-toplevel

    for serialized in _serialized_batches(file_pattern, options).as_numpy_iterator():
        yield record_batches.decode(serialized, schema)


def matching_files(file_pattern):
    """The files that match one of the patterns, sorted. ValueError if there are none."""
    import tensorflow as tf  # pylint: disable=import-outside-toplevel

    patterns = [file_pattern] if isinstance(file_pattern, (str, bytes)) else list(file_pattern)
    files = sorted(set(tf.io.gfile.glob([tf.compat.as_str_any(pattern) for pattern in patterns])))
    if not files:
        raise ValueError("no file matches %s" % ", ".join(map(str, patterns)))
    return files


def compression_of(path):
    """What tf.data.TFRecordDataset calls the file's compression, by how the file begins."""
    import tensorflow as tf  # pylint: disable=import-outside-toplevel

    with tf.io.gfile.GFile(path, "rb") as file:
        return "GZIP" if file.read(len(_GZIP_MAGIC)) == _GZIP_MAGIC else ""


def _serialized_batches(file_pattern, options, reader_num_threads=-1, sloppy_ordering=False):
    """Batches of serialized examples, in the order that the options ask for."""
    import tensorflow as tf  # pylint: disable=import-outside-toplevel

    files = matching_files(file_pattern)
    dataset = tf.data.Dataset.from_tensor_slices((files, [compression_of(file) for file in files]))
    if options.shuffle:
        dataset = dataset.shuffle(len(files), seed=options.shuffle_seed)
    dataset = dataset.interleave(tf.data.TFRecordDataset, num_parallel_calls=reader_num_threads,
                                 deterministic=not sloppy_ordering)
    if options.shuffle:
        dataset = dataset.shuffle(options.shuffle_buffer_size, seed=options.shuffle_seed)
    if options.num_epochs != 1:
        dataset = dataset.repeat(options.num_epochs)
    # What repeats for ever has no last batch.
    drop = options.drop_final_batch or options.num_epochs is None
    return dataset.batch(options.batch_size, drop_remainder=drop)


def _check_label(label_key, features):
    if label_key in features:
        return
    near = difflib.get_close_matches(label_key, features, n=1)
    hint = "; did you mean '%s'?" % near[0] if near else ": it has " + ", ".join(sorted(features))
    raise ValueError("label_key '%s' is no feature of the schema%s" % (label_key, hint))


def _without_label(features, label_key):
    label = features.pop(label_key)
    return features, label
