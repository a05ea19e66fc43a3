"""torchcodec's names, for programs that use them: ``import spool.torchcodec as torchcodec``.

Results are tensors. ``docs/python-video.md`` lists the differences.
"""

from ..frames import AudioSamples as AudioSamples
from ..frames import Frame as Frame
from ..frames import FrameBatch as FrameBatch
from . import decoders as decoders
from . import samplers as samplers
