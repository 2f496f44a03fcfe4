// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Parameters of the Magic Formula by the names that .tir files use, each with the value that it has when it is not
/// given: X(NAME, value). Subscripts are those of [H. B. Pacejka, Tire and Vehicle Dynamics, 3rd ed. 2012, 4.3.2]:
/// PCX1 is p_Cx1, RBX1 r_Bx1, QBZ1 q_Bz1, SSZ1 s_sz1, LMUX λ_μx. PKY1 < 0 and slip angles positive for sliding to the
/// left, as ISO 8855 and .tir files have it. PHY3 and QBZ4 are of the formula's version 5.2 and zero in the later ones.
// clang-format off
#define TRAMMEL_MAGIC_FORMULA(X)                                                                                      \
  /* scaling factors */                                                                                               \
  X(LFZO, 1.0)                                                                                                        \
  X(LCX, 1.0)                                                                                                         \
  X(LMUX, 1.0) X(LEX, 1.0) X(LKX, 1.0) X(LHX, 1.0) X(LVX, 1.0) X(LCY, 1.0) X(LMUY, 1.0) X(LEY, 1.0) X(LKY, 1.0)       \
      X(LKYC, 1.0) X(LHY, 1.0) X(LVY, 1.0) X(LTR, 1.0) X(LRES, 1.0) X(LKZC, 1.0) X(LXAL, 1.0) X(LYKA, 1.0)            \
          X(LVYKA, 1.0) X(LS, 1.0) X(LMX, 1.0) X(LVMX, 1.0) X(LMY, 1.0) X(LSGKP, 1.0)                                 \
              X(LSGAL, 1.0) /* longitudinal force */                                                                  \
      X(PCX1, 1.65) X(PDX1, 1.0) X(PDX2, 0.0) X(PDX3, 0.0) X(PEX1, 0.0) X(PEX2, 0.0) X(PEX3, 0.0) X(PEX4, 0.0)        \
          X(PKX1, 20.0) X(PKX2, 0.0) X(PKX3, 0.0) X(PHX1, 0.0) X(PHX2, 0.0) X(PVX1, 0.0) X(PVX2, 0.0) X(PPX1, 0.0)    \
              X(PPX2, 0.0) X(PPX3, 0.0) X(PPX4, 0.0) X(RBX1, 0.0) X(RBX2, 0.0) X(RBX3, 0.0) X(RCX1, 1.0) X(REX1, 0.0) \
                  X(REX2, 0.0) X(RHX1, 0.0) /* lateral force */                                                       \
      X(PCY1, 1.3) X(PDY1, 1.0) X(PDY2, 0.0) X(PDY3, 0.0) X(PEY1, 0.0) X(PEY2, 0.0) X(PEY3, 0.0) X(PEY4, 0.0)         \
          X(PEY5, 0.0) X(PKY1, -15.0) X(PKY2, 1.5) X(PKY3, 0.0) X(PKY4, 2.0) X(PKY5, 0.0) X(PKY6, 0.0) X(PKY7, 0.0)   \
              X(PHY1, 0.0) X(PHY2, 0.0) X(PHY3, 0.0) X(PVY1, 0.0) X(PVY2, 0.0) X(PVY3, 0.0) X(PVY4, 0.0) X(PPY1, 0.0) \
                  X(PPY2, 0.0) X(PPY3, 0.0) X(PPY4, 0.0) X(PPY5, 0.0) X(RBY1, 0.0) X(RBY2, 0.0) X(RBY3, 0.0)          \
                      X(RBY4, 0.0) X(RCY1, 1.0) X(REY1, 0.0) X(REY2, 0.0) X(RHY1, 0.0) X(RHY2, 0.0) X(RVY1, 0.0)      \
                          X(RVY2, 0.0) X(RVY3, 0.0) X(RVY4, 0.0) X(RVY5, 0.0)                                         \
                              X(RVY6, 0.0) /* overturning moment and rolling resistance */                            \
      X(QSX1, 0.0) X(QSX2, 0.0) X(QSX3, 0.0) X(QSX4, 0.0) X(QSX5, 0.0) X(QSX6, 0.0) X(QSX7, 0.0) X(QSX8, 0.0)         \
          X(QSX9, 0.0) X(QSX10, 0.0) X(QSX11, 0.0) X(PPMX1, 0.0) X(QSY1, 0.0) X(QSY2, 0.0) X(QSY3, 0.0) X(QSY4, 0.0)  \
              X(QSY5, 0.0) X(QSY6, 0.0) X(QSY7, 0.0) X(QSY8, 0.0) /* aligning moment */                               \
      X(QBZ1, 0.0) X(QBZ2, 0.0) X(QBZ3, 0.0) X(QBZ4, 0.0) X(QBZ5, 0.0) X(QBZ6, 0.0) X(QBZ9, 0.0) X(QBZ10, 0.0)        \
          X(QCZ1, 1.0) X(QDZ1, 0.0) X(QDZ2, 0.0) X(QDZ3, 0.0) X(QDZ4, 0.0) X(QDZ6, 0.0) X(QDZ7, 0.0) X(QDZ8, 0.0)     \
              X(QDZ9, 0.0) X(QDZ10, 0.0) X(QDZ11, 0.0) X(QEZ1, 0.0) X(QEZ2, 0.0) X(QEZ3, 0.0) X(QEZ4, 0.0)            \
                  X(QEZ5, 0.0) X(QHZ1, 0.0) X(QHZ2, 0.0) X(QHZ3, 0.0) X(QHZ4, 0.0) X(PPZ1, 0.0) X(PPZ2, 0.0)          \
                      X(SSZ1, 0.0) X(SSZ2, 0.0) X(SSZ3, 0.0)                                                          \
                          X(SSZ4, 0.0) /* relaxation lengths and the effective rolling radius */                      \
      X(PTX1, 0.0) X(PTX2, 0.0) X(PTX3, 0.0) X(PTY1, 0.0) X(PTY2, 1.0) X(BREFF, 0.0) X(DREFF, 0.0) X(FREFF, 0.0)      \
          X(QREO, 1.0)
// clang-format on

namespace trammel {

struct MagicFormula {
#define TRAMMEL_PARAMETER(name, value) double name = value;
  TRAMMEL_MAGIC_FORMULA(TRAMMEL_PARAMETER)
#undef TRAMMEL_PARAMETER
};

}  // namespace trammel
