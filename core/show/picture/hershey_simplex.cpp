// SPDX-License-Identifier: BSD-3-Clause
// The strokes of Hershey's letters: data.
#include "core/show/picture/hershey_simplex.hpp"

#include <array>

namespace reber::hershey {
namespace {

// The Hershey Fonts were originally created by Dr. A. V. Hershey while working at the U. S. National Bureau of
// Standards (Calligraphy for Computers, NWL Report 2101, 1967). The format of the font data in their distribution was
// originally created by James Hurt, Cognition, Inc., 900 Technology Park Drive, Billerica, MA 01821. They may be used
// by anyone for any purpose, provided that this acknowledgement goes with the data.
// From rowmans.jhf of Debian's hershey-fonts-data 0.1, with the degree sign, which it has in the place of the ASCII
// character 127. Two are not as they stand there: the apostrophe is glyph 716, straight as the sign of arcminutes, in
// place of a curved one; the micro sign is the letter u with the stem of its p, upright as units are.
constexpr std::array<std::string_view, kGlyphs> kTable = {
    // clang-format off
    "JZ",
    "MWRFRT RRYQZR[SZRY",
    "JZNFNM RVFVM",
    "H]SBLb RYBRb RLOZO RKUYU",
    "H\\PBP_ RTBT_ RYIWGTFPFMGKIKKLMMNOOUQWRXSYUYXWZT[P[MZKX",
    "F^[FI[ RNFPHPJOLMMKMIKIIJGLFNFPGSHVHYG[F RWTUUTWTYV[X[ZZ[X[VYTWT",
    "E_\\O\\N[MZMYNXPVUTXRZP[L[JZIYHWHUISJRQNRMSKSIRGPFNGMIMKNNPQUXWZY[[[\\Z\\Y",
    "NVRFRM",
    "KYVBTDRGPKOPOTPYR]T`Vb",
    "KYNBPDRGTKUPUTTYR]P`Nb",
    "JZRFRR RMIWO RWIMO",
    "E_RIR[ RIR[R",
    "MWSZR[QZRYSZS\\R^Q_",
    "E_IR[R",
    "MWRYQZR[SZRY",
    "G][BIb",
    "H\\QFNGLJKOKRLWNZQ[S[VZXWYRYOXJVGSFQF",
    "H\\NJPISFS[",
    "H\\LKLJMHNGPFTFVGWHXJXLWNUQK[Y[",
    "H\\MFXFRNUNWOXPYSYUXXVZS[P[MZLYKW",
    "H\\UFKTZT RUFU[",
    "H\\WFMFLOMNPMSMVNXPYSYUXXVZS[P[MZLYKW",
    "H\\XIWGTFRFOGMJLOLTMXOZR[S[VZXXYUYTXQVOSNRNOOMQLT",
    "H\\YFO[ RKFYF",
    "H\\PFMGLILKMMONSOVPXRYTYWXYWZT[P[MZLYKWKTLRNPQOUNWMXKXIWGTFPF",
    "H\\XMWPURRSQSNRLPKMKLLINGQFRFUGWIXMXRWWUZR[P[MZLX",
    "MWRMQNROSNRM RRYQZR[SZRY",
    "MWRMQNROSNRM RSZR[QZRYSZS\\R^Q_",
    "F^ZIJRZ[",
    "E_IO[O RIU[U",
    "F^JIZRJ[",
    "I[LKLJMHNGPFTFVGWHXJXLWNVORQRT RRYQZR[SZRY",
    "E`WNVLTKQKOLNMMPMSNUPVSVUUVS RQKOMNPNSOUPV"
    " RWKVSVUXVZV\\T]Q]O\\L[JYHWGTFQFNGLHJJILHOHRIUJWLYNZQ[T[WZYYZX RXKWSWUXV",
    "I[RFJ[ RRFZ[ RMTWT",
    "G\\KFK[ RKFTFWGXHYJYLXNWOTP RKPTPWQXRYTYWXYWZT[K[",
    "H]ZKYIWGUFQFOGMILKKNKSLVMXOZQ[U[WZYXZV",
    "G\\KFK[ RKFRFUGWIXKYNYSXVWXUZR[K[",
    "H[LFL[ RLFYF RLPTP RL[Y[",
    "HZLFL[ RLFYF RLPTP",
    "H]ZKYIWGUFQFOGMILKKNKSLVMXOZQ[U[WZYXZVZS RUSZS",
    "G]KFK[ RYFY[ RKPYP",
    "NVRFR[",
    "JZVFVVUYTZR[P[NZMYLVLT",
    "G\\KFK[ RYFKT RPOY[",
    "HYLFL[ RL[X[",
    "F^JFJ[ RJFR[ RZFR[ RZFZ[",
    "G]KFK[ RKFY[ RYFY[",
    "G]PFNGLIKKJNJSKVLXNZP[T[VZXXYVZSZNYKXIVGTFPF",
    "G\\KFK[ RKFTFWGXHYJYMXOWPTQKQ",
    "G]PFNGLIKKJNJSKVLXNZP[T[VZXXYVZSZNYKXIVGTFPF RSWY]",
    "G\\KFK[ RKFTFWGXHYJYLXNWOTPKP RRPY[",
    "H\\YIWGTFPFMGKIKKLMMNOOUQWRXSYUYXWZT[P[MZKX",
    "JZRFR[ RKFYF",
    "G]KFKULXNZQ[S[VZXXYUYF",
    "I[JFR[ RZFR[",
    "F^HFM[ RRFM[ RRFW[ R\\FW[",
    "H\\KFY[ RYFK[",
    "I[JFRPR[ RZFRP",
    "H\\YFK[ RKFYF RK[Y[",
    "KYOBOb RPBPb ROBVB RObVb",
    "KYKFY^",
    "KYTBTb RUBUb RNBUB RNbUb",
    "JZPLRITL RMORJWO RRJR[",
    "JZJ]Z]",
    "MWSFRGQIQKRLSKRJ",
    "I\\XMX[ RXPVNTMQMONMPLSLUMXOZQ[T[VZXX",
    "H[LFL[ RLPNNPMSMUNWPXSXUWXUZS[P[NZLX",
    "I[XPVNTMQMONMPLSLUMXOZQ[T[VZXX",
    "I\\XFX[ RXPVNTMQMONMPLSLUMXOZQ[T[VZXX",
    "I[LSXSXQWOVNTMQMONMPLSLUMXOZQ[T[VZXX",
    "MYWFUFSGRJR[ ROMVM",
    "I\\XMX]W`VaTbQbOa RXPVNTMQMONMPLSLUMXOZQ[T[VZXX",
    "I\\MFM[ RMQPNRMUMWNXQX[",
    "NVQFRGSFREQF RRMR[",
    "MWRFSGTFSERF RSMS^RaPbNb",
    "IZMFM[ RWMMW RQSX[",
    "NVRFR[",
    "CaGMG[ RGQJNLMOMQNRQR[ RRQUNWMZM\\N]Q][",
    "I\\MMM[ RMQPNRMUMWNXQX[",
    "I\\QMONMPLSLUMXOZQ[T[VZXXYUYSXPVNTMQM",
    "H[LMLb RLPNNPMSMUNWPXSXUWXUZS[P[NZLX",
    "I\\XMXb RXPVNTMQMONMPLSLUMXOZQ[T[VZXX",
    "KXOMO[ ROSPPRNTMWM",
    "J[XPWNTMQMNNMPNRPSUTWUXWXXWZT[Q[NZMX",
    "MYRFRWSZU[W[ ROMVM",
    "I\\MMMWNZP[S[UZXW RXMX[",
    "JZLMR[ RXMR[",
    "G]JMN[ RRMN[ RRMV[ RZMV[",
    "J[MMX[ RXMM[",
    "JZLMR[ RXMR[P_NaLbKb",
    "J[XMM[ RMMXM RM[X[",
    "KYTBRCQDPFPHQJRKSMSOQQ RRCQEQGRISJTLTNSPORSTTVTXSZR[Q]Q_Ra RQSSUSWRYQZP\\P^Q`RaTb",
    "NVRBRb",
    "KYPBRCSDTFTHSJRKQMQOSQ RRCSESGRIQJPLPNQPURQTPVPXQZR[S]S_Ra RSSQUQWRYSZT\\T^S`RaPb",
    "F^IUISJPLONOPPTSVTXTZS[Q RISJQLPNPPQTTVUXUZT[Q[O",
    "KYQFOGNINKOMQNSNUMVKVIUGSFQF",
    "I\\MMMb RMWNZP[S[UZXW RXMX[",
    // clang-format on
};

}  // namespace

std::string_view glyph(std::size_t number) { return kTable[number]; }

}  // namespace reber::hershey
