# SPDX-License-Identifier: BSD-3-Clause
"""Arrays that lie on a card: of CuPy, PyTorch, JAX, Numba and whoever speaks DLPack or __cuda_array_interface__."""
import warnings

import numpy as np

from . import _core
from .errors import DeviceError

# Kinds of DLPack.
_CPU, _CUDA, _CUDA_HOST, _MANAGED = 1, 2, 3, 13
_LEGACY_STREAM, _ALL_WORK = 1, 2
_READ_AS_THEY_ARE = ("f4", "f8", "u1", "i2", "i4", "i8")


def _kind(image):
    """(kind, number) of the device as DLPack has it; None for what does not say."""
    ask = getattr(image, "__dlpack_device__", None)
    if ask is None or isinstance(image, np.ndarray):
        return None
    kind, number = ask()
    return int(kind), int(number)


def on_a_card(image):
    """Whether the array's pixels lie in a card's memory. TypeError for a device that is none of CUDA's."""
    kind = _kind(image)
    if kind is not None:
        if kind[0] not in (_CPU, _CUDA, _CUDA_HOST, _MANAGED):
            raise TypeError(f"an array on a device of DLPack's kind {kind[0]} was given; CUDA's and host memory are read: "
                            "copy it to the host")
        return kind[0] in (_CUDA, _MANAGED)
    return hasattr(image, "__cuda_array_interface__")


def from_dlpack(image):
    """The array in host memory as NumPy's, where DLPack is all that it speaks."""
    if isinstance(image, np.ndarray) or hasattr(image, "__array__") or _kind(image) is None:
        return image
    return np.from_dlpack(image)


def on_host(image):
    """A copy in host memory, made by the array's own library."""
    for make in ("get", "cpu", "copy_to_host"):  # CuPy, PyTorch, Numba
        if callable(getattr(image, make, None)):
            return np.asarray(getattr(image, make)())
    if hasattr(image, "__dlpack__"):
        try:
            return np.from_dlpack(image, device="cpu", copy=True)
        except (TypeError, BufferError, RuntimeError, ValueError):
            pass  # an older NumPy or lender
    try:
        return np.asarray(image)  # JAX
    except (TypeError, ValueError) as error:
        raise TypeError(f"an array on a card was given that its library does not copy to the host ({error}): copy it") from None


class Lent:
    """The pixels of an array on a card: .shape, and .told for the module. Keeps the array alive."""

    def __init__(self, owner, pointer, shape, strides, kind, card, stream):
        shape, item = list(shape), int(kind[1:] or 0)
        if strides is None:
            strides = [item * int(np.prod(shape[axis + 1 :], dtype=np.int64)) for axis in range(len(shape))]
        strides = list(strides)
        while len(shape) > 2 and shape[0] == 1:
            shape, strides = shape[1:], strides[1:]
        if len(shape) != 2:
            raise ValueError(f"an array of {len(shape)} axes was given; an image has two, [y, x]: choose a plane of a cube")
        if pointer % item or any(step % item for step in strides):
            raise ValueError("an array on a card was given whose pixels do not begin at multiples of their size: copy it there")
        self.owner, self.shape = owner, (int(shape[0]), int(shape[1]))
        if 0 in self.shape:
            raise ValueError(f"an image of {self.shape} pixels was given: it is empty")
        self.card = card
        self.told = (int(pointer), self.shape, (int(strides[0]), int(strides[1])), kind, card, stream)


def _of_dlpack(image, card):
    """After the lender has put its work before the legacy default stream's."""
    try:
        try:
            capsule = image.__dlpack__(stream=_LEGACY_STREAM, max_version=(1, 0))
        except TypeError:
            capsule = image.__dlpack__(stream=_LEGACY_STREAM)
    except BufferError as error:
        raise TypeError(f"an array on a card was given that its library does not lend: {error}") from None
    array = _core.Borrowed(capsule)
    return array, array.pointer, array.shape, array.strides, array.type, card, _LEGACY_STREAM


def _of_interface(image):
    """Version 3 names the writer's stream; where an older one does not, all work of the card is awaited."""
    told = image.__cuda_array_interface__
    try:
        version, pointer, kind = int(told["version"]), told["data"][0], told["typestr"]
        shape, strides = tuple(told["shape"]), told.get("strides")
    except (KeyError, TypeError, IndexError) as error:
        raise TypeError(f"a __cuda_array_interface__ was given that lacks something: {error!r}") from None
    if told.get("mask") is not None:
        raise TypeError("an array on a card was given with a mask: set those pixels to NaN there")
    stream = told.get("stream") if version >= 3 else _ALL_WORK
    if stream == 0:
        raise ValueError("a __cuda_array_interface__ was given with stream 0, which its version 3 does not allow: 1 or 2 say "
                         "which default stream is meant")
    if kind[0] == ">":
        raise TypeError(f"pixels of type {kind} were given on a card; the machine's own byte order was expected")
    if strides is not None and len(strides) != len(shape):
        raise TypeError(f"a __cuda_array_interface__ was given with {len(shape)} axes and {len(strides)} strides")
    return image, pointer or 0, shape, strides, kind[1:], None, stream


def _in_floats(image, kind):
    """Of types that the card does not read: converted there by the array's own library."""
    if kind and kind[0] not in "fiub":
        raise TypeError(f"pixels of type {kind} were given; numbers were expected")
    if callable(getattr(image, "astype", None)):  # CuPy, JAX
        return image.astype("float32")
    if callable(getattr(image, "float", None)):  # PyTorch
        return image.float()
    raise TypeError(f"pixels of type {kind or 'that NumPy has no word for'} were given on a card; give float32, or one of "
                    f"{', '.join(_READ_AS_THEY_ARE[1:])}")


def lend(image):
    """The Lent of an array on a card; types of pixel that no image has are first converted to float32 there."""
    for again in (False, True):
        kind = _kind(image)
        parts = _of_interface(image) if kind is None else _of_dlpack(image, kind[1] if kind[0] == _CUDA else None)
        word = parts[4]
        if word in _READ_AS_THEY_ARE:
            if word in ("f8", "i4", "i8") and not again:
                warnings.warn(f"pixels of type {word} are computed in floats of 32 bits: 7 digits", stacklevel=5)
            return Lent(*parts)
        if again:
            raise TypeError(f"pixels of type {word} were given on a card; float32 was expected")
        image = _in_floats(image, word)
    return None


def card_for(lent, backend, device):
    """The card that is to compute: the array's own. DeviceError where it cannot, TypeError where another was asked for."""
    if backend not in ("auto", "cuda"):
        raise TypeError(f"an array on a card was given to the backend '{backend}'")
    why = dict((name, reason) for name, _, reason in _core.backends()).get("cuda", "it is not in this build")
    if why:
        raise DeviceError(f"the image is on a card, and the backend 'cuda' cannot run: {why}; backend='cpu' copies the image "
                          "to the host and computes there")
    if device is None:
        return lent.card or 0
    if lent.card is not None and device != lent.card:
        raise ValueError(f"the image is on card {lent.card}, and device={device} was asked for")
    return device


class DeviceArray:
    """A map on a card, as other libraries take arrays: cupy.asarray(map), torch.from_dlpack(map), jax.dlpack.from_dlpack(map).

    .shape, .dtype, .card. Complete when it is given; its memory goes when nobody holds it any more, after the card's work.
    """

    def __init__(self, told):
        self._told = told
        self.shape, self.dtype, self.card = told.shape, np.dtype(told.type), told.card

    @property
    def __cuda_array_interface__(self):
        return self._told.interface

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        if copy:
            raise BufferError("a map on a card is lent, not copied: copy what you make of it")
        if dl_device is not None and tuple(dl_device) != self.__dlpack_device__():
            raise BufferError(f"the map is on card {self.card}, and a copy to {dl_device} was asked for")
        array = self._told.array()
        if not hasattr(array, "__dlpack__"):  # nanobind gives the capsule itself, as of its version 2
            return array
        return array.__dlpack__() if max_version is None else array.__dlpack__(max_version=max_version)

    def __dlpack_device__(self):
        return _CUDA, self.card
