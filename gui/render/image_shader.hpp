// SPDX-License-Identifier: BSD-3-Clause
// The one shader that turns values into colours.
#pragma once

namespace reber::gui {

/// Texels here are places in a tile: pixel (i, j) covers [i, i + 1) x [j, j + 1).
// NaN is told from its bits: compilers may take a comparison of a number with itself for true.
inline constexpr const char* kImageFragment = R"(#version 330 core
in vec2 texel;
in vec2 other_texel;
out vec4 colour;
uniform sampler2DArray pixels;
uniform sampler2DArray other_pixels;
uniform sampler2D maps;        // one colour map a row
uniform sampler2D cumulative;  // of the histogram stretch, 256 x 1
uniform int layer;
uniform int other_layer;
uniform int combine;           // 0 the first, 1 difference, 2 ratio
uniform vec2 limits;
uniform int stretch;
uniform float softness;
uniform float unstretched;     // 1 over the stretch's value of 1
uniform float power;
uniform float map_row;
uniform bool invert;
uniform vec2 bias_contrast;
uniform vec4 blank;
uniform bool categorical;
uniform bool proportional;     // the place within the limits itself, beyond the high one too
uniform bool outline;          // edges of the areas of one value alone
uniform vec4 outline_ink;
uniform float outline_width;   // screen pixels
uniform float grid;            // opacity of the pixel grid
uniform float pixel_size;      // screen pixels a texel
uniform ivec2 last;            // texel of the tile that is image still
uniform ivec2 other_last;
uniform float footprint;       // texels a screen pixel, 1 ... 2; 0: the nearest texel alone
uniform int reduction;         // 0 mean, 1 peak, 2 the mean with the peaks that stand out

bool is_blank(float v) { return (floatBitsToUint(v) & 0x7f800000u) == 0x7f800000u; }

float asinh_of(float x) { return log(x + sqrt(x * x + 1.0)); }

float stretched(float t) {
  if (stretch == 1) return log(1.0 + softness * t) * unstretched;
  if (stretch == 2) return sqrt(t);
  if (stretch == 3) return t * t;
  if (stretch == 4) return asinh_of(softness * t) * unstretched;
  if (stretch == 5) return pow(t, power);
  if (stretch == 6) return textureLod(cumulative, vec2((t * 255.0 + 0.5) / 256.0, 0.5), 0.0).r;
  return t;
}

vec4 label_colour(float v) {
  float hue = fract(v * 0.61803398875) * 6.0;
  vec3 rgb = clamp(vec3(abs(hue - 3.0) - 1.0, 2.0 - abs(hue - 2.0), 2.0 - abs(hue - 4.0)), 0.0, 1.0);
  return vec4(0.25 + 0.7 * rgb, 1.0);
}

bool differs(ivec2 at, float v) {
  float w = texelFetch(pixels, ivec3(clamp(at, ivec2(0), last), layer), 0).r;
  return is_blank(w) || w != v;
}

// The line lies inside the area; a blank neighbour differs from every number.
bool on_outline(vec2 texel) {
  ivec2 at = clamp(ivec2(texel), ivec2(0), last);
  float v = texelFetch(pixels, ivec3(at, layer), 0).r;
  if (is_blank(v)) return false;
  vec2 low = fract(texel) * pixel_size, high = (1.0 - fract(texel)) * pixel_size;
  return (low.x < outline_width && differs(at - ivec2(1, 0), v)) || (high.x < outline_width && differs(at + ivec2(1, 0), v)) ||
         (low.y < outline_width && differs(at - ivec2(0, 1), v)) || (high.y < outline_width && differs(at + ivec2(0, 1), v));
}

#ifdef FINE
// The texels under a screen pixel as one value. The level above (in other_pixels) has mixed the peaks in that stand out:
// how far it went from the mean of its four texels to their peak is how far this goes.
float filtered() {
  float sum = 0.0, count = 0.0, peak = 0.0;
  bool outside = false, any_value = false;
  // Of a screen pixel that is hardly larger than a texel the nearest texel is most: else noise would look smoother along
  // some columns than along others.
  ivec2 nearest = ivec2(floor(texel));
  float beside = smoothstep(1.0, 1.5, footprint);
  for (int i = 0; i < 4; ++i) {
    vec2 away = 0.25 * footprint * vec2(i % 2 == 0 ? -1.0 : 1.0, i < 2 ? -1.0 : 1.0);
    ivec2 at = ivec2(floor(texel + away));
    outside = outside || any(lessThan(at, ivec2(0))) || any(greaterThan(at, last));
    float v = texelFetch(pixels, ivec3(clamp(at, ivec2(0), last), layer), 0).r;
    if (is_blank(v)) continue;
    peak = any_value ? max(peak, v) : v;
    any_value = true;
    float weight = at == nearest ? 1.0 : beside;
    sum += weight * v;
    count += weight;
  }
  if (!any_value) return uintBitsToFloat(0x7fc00000u);
  float mean = count > 0.0 ? sum / count : peak;
  if (reduction != 2) return reduction == 1 ? peak : mean;
  ivec2 first = clamp(ivec2(texel), ivec2(0), last) / 2 * 2;
  float all = 0.0, many = 0.0, most = 0.0;
  for (int i = 0; i < 4; ++i) {
    ivec2 at = first + ivec2(i % 2, i / 2);
    if (any(greaterThan(at, last))) continue;
    float v = texelFetch(pixels, ivec3(at, layer), 0).r;
    if (is_blank(v)) continue;
    most = many == 0.0 ? v : max(most, v);
    all += v;
    many += 1.0;
  }
  float above = texelFetch(other_pixels, ivec3(clamp(ivec2(other_texel), ivec2(0), other_last), other_layer), 0).r;
  if (many == 0.0 || is_blank(above) || !(most > all / many)) return mean;
  float part = clamp((above - all / many) / (most - all / many), 0.0, 1.0);
  // Across the tile's edge nothing is seen: the peak of the four stands in.
  return mix(mean, outside ? most : peak, part);
}
#endif

void main() {
  colour = outline_ink;
  if (outline) {
    if (!on_outline(texel)) discard;
    return;
  }
  float v = texelFetch(pixels, ivec3(clamp(ivec2(texel), ivec2(0), last), layer), 0).r;
#ifdef FINE
  if (footprint > 0.0) v = filtered();
#endif
  bool no_value = is_blank(v);
  if (combine != 0) {
    float w = texelFetch(other_pixels, ivec3(clamp(ivec2(other_texel), ivec2(0), other_last), other_layer), 0).r;
    no_value = no_value || is_blank(w) || (combine == 2 && w == 0.0);
    v = combine == 1 ? v - w : v / w;
  }
  if (no_value) {
    colour = blank;
  } else if (categorical) {
    colour = label_colour(v);
  } else if (proportional) {
    colour = vec4(vec3(clamp((v - limits.x) / (limits.y - limits.x), 0.0, 60000.0)), 1.0);
  } else {
    float t = clamp((v - limits.x) / (limits.y - limits.x), 0.0, 1.0);
    float c = clamp((stretched(t) - bias_contrast.x) * bias_contrast.y + 0.5, 0.0, 1.0);
    if (invert) c = 1.0 - c;
    colour = vec4(textureLod(maps, vec2((c * 255.0 + 0.5) / 256.0, map_row), 0.0).rgb, 1.0);
  }
  if (grid > 0.0) {
    // On the low side alone: one screen pixel's centre lies there at any zoom.
    vec2 edge = fract(texel) * pixel_size;
    if (min(edge.x, edge.y) < 1.0) colour.rgb = mix(colour.rgb, vec3(0.5), grid);
  }
}
)";

/// Three colours from three places within limits: one asinh of their sum, so that bright sources keep their hue (after
/// Lupton et al. 2004, PASP 116, 133). What would be brighter than a screen is made as bright as one.
inline constexpr const char* kThreeColours = R"(#version 330 core
out vec4 colour;
uniform sampler2D places;      // alpha is 0 beside the image
uniform float softness;
float asinh_of(float x) { return log(x + sqrt(x * x + 1.0)); }
void main() {
  vec4 at = texelFetch(places, ivec2(gl_FragCoord.xy), 0);
  if (at.a == 0.0) discard;
  float sum = at.r + at.g + at.b;
  vec3 rgb = sum > 0.0 ? at.rgb * (asinh_of(softness * sum) / (asinh_of(softness) * sum)) : vec3(0.0);
  colour = vec4(rgb / max(1.0, max(rgb.r, max(rgb.g, rgb.b))), 1.0);
}
)";

/// One triangle over all of the target.
inline constexpr const char* kWholeTarget = R"(#version 330 core
void main() { gl_Position = vec4(gl_VertexID == 1 ? 3 : -1, gl_VertexID == 2 ? 3 : -1, 0, 1); }
)";

inline constexpr const char* kImageVertex = R"(#version 330 core
uniform vec4 corner[4];   // clip position, texel of the first layer
uniform vec2 other[4];    // texel of the second
out vec2 texel;
out vec2 other_texel;
void main() {
  texel = corner[gl_VertexID].zw;
  other_texel = other[gl_VertexID];
  gl_Position = vec4(corner[gl_VertexID].xy, 0, 1);
}
)";

}  // namespace reber::gui
