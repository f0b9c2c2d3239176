// SPDX-License-Identifier: BSD-3-Clause
// The one rule that turns values into colours, and the two ways to run it: a compute shader, which all of a card's
// multiprocessors take part in, and, where OpenGL has none, a fragment shader.
#pragma once

namespace reber::gui {

/// Stands before kImageRule. Texels here are places in a tile: pixel (i, j) covers [i, i + 1) x [j, j + 1).
inline constexpr const char* kImageFragmentHead = "#version 330 core\n";
inline constexpr const char* kImageComputeHead = "#version 430 core\n";

// NaN is told from its bits: compilers may take a comparison of a number with itself for true.
inline constexpr const char* kImageRule = R"(
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
uniform bool outline;          // edges of the areas of one value alone
uniform float grid;            // opacity of the pixel grid
uniform float pixel_size;      // screen pixels a texel
uniform ivec2 last;            // texel of the tile that is image still
uniform ivec2 other_last;

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

// The line lies inside the area, 1.5 screen pixels wide; a blank neighbour differs from every number.
bool on_outline(vec2 texel) {
  ivec2 at = clamp(ivec2(texel), ivec2(0), last);
  float v = texelFetch(pixels, ivec3(at, layer), 0).r;
  if (is_blank(v)) return false;
  vec2 low = fract(texel) * pixel_size, high = (1.0 - fract(texel)) * pixel_size;
  return (low.x < 1.5 && differs(at - ivec2(1, 0), v)) || (high.x < 1.5 && differs(at + ivec2(1, 0), v)) ||
         (low.y < 1.5 && differs(at - ivec2(0, 1), v)) || (high.y < 1.5 && differs(at + ivec2(0, 1), v));
}

// False where nothing is to be drawn.
bool colour_at(vec2 texel, vec2 other_texel, out vec4 colour) {
  colour = vec4(1.0);
  if (outline) return on_outline(texel);
  float v = texelFetch(pixels, ivec3(clamp(ivec2(texel), ivec2(0), last), layer), 0).r;
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
  } else {
    float t = clamp((v - limits.x) / (limits.y - limits.x), 0.0, 1.0);
    float c = clamp((stretched(t) - bias_contrast.x) * bias_contrast.y + 0.5, 0.0, 1.0);
    if (invert) c = 1.0 - c;
    colour = vec4(textureLod(maps, vec2((c * 255.0 + 0.5) / 256.0, map_row), 0.0).rgb, 1.0);
  }
  if (grid > 0.0) {
    vec2 edge = min(fract(texel), 1.0 - fract(texel)) * pixel_size;
    if (min(edge.x, edge.y) < 0.5) colour.rgb = mix(colour.rgb, vec3(0.5), grid);
  }
  return true;
}
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

inline constexpr const char* kImageFragment = R"(
in vec2 texel;
in vec2 other_texel;
out vec4 colour;
void main() {
  if (!colour_at(texel, other_texel, colour)) discard;
}
)";

// One invocation a pixel of a rectangle that holds a tile. A pixel's centre on the edge of two tiles may come out just
// outside of both: `slack` lets the upper one take it.
inline constexpr const char* kImageCompute = R"(
layout(local_size_x = 16, local_size_y = 16) in;
layout(binding = 0, rgba8) writeonly uniform image2D picture;
uniform ivec4 part;         // of the picture: first column and row, one past the last ones
uniform vec2 origin;        // texel under the centre of the part's first pixel
uniform vec4 along;         // texels a column, texels a row
uniform vec4 extent;        // of the tile in texels: low x, low y, high x, high y
uniform vec2 slack;
uniform vec2 other_origin;
uniform vec4 other_along;
void main() {
  ivec2 at = part.xy + ivec2(gl_GlobalInvocationID.xy);
  if (at.x >= part.z || at.y >= part.w) return;
  vec2 steps = vec2(gl_GlobalInvocationID.xy);
  vec2 texel = origin + steps.x * along.xy + steps.y * along.zw;
  if (any(lessThan(texel, extent.xy - slack)) || any(greaterThanEqual(texel, extent.zw))) return;
  vec4 colour;
  if (colour_at(max(texel, extent.xy), other_origin + steps.x * other_along.xy + steps.y * other_along.zw, colour))
    imageStore(picture, at, colour);
}
)";

inline constexpr const char* kFillCompute = R"(
layout(local_size_x = 16, local_size_y = 16) in;
layout(binding = 0, rgba8) writeonly uniform image2D picture;
layout(location = 0) uniform vec4 colour;
void main() {
  ivec2 at = ivec2(gl_GlobalInvocationID.xy);
  if (all(lessThan(at, imageSize(picture)))) imageStore(picture, at, colour);
}
)";

}  // namespace reber::gui
