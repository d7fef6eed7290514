// One matrix cell, drawn as an instanced quad: four corners, everything else from the instance. A
// cell without a fill is drawn as a ring of ten points: it may frame an area a hundred times as
// large as its border, and software rasterizers pay for every pixel. app/platform prepends the
// #version line and the MARK_ constants.

uniform vec2 u_display_origin;  // top left of the window, window pixels
uniform vec2 u_display_size;
uniform bool u_is_ring;

layout(location = 0) in vec4 a_rect;  // x, y, width, height in window pixels
layout(location = 1) in vec4 a_fill;
layout(location = 2) in vec4 a_border;
layout(location = 3) in vec2 a_shape;  // border width, corner radius
layout(location = 4) in uint a_marks;
layout(location = 5) in vec4 a_mark_colour;

out vec2 v_point;  // from the cell's center, in pixels
flat out vec2 v_half_size;
flat out vec4 v_fill;
flat out vec4 v_border;
flat out vec2 v_shape;
flat out uint v_marks;
flat out vec4 v_mark_colour;

// Vertices of a ring: clockwise from the top left, outer and inner points alternating.
vec2 ring_point() {
  int corner = (gl_VertexID >> 1) & 3;
  vec2 side = vec2(corner == 1 || corner == 2 ? 1.0 : -1.0, corner >= 2 ? 1.0 : -1.0);
  float depth = a_shape.x + 0.3 * a_shape.y + 1.5;  // border and corner fit within
  bool is_inner = (gl_VertexID & 1) != 0;
  return side * (is_inner ? max(v_half_size - depth, 0.0) : v_half_size + 1.0);
}

void main() {
  vec2 corner = vec2(float(gl_VertexID & 1), float(gl_VertexID >> 1)) * 2.0 - 1.0;
  v_half_size = a_rect.zw * 0.5;
  // One extra pixel for the smooth edge.
  v_point = u_is_ring ? ring_point() : corner * (v_half_size + 1.0);
  v_fill = a_fill;
  v_border = a_border;
  v_shape = vec2(a_shape.x, min(a_shape.y, min(v_half_size.x, v_half_size.y)));
  v_marks = a_marks;
  v_mark_colour = a_mark_colour;
  vec2 pixel = a_rect.xy + v_half_size + v_point - u_display_origin;
  vec2 clip = pixel / u_display_size * 2.0 - 1.0;
  gl_Position = vec4(clip.x, -clip.y, 0.0, 1.0);
}
