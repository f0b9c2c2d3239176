// SPDX-License-Identifier: BSD-3-Clause
// The table: words of PyBDSF, Aegean, Selavy, SEP and SExtractor, photutils, and of other pipelines.
#include "python/module/other_words.hpp"

#include <algorithm>
#include <cctype>
#include <string>

namespace reber::python {
namespace {

struct OtherWord {
  std::string_view other, here;
};

constexpr OtherWord kOtherWords[] = {
    // PyBDSF
    {"adaptive_rms_box", "adaptive"},
    {"adaptive_thresh", "adaptive_threshold"},
    {"atrous_do", "wavelets"},
    {"atrous_jmax", "wavelets"},
    {"blank_limit", "mask (of an array)"},
    {"clobber", "overwrite, of write()"},
    {"fdr_alpha", "fdr"},
    {"fdr_ratio", "fdr"},
    {"filename", "the first argument"},
    {"fix_to_beam", "fit='point'"},
    {"frequency", "in the header"},
    {"group_by_isl", "group_by_island"},
    {"kappa_clip", "kappa"},
    {"minpix_isl", "min_area"},
    {"ncores", "threads"},
    {"outfile", "the first argument of write()"},
    {"catalog_type", "columns, of write() and table()"},
    {"psf_vary_do", "psf_map"},
    {"rms_box", "box and step"},
    {"rms_box_bright", "bright_box and bright_step"},
    {"rmsmean_map_filename", "mean and rms"},
    {"thresh_isl", "flood"},
    {"thresh_pix", "threshold"},
    {"thresh", "threshold, or fdr"},
    // Aegean
    {"bkgin", "mean"},
    {"bkgimg", "mean"},
    {"cores", "threads"},
    {"floodclip", "flood"},
    {"innerclip", "threshold"},
    {"outerclip", "flood"},
    {"noiseimg", "rms"},
    {"rmsin", "rms"},
    {"imgpsf", "psf_map"},
    {"psf", "psf_map, or beam"},
    {"seedclip", "threshold"},
    {"grid", "step, with background='grid'"},
    // Selavy and Duchamp
    {"boxwidth", "box"},
    {"growthcut", "flood"},
    {"growththreshold", "flood"},
    {"minpix", "min_area"},
    {"snrcut", "threshold"},
    {"flagrobuststats", "kappa"},
    {"weightsimage", "search_mask"},
    // SEP and SExtractor
    {"analysis_thresh", "flood"},
    {"back_filtersize", "filter"},
    {"back_size", "box"},
    {"bh", "box"},
    {"bw", "box"},
    {"deblend_cont", "contrast"},
    {"deblend_mincont", "contrast"},
    {"deblend_nthresh", "contrast"},
    {"detect_minarea", "min_area"},
    {"detect_thresh", "threshold"},
    {"err", "rms"},
    {"fh", "filter"},
    {"fw", "filter"},
    {"minarea", "min_area"},
    {"segmentation_map", "labels, of the result"},
    // photutils and astropy
    {"bkg_estimator", "background"},
    {"box_size", "box"},
    {"error", "rms"},
    {"filter_size", "filter"},
    {"fwhm", "beam"},
    {"npixels", "min_area"},
    {"n_pixels", "min_area"},
    {"nsigma", "threshold"},
    {"n_sigma", "threshold"},
    {"sigma", "threshold"},
    // Others
    {"background_map", "mean"},
    {"bkg", "mean"},
    {"bmaj", "beam=(major, minor, position angle)"},
    {"bpa", "beam=(major, minor, position angle)"},
    {"clean_bias_correction", "clean_bias"},
    {"ext", "hdu"},
    {"extension", "hdu"},
    {"mem", "device_memory"},
    {"moc", "search_moc"},
    {"n_jobs", "threads"},
    {"noise", "rms"},
    {"noise_map", "rms"},
    {"nthreads", "threads"},
    {"num_threads", "threads"},
    {"output", "the first argument of write()"},
    {"overwrite", "overwrite, of write()"},
    {"region", "search_region"},
    {"regions", "search_region"},
    {"snr", "threshold"},
    {"workers", "threads"},
};

}  // namespace

std::string_view word_here(std::string_view other) {
  std::string small(other);
  std::ranges::transform(small, small.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto* const row = std::ranges::find(kOtherWords, small, &OtherWord::other);
  return row == std::end(kOtherWords) ? std::string_view() : row->here;
}

}  // namespace reber::python
