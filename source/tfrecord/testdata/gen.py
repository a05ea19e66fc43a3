"""Writes the TFRecord files of this folder, and what TensorFlow reads in them."""

import base64
import io
import json
import pathlib

import numpy as np
import tensorflow as tf
from PIL import Image

here = pathlib.Path(__file__).parent


def picture(i):
    out = io.BytesIO()
    Image.fromarray(np.full((8 + i, 12, 3), i * 10, np.uint8)).save(out, "PNG")
    return out.getvalue()


def values(feature):
    """A feature's values, as expected.json has them: binary ones in base64."""
    kind = feature.WhichOneof("kind")
    if kind is None:
        return []
    if kind == "bytes_list":
        return [base64.b64encode(v).decode() for v in feature.bytes_list.value]
    return list(getattr(feature, kind).value)


def binary(*v):
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=v))


def ints(*v):
    return tf.train.Feature(int64_list=tf.train.Int64List(value=v))


def floats(*v):
    return tf.train.Feature(float_list=tf.train.FloatList(value=v))


def example(i):
    feature = {
        "image/encoded": binary(picture(i)),
        "image/class/label": ints(i % 3),
        "image/filename": binary(f"\u00e9{i}.png".encode()),
        "image/object/bbox/xmin": floats(*[k / 8 for k in range(i % 4)]),
        "names": binary(*[f"n{k}".encode() for k in range(i % 3)]),
        "score": floats(1.5 ** i - 3),
        "large": ints(-(2**60) + i),
        "many": ints(*range(-5, 40 * i)),
    }
    if i % 5 == 4:
        del feature["score"]
    if i == 3:
        feature["names"] = tf.train.Feature()
    return tf.train.Example(features=tf.train.Features(feature=feature))


with tf.io.TFRecordWriter(str(here / "examples.tfrecord")) as out:
    for i in range(11):
        out.write(example(i).SerializeToString())
with tf.io.TFRecordWriter(str(here / "gzip.tfrecord"), "GZIP") as out:
    out.write(example(0).SerializeToString())
with tf.io.TFRecordWriter(str(here / "other.tfrecord")) as out:
    out.write(b"no example")

records = []
for record in tf.data.TFRecordDataset(str(here / "examples.tfrecord")):
    read = tf.train.Example.FromString(record.numpy())
    records.append({name: values(f) for name, f in sorted(read.features.feature.items())})
(here / "expected.json").write_text(json.dumps(records, indent=1) + "\n")
