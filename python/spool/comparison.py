"""How much spool's pixels differ from those of another loader."""

from __future__ import annotations

import html
import importlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict, cast, overload

import numpy as np

from .errors import Error
from .image import decode_image

if TYPE_CHECKING:
    import matplotlib.axes
    import pandas
    from numpy.typing import NDArray

    Path: TypeAlias = str | os.PathLike[str]
    Profile: TypeAlias = Literal["exact", "pillow", "fast"]

    # Decodes a file, and resizes it to (height, width) if that is given: RGB, of shape (H, W, 3), uint8.
    Loader: TypeAlias = Callable[[str, tuple[int, int] | None], NDArray[np.uint8]]


class Row(TypedDict):
    """One image with one profile.

    The figures are of all samples of the image, in levels from 0 to 255. They are None if the image could not be
    compared.
    """

    file: str
    profile: str
    equal: bool
    mean: float | None
    largest: int | None
    psnr: float | None
    error: str


class Parity(Sequence[Row]):
    """The rows of a comparison, shown as a table in a terminal, in a notebook and in pandas.

    Args:
        against: name of the other loader.
        rows: a row for each file and profile.
    """

    def __init__(self, against: str, rows: list[Row]) -> None:
        self.against, self.rows = against, rows

    @overload
    def __getitem__(self, i: int) -> Row: ...

    @overload
    def __getitem__(self, i: slice) -> list[Row]: ...

    def __getitem__(self, i: int | slice) -> Row | list[Row]:
        return self.rows[i]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __repr__(self) -> str:
        lines = [f"{'profile':<10}{'equal':>8}{'mean':>8}{'largest':>9}{'psnr':>7}  file, against {self.against}"]
        for row in self.rows:
            profile, equal, mean, largest, psnr, rest = self._cells(row)
            lines.append(f"{profile:<10}{equal:>8}{mean:>8}{largest:>9}{psnr:>7}  {rest}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        head = "".join(
            f"<th>{c}</th>" for c in ("profile", "equal", "mean", "largest", "PSNR", f"file, against {self.against}")
        )
        rows = ("".join(f"<td>{html.escape(w)}</td>" for w in self._cells(row)) for row in self.rows)
        return f"<table><tr>{head}</tr>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"

    @staticmethod
    def _cells(row: Row) -> tuple[str, ...]:
        where = f"{row['file']}: {row['error']}" if row["error"] else row["file"]
        if row["mean"] is None:
            return row["profile"], "", "", "", "", where
        figures = f"{row['mean']:.3f}", str(row["largest"]), f"{row['psnr']:.1f}"
        return row["profile"], "yes" if row["equal"] else "no", *figures, where

    def to_pandas(self) -> pandas.DataFrame:
        """Return the rows as a pandas.DataFrame. This needs pandas.

        Returns:
            The DataFrame.
        """
        return cast("pandas.DataFrame", importlib.import_module("pandas").DataFrame(self.rows))

    def plot(self) -> matplotlib.axes.Axes:
        """Plot the mean difference of each image, from the least to the greatest, a line for each profile.

        This needs Matplotlib.

        Returns:
            Matplotlib's axes.
        """
        axes: Any = importlib.import_module("matplotlib.pyplot").subplots()[1]
        for profile in dict.fromkeys(row["profile"] for row in self.rows):
            means = sorted(row["mean"] for row in self.rows if row["profile"] == profile and row["mean"] is not None)
            axes.plot(means, marker=".", label=profile)
        axes.set(xlabel="images", ylabel=f"mean difference from {self.against}, levels of 255")
        axes.legend()
        return cast("matplotlib.axes.Axes", axes)


def parity(
    files: Iterable[Path],
    against: Literal["pillow", "torchvision", "opencv"] | Loader = "pillow",
    *,
    size: tuple[int, int] | None = None,
    profiles: Iterable[Profile] = ("exact", "pillow", "fast"),
) -> Parity:
    """Compare spool's pixels with those of another loader, on your own files.

    The command ``spool parity`` also compares other modes, filters and random sizes, and checks the promises of each
    profile.

    Args:
        files: paths of images.
        against: ``pillow``, the default, ``torchvision`` or ``opencv``, which has to be installed; or a function. The
            function takes a path and a size, (height, width) or None. It returns an array of shape (H, W, 3), uint8.
        size: (height, width) to resize to, bilinear, in pixels. Default: the images' own sizes.
        profiles: spool's profiles to compare. Default: all.

    Returns:
        A table with a row for each file and profile. If one side cannot read a file, its rows have an error.
    """
    name = against if isinstance(against, str) else getattr(against, "__name__", "the loader")
    load = _loaders[against]() if isinstance(against, str) else against
    rows: list[Row] = []
    for path in files:
        file = str(os.fspath(path))
        try:
            theirs, error = np.asarray(load(file, size)), ""
        except Exception as e:  # any error of that loader
            theirs, error = None, f"{name}: {e}"
        for profile in profiles:
            rows.append(_compare(file, profile, size, theirs, error))
    return Parity(name, rows)


def _compare(file: str, profile: Profile, size: tuple[int, int] | None, theirs: NDArray[Any] | None, error: str) -> Row:
    row = Row(file=file, profile=profile, equal=False, mean=None, largest=None, psnr=None, error=error)
    try:
        ours = decode_image(file, profile=profile, size=size) if size else decode_image(file, profile=profile)
    except Error as e:
        row["error"] = "; ".join(filter(None, [error, f"spool: {e.error_class}: {e.text}"]))
        return row
    if theirs is None:
        return row
    if ours.shape != theirs.shape:
        row["error"] = f"the shape is {theirs.shape}, spool's is {ours.shape}"
        return row
    off = np.abs(ours.astype(np.int16) - theirs)
    square = float(np.mean(np.square(off, dtype=np.int32)))
    row["equal"] = not off.any()
    row["mean"], row["largest"] = float(off.mean()), int(off.max())
    row["psnr"] = 10 * float(np.log10(255**2 / square)) if square else float("inf")
    return row


def _pillow() -> Loader:
    image, ops = importlib.import_module("PIL.Image"), importlib.import_module("PIL.ImageOps")

    def load(file: str, size: tuple[int, int] | None) -> NDArray[np.uint8]:
        with image.open(file) as opened:
            decoded = ops.exif_transpose(opened).convert("RGB")
        return np.asarray(decoded.resize(size[::-1], image.Resampling.BILINEAR) if size else decoded)

    return load


def _torchvision() -> Loader:
    io = importlib.import_module("torchvision.io")
    resize = importlib.import_module("torchvision.transforms.v2.functional").resize

    def load(file: str, size: tuple[int, int] | None) -> NDArray[np.uint8]:
        decoded = io.decode_image(file, mode=io.ImageReadMode.RGB, apply_exif_orientation=True)
        decoded = resize(decoded, list(size), antialias=True) if size else decoded
        return np.asarray(decoded.permute(1, 2, 0).numpy())

    return load


def _opencv() -> Loader:
    cv2 = importlib.import_module("cv2")

    def load(file: str, size: tuple[int, int] | None) -> NDArray[np.uint8]:
        decoded = cv2.imread(file, cv2.IMREAD_COLOR)
        if decoded is None:
            raise ValueError("imread returned no image")
        decoded = cv2.cvtColor(decoded, cv2.COLOR_BGR2RGB)
        return np.asarray(cv2.resize(decoded, size[::-1], interpolation=cv2.INTER_LINEAR) if size else decoded)

    return load


_loaders: dict[str, Callable[[], Loader]] = {"pillow": _pillow, "torchvision": _torchvision, "opencv": _opencv}
