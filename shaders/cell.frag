// A rounded box with a border, a hatch and the cut corner of a written cell.

uniform float u_density;  // framebuffer pixels per window pixel: edges are smoothed over one of them

in vec2 v_point;
flat in vec2 v_half_size;
flat in vec4 v_fill;
flat in vec4 v_border;
flat in vec2 v_shape;
flat in uint v_marks;
flat in vec4 v_mark_colour;

layout(location = 0) out vec4 o_colour;

// Signed distance to a rounded box, negative inside (I. Quilez, "2D distance functions").
float rounded_box(vec2 p, vec2 half_size, float radius) {
  vec2 q = abs(p) - half_size + radius;
  return length(max(q, 0.0)) + min(max(q.x, q.y), 0.0) - radius;
}

// Colors are premultiplied with alpha: blending then needs no division.
vec4 multiplied(vec4 colour, float cover) {
  float alpha = colour.a * cover;
  return vec4(colour.rgb * alpha, alpha);
}
vec4 over(vec4 top, vec4 bottom) {
  return top + bottom * (1.0 - top.a);
}

vec4 marked(vec4 colour) {
  float size = 2.0 * min(v_half_size.x, v_half_size.y);
  vec2 from_corner = v_point + v_half_size;  // top left
  float cover = 0.0;
  if ((v_marks & MARK_HATCHED) != 0u) {
    float period = clamp(size * 0.24, 4.0, 12.0);
    float line = abs(fract((from_corner.x + from_corner.y) / period) - 0.5) * period;
    float width = clamp(size * 0.035, 0.6, 1.4);
    // `line` is largest in the middle of a stripe; distances are along x + y.
    cover = clamp((line - (0.5 * period - width)) * 0.7071 * u_density + 0.5, 0.0, 1.0);
  }
  if ((v_marks & MARK_CUT) != 0u) {
    float legs = clamp(size * 0.30, 3.0, 16.0);
    vec2 from_right = vec2(2.0 * v_half_size.x - from_corner.x, from_corner.y);
    float triangle = (legs - from_right.x - from_right.y) * 0.7071;
    cover = max(cover, clamp(triangle * u_density + 0.5, 0.0, 1.0));
  }
  return over(multiplied(v_mark_colour, cover), colour);
}

float dashed(float cover) {
  float along = abs(v_point.x) / v_half_size.x > abs(v_point.y) / v_half_size.y ? v_point.y : v_point.x;
  float period = clamp(v_shape.x * 5.0, 5.0, 14.0);
  return abs(fract(along / period) - 0.5) < 0.3 ? cover : 0.0;
}

void main() {
  float distance = rounded_box(v_point, v_half_size, v_shape.y);
  float inside = clamp(0.5 - distance * u_density, 0.0, 1.0);
  vec4 colour = multiplied(v_fill, 1.0);
  if ((v_marks & (MARK_HATCHED | MARK_CUT)) != 0u) {
    colour = marked(colour);
  }
  if (v_shape.x > 0.0) {
    float edge = clamp((distance + v_shape.x) * u_density + 0.5, 0.0, 1.0);
    if ((v_marks & MARK_DASHED) != 0u) {
      edge = dashed(edge);
    }
    colour = over(multiplied(v_border, edge), colour);
  }
  o_colour = colour * inside;
}
