#include "random_kernel.h"

#include <array>
#include <cstddef>
#include <string_view>

namespace tilestep::fuzz {
namespace {

constexpr int kMostStatements = 48;

// Reads choices; zeros after the end of the bytes.
class Choices {
 public:
  explicit Choices(Bytes bytes) : bytes_(bytes) {}

  [[nodiscard]] bool empty() const { return next_ >= bytes_.size(); }
  [[nodiscard]] std::uint32_t byte() { return empty() ? 0 : bytes_[next_++]; }
  // Several bytes as one number, big-endian. One read per expression: the order of evaluation
  // within one is unspecified, and a case must be the same kernel everywhere.
  [[nodiscard]] std::uint32_t number(int bytes) {
    std::uint32_t value = 0;
    for (int k = 0; k < bytes; ++k) {
      value = value << 8 | byte();
    }
    return value;
  }
  [[nodiscard]] std::uint32_t below(std::uint32_t count) {
    return number(count <= 256 ? 1 : 2) % count;
  }

 private:
  Bytes bytes_;
  std::size_t next_ = 0;
};

// $r $f 32-bit registers, $h 16, $d $x 64, $p predicate, $q negatable one, $l label, $i small and
// $j any number, $G $S $T $A a place in global, shared, local, any memory; $m a lane mask.
constexpr std::string_view kTemplates[] = {
    "add.s32 $r, $r, $r;",
    "add.u32 $r, $r, $j;",
    "sub.s32 $r, $r, $i;",
    "mul.lo.s32 $r, $r, $r;",
    "mul.hi.u32 $r, $r, $r;",
    "mul.wide.s32 $d, $r, $r;",
    "mul.wide.u32 $d, $r, $i;",
    "mad.lo.s32 $r, $r, $r, $r;",
    "mad.wide.u32 $d, $r, $i, $d;",
    "mad.hi.s32 $r, $r, $r, $r;",
    "add.s64 $d, $d, $d;",
    "mul.lo.s64 $d, $d, $d;",
    "mad.lo.u64 $d, $d, $d, $d;",
    "div.s32 $r, $r, $r;",
    "rem.u32 $r, $r, $r;",
    "div.u64 $d, $d, $d;",
    "rem.s64 $d, $d, $d;",
    "min.s32 $r, $r, $r;",
    "max.u64 $d, $d, $d;",
    "abs.s32 $r, $r;",
    "neg.s64 $d, $d;",
    "popc.b32 $r, $r;",
    "popc.b64 $r, $d;",
    "clz.b32 $r, $r;",
    "bfind.s32 $r, $r;",
    "brev.b32 $r, $r;",
    "bfe.u32 $r, $r, $r, $r;",
    "bfi.b32 $r, $r, $r, $r, $r;",
    "prmt.b32 $r, $r, $r, $r;",
    "lop3.b32 $r, $r, $r, $r, 150;",
    "shf.l.wrap.b32 $r, $r, $r, $r;",
    "dp4a.s32.s32 $r, $r, $r, $r;",
    "sad.u32 $r, $r, $r, $r;",
    "add.cc.u32 $r, $r, $r;",
    "addc.u32 $r, $r, $r;",
    "and.b32 $r, $r, $j;",
    "or.b64 $d, $d, $d;",
    "xor.b32 $r, $r, $r;",
    "not.b32 $r, $r;",
    "shl.b32 $r, $r, $r;",
    "shr.s32 $r, $r, $i;",
    "shl.b64 $d, $d, $r;",
    "and.pred $p, $p, $p;",
    "xor.pred $p, $p, $p;",
    "not.pred $p, $p;",
    "add.f32 $f, $f, $f;",
    "sub.rz.f32 $f, $f, $f;",
    "mul.f32 $f, $f, $f;",
    "fma.rn.f32 $f, $f, $f, $f;",
    "fma.rm.ftz.sat.f32 $f, $f, $f, $f;",
    "div.rn.f32 $f, $f, $f;",
    "sqrt.rn.f32 $f, $f;",
    "rcp.approx.f32 $f, $f;",
    "ex2.approx.f32 $f, $f;",
    "sin.approx.f32 $f, $f;",
    "min.f32 $f, $f, $f;",
    "add.f64 $x, $x, $x;",
    "fma.rn.f64 $x, $x, $x, $x;",
    "div.rn.f64 $x, $x, $x;",
    "fma.rn.f16 $h, $h, $h, $h;",
    "add.f16x2 $r, $r, $r;",
    "fma.rn.bf16x2 $r, $r, $r, $r;",
    "cvt.rn.f32.s32 $f, $r;",
    "cvt.rzi.s32.f32 $r, $f;",
    "cvt.rzi.u64.f64 $d, $x;",
    "cvt.f64.f32 $x, $f;",
    "cvt.rn.f16.f32 $h, $f;",
    "cvt.f32.f16 $f, $h;",
    "cvt.s64.s32 $d, $r;",
    "cvt.u32.u64 $r, $d;",
    "cvt.s32.s8 $r, $r;",
    "setp.lt.s32 $p, $r, $r;",
    "setp.ne.u32 $p, $r, $i;",
    "setp.gt.u64 $p, $d, $d;",
    "setp.le.f32 $p, $f, $f;",
    "setp.equ.and.f32 $p, $f, $f, $p;",
    "selp.b32 $r, $r, $r, $p;",
    "selp.f32 $f, $f, $f, $p;",
    "slct.s32.s32 $r, $r, $r, $r;",
    "mov.b32 $r, $f;",
    "mov.u32 $r, $j;",
    "mov.b64 {$r, $r}, $d;",
    "mov.b64 $d, {$r, $r};",
    "mov.u32 $r, %tid.x;",
    "mov.u32 $r, %laneid;",
    "mov.u32 $r, %ctaid.x;",
    "mov.u64 $d, %clock64;",
    "ld.global.u32 $r, $G;",
    "ld.global.nc.f32 $f, $G;",
    "ld.global.v2.u32 {$r, $r}, $G;",
    "ld.global.v4.f32 {$f, $f, $f, $f}, $G;",
    "ld.global.s8 $r, $G;",
    "ld.volatile.global.u32 $r, $G;",
    "st.global.u32 $G, $r;",
    "st.global.v2.f32 $G, {$f, $f};",
    "st.global.u16 $G, $h;",
    "st.global.f64 $G, $x;",
    "ld.shared.u32 $r, $S;",
    "ld.shared.v4.f32 {$f, $f, $f, $f}, $S;",
    "ld.shared.u8 $r, $S;",
    "st.shared.f32 $S, $f;",
    "st.shared.v4.u32 $S, {$r, $r, $r, $r};",
    "st.shared.u64 $S, $d;",
    "ld.local.u32 $r, $T;",
    "st.local.u32 $T, $r;",
    "st.local.v2.f64 $T, {$x, $x};",
    "ld.u32 $r, $A;",
    "ld.v2.f32 {$f, $f}, $A;",
    "st.u32 $A, $r;",
    "st.u8 $A, $r;",
    "atom.global.add.u32 $r, $G, $r;",
    "atom.shared.cas.b32 $r, $S, $r, $r;",
    "atom.global.add.f32 $f, $G, $f;",
    "atom.shared.exch.b64 $d, $S, $d;",
    "atom.add.u64 $d, $A, $d;",
    "red.global.max.s32 $G, $r;",
    "bar.sync 0;",
    "barrier.sync 1;",
    "bar.sync 1, 32;",
    "bar.arrive 2, 64;",
    "bar.red.popc.u32 $r, 0, $p;",
    "bar.warp.sync $m;",
    "membar.cta;",
    "shfl.sync.bfly.b32 $r, $r, $i, 31, $m;",
    "shfl.sync.down.b32 $r|$p, $r, $r, 31, $m;",
    "vote.sync.ballot.b32 $r, $p, $m;",
    "vote.sync.any.pred $p, $p, $m;",
    "match.any.sync.b32 $r, $r, $m;",
    "redux.sync.add.s32 $r, $r, $m;",
    "activemask.b32 $r;",
    "cp.async.ca.shared.global $S, $G, 4;",
    "cp.async.cg.shared.global $S, $G, 16;",
    "cp.async.commit_group;",
    "cp.async.wait_group 1;",
    "cp.async.wait_all;",
    "mbarrier.init.shared.b64 $S, $i;",
    "mbarrier.arrive.shared.b64 $d, $S;",
    "mbarrier.test_wait.shared.b64 $p, $S, $d;",
    "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {$r, $r}, $S;",
    R"(mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
      {$f, $f, $f, $f}, {$r, $r, $r, $r}, {$r, $r}, {$f, $f, $f, $f};)",
    "bra $l;",
    "bra.uni $l;",
    "@$q bra $l;",
    "@$q bra $l;",
    "@$q bra $l;",
    "@$q ret;",
    "@$q exit;",
    "call.uni ($V), helper, ($V);",
    "brx.idx $r, targets;",
};

class Writer {
 public:
  explicit Writer(Bytes bytes) : choose_(bytes) {}

  RandomKernel write() {
    RandomKernel kernel;
    kernel.blocks = 1 + choose_.below(3);
    kernel.threads = 1 + choose_.below(80);
    const bool is_small = choose_.below(2) != 0;
    const std::uint32_t halvings = choose_.below(4);
    kernel.warp_size = 1 << (5 - (is_small ? halvings : 0));
    statements_ = 1 + static_cast<int>(choose_.below(kMostStatements));
    std::string body;
    for (int n = 0; n < statements_; ++n) {
      body += "L" + std::to_string(n) + ": ";
      body += statement(kTemplates[choose_.below(std::size(kTemplates))]);
      body += '\n';
    }
    kernel.ptx = std::string(kHead) + "targets: .branchtargets L0, L" +
                 std::to_string(statements_ / 2) + ", L" + std::to_string(statements_) + ";\n" +
                 body + "L" + std::to_string(statements_) + ":\n" + std::string(kTail);
    return kernel;
  }

 private:
  static constexpr std::string_view kHead = R"(.version 9.0
.target sm_90
.address_size 64
.func (.param .b32 out) helper (.param .b32 in)
{
  .reg .pred %p<2>;
  .reg .b32 %r<4>;
  .local .align 8 .b8 kept[8];
  ld.param.u32 %r1, [in];
  st.local.u32 [kept], %r1;
  setp.lt.s32 %p1, %r1, 5;
  @%p1 bra done;
  add.s32 %r1, %r1, -3;
done:
  ld.local.u32 %r2, [kept];
  add.s32 %r1, %r1, %r2;
  st.param.b32 [out], %r1;
  ret;
}
.visible .entry kernel(.param .u64 buffer)
{
  .reg .pred %p<4>;
  .reg .b16 %h<4>;
  .reg .b32 %r<8>;
  .reg .f32 %f<6>;
  .reg .b64 %d<6>;
  .reg .f64 %x<4>;
  .reg .b64 %g, %s, %t, %any;
  .shared .align 16 .b8 s[512];
  .local .align 16 .b8 l[64];
  ld.param.u64 %g, [buffer];
  mov.u32 %r0, %tid.x;
  mul.wide.u32 %d0, %r0, 4;
  add.u64 %g, %g, %d0;
  mov.u64 %s, s;
  add.u64 %s, %s, %d0;
  mov.u64 %t, l;
  cvta.shared.u64 %any, %s;
  mov.u32 %r1, %laneid;
  cvt.rn.f32.u32 %f0, %r0;
  cvt.f64.f32 %x0, %f0;
  setp.lt.u32 %p0, %r1, 9;
)";
  static constexpr std::string_view kTail = "  ret;\n}\n";

  std::string reg(char letter, std::uint32_t count) {
    return "%" + std::string(1, letter) + std::to_string(choose_.below(count));
  }

  std::string place(const char* base, std::uint32_t step, std::uint32_t count) {
    return "[" + std::string(base) + "+" + std::to_string(step * choose_.below(count)) + "]";
  }

  std::string mask() {
    const std::array<const char*, 4> masks{"0xffffffff", "%r2", "511", "0xfffffe00"};
    return masks[choose_.below(4)];
  }

  std::string field(char kind) {
    switch (kind) {
      case 'r':
        return reg('r', 8);
      case 'f':
        return reg('f', 6);
      case 'h':
        return reg('h', 4);
      case 'd':
        return reg('d', 6);
      case 'x':
        return reg('x', 4);
      case 'p':
        return reg('p', 4);
      case 'q': {
        const std::string sign = choose_.below(2) == 0 ? "" : "!";
        return sign + reg('p', 4);
      }
      case 'l':
        return "L" + std::to_string(choose_.below(static_cast<std::uint32_t>(statements_) + 1));
      case 'i':
        return std::to_string(choose_.below(40));
      case 'j':
        return std::to_string(choose_.number(3));
      case 'G':
        return place("%g", 4, 192);
      case 'S':
        return place("%s", 4, 64);
      case 'T':
        return place("%t", 8, 8);
      case 'A':
        return choose_.below(2) == 0 ? place("%any", 4, 64) : place("%g", 2, 256);
      case 'm':
        return mask();
      default:
        return "";
    }
  }

  std::string statement(std::string_view text) {
    if (text.substr(0, 4) == "call") {
      const std::string in = reg('r', 8);
      const std::string out = reg('r', 8);
      return "{ .param .b32 a; .param .b32 b; st.param.b32 [a], " + in +
             "; call.uni (b), helper, (a); ld.param.b32 " + out + ", [b]; }";
    }
    std::string written;
    const bool can_be_guarded = text.front() != '@' && text.substr(0, 3) != "brx";
    if (can_be_guarded && choose_.below(8) == 0) {
      written = "@" + field('q') + " ";
    }
    for (std::size_t at = 0; at < text.size(); ++at) {
      if (text[at] == '$') {
        written += field(text[++at]);
      } else {
        written += text[at];
      }
    }
    return written;
  }

  Choices choose_;
  int statements_ = 1;
};

}  // namespace

RandomKernel make_kernel(Bytes bytes) {
  return Writer(bytes).write();
}

}  // namespace tilestep::fuzz
