"""Names of SPDL that spool does not offer."""

from __future__ import annotations

# The names of spdl.io that are missing, with the alternative.
ABSENT = {
    "AudioCodec": "spool.probe",
    "AudioDecoder": "spool.AudioDecoder",
    "AudioEncodeConfig": "spool.MediaWriter, whose options are those of the encoder",
    "AudioEncoder": "spool.MediaWriter",
    "BSF": "spool.Packets.filter",
    "CPUStorage": "out= of spool.decode_images",
    "CUDABuffer": "spool.DeviceArray",
    "Decoder": "spool.VideoDecoder, whose slices are chunks of frames, or spool.FilterGraph",
    "DemuxConfig": "spool.demux; FFmpeg finds the container by its content",
    "FilterGraph": "spool.FilterGraph, which reads its inputs itself",
    "ImageCodec": "spool.probe",
    "Muxer": "spool.MediaWriter for arrays, and spool.mux for packets",
    "NpzFile": "numpy.load",
    "NvDecDecoder": "spool.VideoDecoder(device='cuda:0', output='torch')",
    "VideoCodec": "spool.probe",
    "VideoDecoder": "spool.VideoDecoder",
    "VideoEncodeConfig": "spool.MediaWriter, whose options are those of the encoder",
    "VideoEncoder": "spool.MediaWriter",
    "WAVHeader": "spool.probe",
    "apply_bsf": "spool.Packets.filter",
    "audio_encode_config": "spool.MediaWriter, whose options are those of the encoder",
    "convert_array": "spool.Transfer, which moves nested containers of arrays",
    "cpu_storage": "out= of spool.decode_images; spool.Transfer has pinned memory of its own",
    "create_reference_audio_frame": "spool.MediaWriter, which takes arrays",
    "create_reference_video_frame": "spool.MediaWriter, which takes arrays",
    "decode_image_nvjpeg": "spool.JPEGDecoder",
    "decode_packets_nvdec": "spool.VideoDecoder(device='cuda:0', output='torch')",
    "demux_config": "spool.demux; FFmpeg finds the container by its content",
    "encode_image": "spool.encode_image",
    "get_abuffer_desc": "spool.FilterGraph, which describes its inputs itself",
    "get_buffer_desc": "spool.FilterGraph, which describes its inputs itself",
    "load_image_batch_nvjpeg": "spool.JPEGDecoder",
    "nv12_to_bgr": "spool.VideoDecoder(device='cuda:0', output='torch')",
    "nv12_to_rgb": "spool.VideoDecoder(device='cuda:0', output='torch')",
    "nvdec_decoder": "spool.VideoDecoder(device='cuda:0', output='torch')",
    "parse_wav": "spool.probe",
    "streaming_load_video_nvdec": "spool.VideoDecoder(device='cuda:0', output='torch')",
    "to_numba": "numba.cuda.as_cuda_array, which takes a spool.DeviceArray",
    "transfer_buffer_cpu": "the array's consumer, like torch's Tensor.cpu",
    "transfer_tensor": "spool.Transfer",
    "transfer_tensor_d2h": "the array's consumer, like torch's Tensor.cpu",
    "transfer_tensor_h2d": "spool.Transfer",
    "video_encode_config": "spool.MediaWriter, whose options are those of the encoder",
}


def refuse(name: str, value: object, alternative: str) -> None:
    """Raise an error if an argument was given that is not offered.

    Args:
        name: the argument's name.
        value: its value; None if it was not given.
        alternative: what to use.

    Raises:
        NotImplementedError: it was given.
    """
    if value is not None:
        raise NotImplementedError(f"{name} is not offered; use {alternative}")
