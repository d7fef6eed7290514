#include "ptx/sass/decode_table.h"

namespace tilestep::ptx {
namespace {

#define WIDTH "73:3=.U8,.S8,.U16,.S16,-,.64,.128"
#define ROUNDING "78:2=-,.RM,.RP,.RZ"
#define COMPARISON "76:3=.F,.LT,.EQ,.LE,.GT,.NE,.GE,.T"
#define FLOAT_COMPARISON \
  "76:4=.F,.LT,.EQ,.LE,.GT,.NE,.GE,.NUM,.NAN,.LTU,.EQU,.LEU,.GTU,.NEU,.GEU,.T"
#define JOIN "74:2=.AND,.OR,.XOR"
#define SHUFFLE "58:2=.IDX,.UP,.DOWN,.BFLY"
#define GLOBAL "72:1=-,.E 76:1!1 90:2!3 "
#define CACHING "84:3=.EF,-,.EL,.LU,.EU,.NA"
#define ORDER "77:4=-,,,,.CONSTANT,.STRONG.SM,,.STRONG.GPU,,,.STRONG.SYS"
constexpr Immediate kSigned = Immediate::Signed;
constexpr Immediate kUnsigned = Immediate::Unsigned;
constexpr Immediate kFloat = Immediate::Float;
constexpr Immediate kUnknown = Immediate::Unknown;

constexpr Row kRows[] = {
    // float
    {0x023, "FFMA", "d a| b| c|", "80:1=-,.FTZ 77:1=-,.SAT " ROUNDING, kFloat},
    {0x021, "FADD", "d a| b|", "9:3!1 80:1=-,.FTZ 77:1=-,.SAT " ROUNDING, kFloat},
    {0x021, "FADD", "d a| c|", "80:1=-,.FTZ 77:1=-,.SAT " ROUNDING, kFloat},
    {0x020, "FMUL", "d a| b|", "80:1=-,.FTZ 77:1=-,.SAT 84:3!4 " ROUNDING, kFloat},
    {0x009, "FMNMX", "d a| b| x", "80:1=-,.FTZ", kFloat},
    {0x008, "FSEL", "d a| b| x", "", kFloat},
    {0x00b, "FSETP", "p q a| b| x", FLOAT_COMPARISON " 80:1=-,.FTZ " JOIN, kFloat},
    {0x00a, "FSET.BF", "d a| b| x", FLOAT_COMPARISON " 80:1=-,.FTZ " JOIN, kFloat},
    {0x102, "FCHK", "p a| b|", "", kFloat},
    {0x029, "DADD", "d a| c|", ROUNDING, kUnknown},
    {0x028, "DMUL", "d a| b|", ROUNDING, kUnknown},
    {0x02b, "DFMA", "d a b- c-", ROUNDING, kUnknown},
    {0x035, "HFMA2.MMA", "d a- b c", "", Immediate::Halves},
    {0x031, "HFMA2", "d a- b c", "", Immediate::Halves},
    {0x108, "MUFU", "d b|", "74:4=.COS,.SIN,.EX2,.LG2,.RCP,.RSQ,.RCP64H,.RSQ64H,.SQRT,.TANH",
     kFloat},
    {0x106, "I2F.RP", "d b", "72:15!0x2094"},
    {0x105, "F2I", "d b|",
     "80:1=-,.FTZ 72:1=.U32,- 78:2=-,.FLOOR,.CEIL,.TRUNC 77:1=,.NTZ 76:1!1 85:1!1", kFloat},
    {0x045, "I2FP.F32", "d b", "74:1=.U32,.S32 75:2!2 85:1!1"},
    // integer
    {0x010, "IADD3", "d p? q? a- b- c- x y", "74:1=,.X"},
    {0x010, "IADD3", "d p? q? a- b- c- x~ y~", "74:1!0"},
    {0x035, "IADD", "d a- b-", "73:1=,.64 81:3!7 87:4!15"},
    {0x024, "IMAD", "d p? a b c- x", "74:1=,.X 73:1=.U32,-"},
    {0x024, "IMAD", "d p? a b c- x~", "74:1!0 73:1=.U32,-"},
    {0x025, "IMAD", "d p? a b c- x~", "74:1=.WIDE 73:1=.U32,-"},
    {0x027, "IMAD", "d p? a b c- x~", "74:1=.HI 73:1=.U32,-"},
    {0x011, "LEA", "d p? a b- c 75:5 x", "80:1=,.HI 74:1=,.X 73:1!0", kUnsigned},
    {0x011, "LEA", "d p? a b- c 75:5 x~", "80:1=,.HI 73:2!0", kUnsigned},
    {0x011, "LEA", "d p? a b- c~ 75:5 x", "80:1=,.HI 74:1=,.X 73:1=,.SX32", kUnsigned},
    {0x011, "LEA", "d p? a b- c~ 75:5 x~", "80:1=,.HI 73:1=,.SX32", kUnsigned},
    {0x011, "LEA", "d p? a b- c~ 75:5 x~", "", kUnsigned},
    {0x012, "LOP3", "p? d a b c 72:8 x", "80:1=.LUT", kUnsigned},
    {0x019, "SHF", "d a b c", "76:1=.L,.R 75:1=-,.W 73:2=.S64,.U64,.S32,.U32 80:1=-,.HI",
     kUnsigned},
    {0x036, "VIADD", "d a b-", "", kUnsigned},
    {0x048, "VIMNMX", "d p~ q~ a b x", "72:2!1"},
    {0x048, "VIMNMX", "d p~ q~ a b x", "72:2=.U32,-", kUnsigned},
    {0x046, "VIADDMNMX", "d a b c x", "72:2=.U32,-", kUnsigned},
    {0x017, "IMNMX", "d a b x", "73:1=.U32,-", kUnsigned},
    {0x016, "PRMT", "d a b c", "", kUnsigned},
    {0x013, "IABS", "d b", ""},
    {0x100, "FLO", "d p~ b", "73:1=.U32,- 74:1=-,.SH"},
    {0x101, "BREV", "d b", ""},
    {0x109, "POPC", "d b", ""},
    {0x00c, "ISETP", "p q a b x z", COMPARISON " 73:1=.U32,- " JOIN " 72:1=,.EX"},
    {0x00c, "ISETP", "p q a b x z~", COMPARISON " 73:1=.U32,- " JOIN " 72:1!0"},
    {0x01c, "PLOP3", "p q x y Z l 16:8", "9:3!4 80:1=.LUT"},
    {0x007, "SEL", "d a b x", "", kUnsigned},
    {0x007, "SEL.64", "d a v x", "9:3!3", kUnsigned},
    {0x002, "MOV", "d b", "72:4!15 80:1=-,.64", kUnsigned},
    {0x005, "CS2R", "d s", "9:3!4 80:1=.32,-"},
    {0x119, "S2R", "d s", "9:3!4"},
    {0x003, "P2R", "d P a b", "", kUnsigned},
    {0x006, "VOTE", "d p x", "9:3!4 72:2=,.ANY"},
    {0x189, "SHFL", "p d a b c", "9:3!1 " SHUFFLE},
    {0x189, "SHFL", "p d a v 40:13", "9:3!2 " SHUFFLE},
    {0x189, "SHFL", "p d a 53:5 c", "9:3!4 " SHUFFLE},
    {0x189, "SHFL", "p d a 53:5 40:13", "9:3!7 " SHUFFLE},
    {0x182, "LDC", "d k", "9:3!5 " WIDTH},
    // uniform
    {0x090, "UIADD3", "d p? q? a- b- c- x y", "74:1=,.X 91:1!1", kSigned, true},
    {0x090, "UIADD3", "d p? q? a- b- c- x~ y~", "74:1!0 91:1!1", kSigned, true},
    {0x097, "UIADD3.64", "d p? q? a- b- c- x~ y~", "74:1!0 91:1!1", kSigned, true},
    {0x04a, "UVIMNMX", "d p~ q~ a b x", "72:2=.U32,.S32 91:1!1", kUnsigned, true},
    {0x0a4, "UIMAD", "d p? a b c- x~", "74:1!0 73:1=.U32,- 91:1!1", kSigned, true},
    {0x0a5, "UIMAD", "d p? a b c- x~", "74:1=.WIDE 73:1=.U32,- 91:1!1", kSigned, true},
    {0x091, "ULEA", "d p? a b- c 75:5 x", "80:1=,.HI 74:1=,.X 73:1!0 91:1!1", kUnsigned, true},
    {0x091, "ULEA", "d p? a b- c 75:5 x~", "80:1=,.HI 73:2!0 91:1!1", kUnsigned, true},
    {0x091, "ULEA", "d p? a b- c~ 75:5 x", "80:1=,.HI 74:1=,.X 73:1=,.SX32 91:1!1", kUnsigned,
     true},
    {0x091, "ULEA", "d p? a b- c~ 75:5 x~", "80:1=,.HI 73:1=,.SX32 91:1!1", kUnsigned, true},
    {0x091, "ULEA", "d p? a b- c~ 75:5 x~", "91:1!1", kUnsigned, true},
    {0x092, "ULOP3", "p? d a b c 72:8 x", "80:1=.LUT 91:1!1", kUnsigned, true},
    {0x099, "USHF", "d a b c", "76:1=.L,.R 75:1=-,.W 73:2=.S64,.U64,.S32,.U32 80:1=-,.HI 91:1!1",
     kUnsigned, true},
    {0x08c, "UISETP", "p q a b x z~", COMPARISON " 73:1=.U32,- " JOIN " 72:1!0 91:1!1", kSigned,
     true},
    {0x087, "USEL", "d a b x", "91:1!1", kUnsigned, true},
    {0x082, "UMOV", "d b", "", kUnsigned, true},
    {0x1ac, "LDCU", "D K", "9:3!3 91:1!1 " WIDTH},
    {0x1ac, "LDCU", "D K", "9:3!3 " WIDTH},
    {0x0b9, "ULDC", "d k", "9:3!5 " WIDTH, kSigned, true},
    {0x1c3, "S2UR", "d s", "9:3!4", kSigned, true},
    {0x1c2, "R2UR", "d p~ A", "9:3!1", kSigned, true},
    {0x0ca, "R2UR", "d p~ A", "9:3!1", kSigned, true},
    {0x086, "VOTEU", "d~ p X", "9:3!4 72:1=.ALL", kSigned, true},
    {0x086, "VOTEU", "d p X", "9:3!4 72:2=,.ANY", kSigned, true},
    {0x0bd, "UFLO", "d p~ b", "73:1=.U32,- 74:1=-,.SH 91:1!1", kSigned, true},
    // memory
    {0x181, "LDG", "d p? g", "9:3!4 " GLOBAL CACHING " " WIDTH " " ORDER},
    {0x186, "STG", "h v", "9:3!4 " GLOBAL CACHING " " WIDTH " " ORDER},
    {0x184, "LDS", "d m", "9:3!4 " WIDTH},
    {0x188, "STS", "m v", "9:3!1 " WIDTH},
    {0x188, "STS", "n v", "9:3!4 " WIDTH},
    {0x183, "LDL", "d m", "9:3!4 " CACHING " " WIDTH},
    {0x187, "STL", "m v", "9:3!1 " CACHING " " WIDTH},
    {0x1ae, "LDGSTS", "e f x",
     "9:3!7 70:1!1 75:1=,.E 81:1=.BYPASS,- 73:2=-,.64,.128 76:1!1 84:3!1 91:1!1"},
    {0x1ae, "LDGSTS", "e f x",
     "9:3!7 83:1=,.E 81:1=.BYPASS,- 74:2=-,.64,.128 76:1!1 84:3!1 91:1!1"},  // from 10.0 on
    {0x1af, "LDGDEPBAR", "", "9:3!4"},
    {0x11a, "DEPBAR", "S 38:6", "9:3!4 47:1=,.LE"},
    {0x1a8, "ATOMG", "p d h v", "9:3!4 70:2!3 72:1=-,.E 87:4=.ADD 73:3=- 84:3!1 91:1!1 " ORDER},
    {0x1a8, "ATOMG", "p d h v",  // from 10.0 on
     "9:3!4 63:1!1 72:1=-,.E 76:1!1 87:4=.ADD 73:3=- 84:3!1 91:1!1 " ORDER},
    {0x18e, "REDG", "h v",
     "9:3!4 70:2!2 72:1=-,.E 87:3=.ADD,.MIN,.MAX,.INC,.DEC,.AND,.OR,.XOR 73:3=-,.S32 84:3!1 "
     "90:2!3 " ORDER},
    {0x1a6, "REDG", "h v",
     "9:3!4 70:2!2 72:1=-,.E 87:3=.ADD 73:3=,.F32.FTZ.RN,,,,,,.F64.RN 76:1!1 84:3!1 90:2!3 " ORDER},
    {0x18c, "ATOMS.POPC.INC.32", "d n", "9:3!7 87:1=-,- 88:3!5"},
    // control
    {0x147, "BRA", "x? L", "9:3!4"},
    {0x147, "BRA.U", "x? L", "9:3!4 32:2!1 84:1=-,.ANY"},
    {0x147, "BRA.DIV", "A L", "9:3!4 30:2!0 32:2!2 87:3!7 91:1!1"},
    {0x147, "BRA", "u L", "9:3!2 32:2!1 87:3!7 91:1=,.U"},
    {0x144, "CALL.REL.NOINC", "L", "9:3!4 86:4!15"},
    {0x14d, "EXIT", "x?", "9:3!4"},
    {0x145, "BSSY", "B L", "9:3!4 73:1=-,.RECONVERGENT 87:3!7"},
    {0x141, "BSYNC", "B", "9:3!4 73:1=-,.RECONVERGENT 87:3!7"},
    {0x142, "BREAK", "x? B", "9:3!4"},
    {0x148, "WARPSYNC.ALL", "", "9:3!4 87:3!7"},
    {0x148, "WARPSYNC", "32:32", "9:3!4 87:3!7"},
    {0x148, "WARPSYNC.COLLECTIVE", "a L", "9:3!1 86:4!15"},
    {0x11b, "ENDCOLLECTIVE", "", "9:3!4 87:3!7"},
    {0x146, "YIELD", "", "9:3!4 87:3!7"},
    {0x11d, "BAR.SYNC.DEFER_BLOCKING", "54:4", "9:3!5 80:1!1"},
    {0x118, "NOP", "", "9:3!4"},
    {0x192, "MEMBAR", "", "9:3!4 79:2=.SC,.ALL 76:3=.CTA,,.GPU,.SYS"},
    {0x1ab, "ERRBAR", "", "9:3!4"},
    {0x1ab, "CGAERRBAR", "", "9:3!2"},
    {0x18f, "CCTL.IVALL", "", "9:3!4 24:8!255 89:1!1"},
    {0x02f, "ELECT", "p D x", "9:3!4"},
    {0x1c6, "FENCE.VIEW.ASYNC.S", "", "9:3!1"},
    {0x1c8, "USETMAXREG", "p? 32:8", "9:3!4 91:1!1 72:3=,,,,,.DEALLOC.CTAPOOL,.TRY_ALLOC.CTAPOOL",
     kSigned, true},
    // tensor cores
    {0x03c, "HMMA.1688.F32.TF32", "d a b c", "9:3!1 72:12!0x810"},
    {0x03c, "HMMA.1684.F32.TF32", "d a b c", "9:3!1 72:12!0x850"},
    {0x03c, "HMMA", "d a b c", "9:3!1 75:1=.1688,.16816 76:1=.F16,.F32 82:1=-,.BF16"},
};

}  // namespace

std::span<const Row> sass_rows() {
  return kRows;
}

}  // namespace tilestep::ptx
