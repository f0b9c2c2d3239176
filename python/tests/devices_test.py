# SPDX-License-Identifier: BSD-3-Clause
"""Arrays on cards by what they say of themselves, without a card: devices_test.py REBER SOURCE_FOLDER. What a card does
with them is held by tests/gpu/device_arrays.py. Exit code 77 where NumPy or the module is missing."""
import ctypes
import sys
import unittest
import warnings

try:
    import numpy as np

    import reber
    from reber import _devices
except ImportError as missing:
    print(f"skipped: {missing}; the module needs NumPy, and nanobind when it is built")
    sys.exit(77)

SHAPE = (40, 60)


class Interface:
    """What CuPy's arrays say; .get() is its copy to the host."""

    def __init__(self, host, **other):
        self.host = host
        self.__cuda_array_interface__ = {"shape": host.shape, "typestr": host.dtype.str, "data": (1 << 20, False),
                                         "strides": None, "stream": 1, "version": 3, **other}

    def get(self):
        return self.host


class Tensor(ctypes.Structure):  # DLTensor and DLManagedTensor of dlpack.h
    _fields_ = [("data", ctypes.c_void_p), ("kind", ctypes.c_int32), ("number", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("offset", ctypes.c_uint64), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class Lender:
    """What speaks DLPack alone. asked: how it was called."""

    def __init__(self, kind=2, number=0, shape=SHAPE, strides=None, code=2, bits=32, old=False, fails=None):
        self.kind, self.old, self.fails, self.asked = (kind, number), old, fails, []
        sizes = (ctypes.c_int64 * len(shape))(*shape)
        steps = None if strides is None else (ctypes.c_int64 * len(shape))(*strides)
        self.tensor = Tensor(1 << 20, kind, number, len(shape), code, bits, 1, sizes, steps, 0, None, None)

    def __dlpack_device__(self):
        return self.kind

    def __dlpack__(self, **how):
        if self.old and "max_version" in how:
            raise TypeError("max_version")
        if self.fails:
            raise self.fails
        self.asked.append(how)
        make = ctypes.pythonapi.PyCapsule_New
        make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return make(ctypes.addressof(self.tensor), b"dltensor", None)


def zeros(dtype=np.float32, shape=SHAPE):
    return np.zeros(shape, dtype)


class Told(unittest.TestCase):
    """What the module is told of an array: (pointer, shape, steps in bytes, type, card, stream)."""

    def told(self, array):
        return _devices.lend(array).told

    def test_an_interface_with_its_steps_and_stream(self):
        self.assertEqual(self.told(Interface(zeros())), (1 << 20, SHAPE, (240, 4), "f4", None, 1))
        self.assertEqual(self.told(Interface(zeros(), stream=None))[5], None)
        self.assertEqual(self.told(Interface(zeros(), stream=77))[5], 77)
        self.assertEqual(self.told(Interface(zeros(), strides=(4, 160)))[2], (4, 160))
        self.assertEqual(self.told(Interface(zeros(), strides=(-240, 8)))[2], (-240, 8))
        self.assertEqual(self.told(Interface(zeros(shape=(1, 1, *SHAPE))))[1:3], (SHAPE, (240, 4)))
        self.assertEqual(self.told(Interface(zeros(np.int16)))[2:4], ((120, 2), "i2"))

    def test_an_interface_that_names_no_stream_is_awaited_wholly(self):
        old = Interface(zeros(), version=2)
        del old.__cuda_array_interface__["stream"]
        self.assertEqual(self.told(old)[5], 2)

    def test_dlpack_puts_its_work_before_the_legacy_stream(self):
        lender = Lender(number=1)
        self.assertEqual(self.told(lender), (1 << 20, SHAPE, (240, 4), "f4", 1, 1))
        self.assertEqual(lender.asked, [{"stream": 1, "max_version": (1, 0)}])
        old = Lender(old=True, strides=(1, 40))
        self.assertEqual(self.told(old)[2], (4, 160))
        self.assertEqual(old.asked, [{"stream": 1}])
        self.assertIsNone(self.told(Lender(kind=13))[4])  # managed memory is of no one card

    def test_dlpack_comes_before_the_interface(self):
        lender = Lender(number=3)
        lender.__cuda_array_interface__ = Interface(zeros()).__cuda_array_interface__
        self.assertEqual(self.told(lender)[4], 3)

    def test_wide_numbers_warn(self):
        with self.assertWarnsRegex(UserWarning, "32 bits"):
            self.assertEqual(self.told(Lender(bits=64))[2:4], ((480, 8), "f8"))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.told(Lender())

    def test_other_types_are_converted_where_they_lie(self):
        half = Interface(zeros(np.float16))
        half.astype = lambda kind: Interface(zeros(kind))
        self.assertEqual(self.told(half)[2:4], ((240, 4), "f4"))
        brain = Lender(code=4, bits=16)  # bfloat16
        brain.float = lambda: Lender()
        self.assertEqual(self.told(brain)[3], "f4")
        for never in (Interface(zeros(np.float16)), Lender(code=4, bits=16)):
            with self.assertRaisesRegex(TypeError, "give float32"):
                self.told(never)
        stubborn = Interface(zeros(np.float16))
        stubborn.astype = lambda kind: stubborn
        with self.assertRaisesRegex(TypeError, "float32 was expected"):
            self.told(stubborn)
        with self.assertRaisesRegex(TypeError, "numbers were expected"):
            self.told(Interface(zeros(np.complex64)))

    def test_what_is_no_image_is_refused(self):
        for array, words in ((Interface(zeros(shape=(2, *SHAPE))), "has two"),
                             (Interface(zeros(shape=(0, 4))), "empty"),
                             (Interface(zeros(), data=((1 << 20) + 2, False)), "multiples of their size"),
                             (Interface(zeros(), strides=(242, 4)), "multiples of their size"),
                             (Interface(zeros(), stream=0), "stream 0")):
            with self.assertRaisesRegex(ValueError, words):
                self.told(array)
        lacks = Interface(zeros())
        del lacks.__cuda_array_interface__["typestr"]
        for array, words in ((Interface(zeros(), mask=Interface(zeros(bool))), "NaN there"), (lacks, "typestr"),
                             (Interface(zeros(">f4")), "byte order"), (Interface(zeros(), strides=(4,)), "strides"),
                             (Lender(fails=BufferError("it needs a gradient")), "it needs a gradient"),
                             (Lender(kind=10), "DLPack's kind 10")):
            with self.assertRaisesRegex(TypeError, words):
                _devices.on_a_card(array) and self.told(array)


class Calls(unittest.TestCase):
    def sky(self):
        sky = np.random.default_rng(1).normal(size=(120, 100)).astype(np.float32)
        y, x = np.mgrid[:120, :100]
        return sky + (50 * np.exp(-((x - 40) ** 2 + (y - 70) ** 2) / 8.0)).astype(np.float32)

    def test_a_backend_of_the_host_is_given_a_copy(self):
        sky = self.sky()
        right = reber.find(sky, backend="cpu")
        got = reber.find(Interface(sky), backend="cpu")
        np.testing.assert_array_equal(got.sources["Xposn"], right.sources["Xposn"])
        np.testing.assert_array_equal(got.image, sky)
        self.assertGreater(len(got.sources), 0)

    def test_dlpack_of_the_host_is_read(self):
        sky = self.sky()

        class OfTheHost:  # with nothing but DLPack
            def __dlpack__(self, **_):
                return sky.__dlpack__()

            def __dlpack_device__(self):
                return sky.__dlpack_device__()

        np.testing.assert_array_equal(reber.convolve(OfTheHost(), "gaussian:3", backend="cpu").image,
                                      reber.convolve(sky, "gaussian:3", backend="cpu").image)

    def test_without_a_card_it_is_an_error_unless_the_host_is_asked_for(self):
        if not dict((name, why) for name, _, why in reber.backends()).get("cuda", "none"):
            self.skipTest("there is a card")
        for array in (Interface(self.sky()), Lender()):
            for call in (reber.find, reber.background, lambda image, **o: reber.convolve(image, "gaussian:3", **o),
                         lambda image, **o: reber.measure(image, {"x": [1.0], "y": [1.0]}, **o),
                         lambda image, **o: reber.regrid(image, pixel=5, **o)):
                for backend in ("auto", "cuda"):
                    with self.assertRaisesRegex(reber.DeviceError, "backend='cpu' copies the image"):
                        call(array, backend=backend)

    def test_what_does_not_go_with_an_array_on_a_card(self):
        array = Interface(self.sky())
        with self.assertRaisesRegex(TypeError, "to NaN there"):
            reber.find(array, mask=np.zeros(array.host.shape, bool))
        with self.assertRaisesRegex(TypeError, "the image is on a card"):
            reber.regrid(array, pixel=5, output="nowhere.fits")
        for call in (lambda: reber.mosaic([(array, "")]), lambda: reber.cube(array, "moments:0")):
            with self.assertRaisesRegex(TypeError, "host memory was expected"):
                call()
        with self.assertRaisesRegex(TypeError, "host memory was expected"):
            reber.find(self.sky(), backend="cpu", rms=array)
        with self.assertRaisesRegex(TypeError, "host memory was expected"):
            reber.Background(array)
        with self.assertRaisesRegex(TypeError, "host memory was expected"):
            reber.complete(array, backend="cpu")

    def test_a_map_is_handed_on_as_a_capsule_or_by_what_has_one(self):
        class MapOnACard:
            shape, type, card, interface = SHAPE, "f4", 0, {}

            def __init__(self, made):
                self.array = lambda: made

        capsule, lender = object(), Lender()
        self.assertIs(_devices.DeviceArray(MapOnACard(capsule)).__dlpack__(max_version=(1, 0)), capsule)
        _devices.DeviceArray(MapOnACard(lender)).__dlpack__(max_version=(1, 0))
        self.assertEqual(lender.asked, [{"max_version": (1, 0)}])

    def test_a_run_of_the_host_has_no_map_on_a_card(self):
        found = reber.find(self.sky(), backend="cpu")
        with self.assertRaisesRegex(reber.InputError, "'cpu', so no map of it is on a card"):
            found.on_device("rms")
        self.assertEqual(found.bytes_over_the_bus, (0, 0))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
