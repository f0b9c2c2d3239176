// SPDX-License-Identifier: BSD-3-Clause
// A tile-compressed copy of an image, for tests: tile_compress IN OUT [rice|gzip|hcompress]
#include <fitsio.h>

#include <cstring>

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const char* kind = argc > 3 ? argv[3] : "rice";
  const int type = std::strcmp(kind, "gzip") == 0 ? GZIP_2 : std::strcmp(kind, "hcompress") == 0 ? HCOMPRESS_1 : RICE_1;
  fitsfile *in = nullptr, *out = nullptr;
  int status = 0;
  fits_open_diskfile(&in, argv[1], READONLY, &status);
  fits_create_diskfile(&out, argv[2], &status);
  fits_set_compression_type(out, type, &status);
  fits_img_compress(in, out, &status);
  fits_close_file(out, &status);
  fits_close_file(in, &status);
  if (status != 0) fits_report_error(stderr, status);
  return status == 0 ? 0 : 1;
}
