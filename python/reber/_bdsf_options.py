# SPDX-License-Identifier: BSD-3-Clause
"""The keywords of PyBDSF's process_image: which are honoured, which say nothing of the answer, which are refused."""
from .errors import InputError

# What is honoured, with PyBDSF's defaults.
HONOURED = {
    "adaptive_rms_box": False, "adaptive_thresh": None, "atrous_do": False, "atrous_jmax": 0, "beam": None,
    "blank_limit": None, "collapse_av": [], "collapse_ch0": 0, "collapse_mode": "average", "collapse_wt": "unity",
    "detection_image": "", "fdr_alpha": 0.05, "flag_maxsize_bm": None, "flagchan_list": [], "frequency": None, "frequency_sp": None,
    "group_by_isl": False, "group_tol": 1.0, "incl_chan": False, "indir": None, "kappa_clip": None, "mean_map": "default",
    "minpix_isl": None, "ncores": None, "opdir_overwrite": "overwrite", "outdir": None, "output_all": False, "rms_box": None,
    "rms_box_bright": None, "rms_map": None, "rmsmean_map_filename": None, "rmsmean_map_filename_det": None,
    "specind_snr": 3.0, "spectralindex_do": False, "spline_rank": 3, "stop_at": None, "thresh": None, "thresh_isl": 3.0,
    "thresh_pix": 5.0,
}

# Reber's own, which PyBDSF has not: parts of the image that are searched, and a beam that varies.
OWN = ("psf_map", "search_mask", "search_moc", "search_region")

# What shows options, prints, draws or saves time: any value will do.
WITHOUT_EFFECT = (
    "advanced_opts", "debug", "do_cache", "flagging_opts", "interactive", "multichan_opts", "output_opts", "plot_allgaus",
    "plot_islands", "polarisation_opts", "print_timing", "psf_vary_opts", "quiet", "shapelet_opts", "spectralindex_opts",
    "use_scipy_fft", "verbose_fitting", "verbose_slice",
    # Of what is refused itself: psf_vary_do, shapelet_do, polarisation_do.
    "pi_thresh_isl", "pi_thresh_pix", "psf_fwhm", "psf_gencode", "psf_generators", "psf_high_snr", "psf_itess_method",
    "psf_kappa2", "psf_major", "psf_minor", "psf_nsig", "psf_over", "psf_pa", "psf_primarygen", "psf_smooth", "psf_snrbot",
    "psf_snrcut", "psf_snrcutstack", "psf_snrtop", "psf_stype_only", "psf_tess_fuzzy", "psf_tess_sc", "psf_use_shap",
    "shapelet_basis", "shapelet_fitmode", "shapelet_gresid",
)

_FIT = "Reber judges its fits by rules of its own (docs/science.md)"
_NOT_MEASURED = "Reber does not measure it"
_CHANNELS = "all channels are fitted, each with the weight of its error"

# What is taken at PyBDSF's default alone, where Reber does as it always does; else refused with the reason.
REFUSED = {
    "aperture": (None, _NOT_MEASURED),
    "aperture_posn": ("centroid", _NOT_MEASURED),
    "atrous_bdsm_do": (True, "sources are looked for on the wavelet planes and fitted on the image"),
    "atrous_lpf": ("b3", "the wavelets are those of the B3 spline"),
    "atrous_orig_isl": (False, "islands of the wavelet planes are not held to those of the image"),
    "atrous_sum": (True, "wavelet planes are not summed"),
    "beam_sp_derive": (True, "the beam of a channel is the header's, or the one of all"),
    "beam_spectrum": (None, "the beam of a channel is the header's"),
    "bmpersrc_th": (None, "boxes follow from the beam, or from rms_box"),
    "check_outsideuniv": (False, "pixels off the sky are not looked for; set them to NaN"),
    "do_mc_errors": (False, "errors follow from the noise and its correlation"),
    "fdr_ratio": (0.1, "thresh says whether the threshold is fdr's"),
    "fittedimage_clip": (0.1, "the model is drawn whole"),
    "fix_to_beam": (False, "shapes are free in fits; reber.measure() holds the beam's at given places"),
    "flag_bordersize": (0, _FIT), "flag_maxsize_fwhm": (0.5, _FIT),
    "flag_maxsize_isl": (2.0, _FIT), "flag_maxsnr": (1.5, _FIT), "flag_minsize_bm": (0.7, _FIT),
    "flag_minsnr": (0.6, _FIT), "flag_smallsrc": (False, _FIT),
    "flagchan_rms": (True, _CHANNELS), "flagchan_snr": (True, _CHANNELS),
    "group_method": ("intensity", "Gaussians are grouped by the intensity between them"),
    "ini_gausfit": ("default", _FIT), "ini_method": ("intensity", _FIT),
    "maxpix_isl": (None, "islands of any size are taken"),
    "peak_fit": (True, _FIT), "peak_maxsize": (30.0, _FIT),
    "pi_fit": (True, _NOT_MEASURED), "polarisation_do": (False, _NOT_MEASURED),
    "psf_vary_do": (False, "how the beam varies is not measured; psf_map takes Aegean's map of it"),
    "rms_value": (None, "the noise is measured, or read from rmsmean_map_filename"),
    "rm_do": (False, _NOT_MEASURED),
    **dict.fromkeys(("savefits_det_meanim", "savefits_det_rmsim", "savefits_meanim", "savefits_modelim", "savefits_normim",
                     "savefits_rankim", "savefits_residim", "savefits_rmsim"), (False, "export_image writes maps, output_all all of them")),
    "shapelet_do": (False, _NOT_MEASURED), "solnname": (None, "outdir says where files go"),
    "source_seds": (False, _NOT_MEASURED),
    "specind_maxchan": (0, _CHANNELS),
    "split_isl": (True, _FIT), "splitisl_maxsize": (50.0, _FIT), "splitisl_frac_bigisl3": (0.8, _FIT),
    "splitisl_size_extra5": (0.1, _FIT),
    "src_ra_dec": (None, "reber.measure() fits at given places"), "src_radius_pix": (None, "reber.measure()"),
    "trim_box": (None, "cut the image before"),
}


def known_options(given):
    """The keywords by their whole names: unique beginnings will do, as with PyBDSF.

    Raises RuntimeError for an unknown one, with PyBDSF's words, and InputError for one that cannot be honoured.
    """
    names = [*HONOURED, *WITHOUT_EFFECT, *REFUSED]
    options = {**HONOURED, **dict.fromkeys(OWN)}
    for name, value in given.items():
        if name in OWN:
            options[name] = value
            continue
        if name not in names:
            longer = [one for one in names if one.startswith(name)]
            if len(longer) != 1:
                raise RuntimeError(f"Input parameter '{name}' not recognized.")
            name = longer[0]
        if name in REFUSED:
            default, reason = REFUSED[name]
            if value is not None and value != default:
                raise InputError(f"{name}={value!r} cannot be honoured: {reason}")
        elif name in HONOURED:
            options[name] = HONOURED[name] if value is None else value
    return options


def truth(value):
    """Truth values come as texts, too."""
    return value.lower() == "true" if isinstance(value, str) else bool(value)


def choice(name, value, known):
    """The value; InputError where it is none of the known."""
    if value not in known:
        raise InputError(f"{name}={value!r} cannot be honoured: one of {', '.join(map(repr, known))} was expected")
    return value
