// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "time_rounding.h"
#include "trammel/integrators/runge_kutta.h"

// The formula of order 8: stages, error, dense output.

namespace trammel {

namespace {

/// DOP853 [Hairer, Nørsett, Wanner I, II.5 and II.6].
namespace dormand_prince_8 {

constexpr double c[] = {
    0.0,  0.05260015195876773, 0.078900227938151601, 0.1183503419072274,  0.28164965809277259, 0.33333333333333331,
    0.25, 0.30769230769230771, 0.6512820512820513,   0.59999999999999998, 0.8571428571428571,  1.0,
    1.0,  0.10000000000000001, 0.20000000000000001,  0.77777777777777779};
// Rows 1 to 11: stages; row 12: y₁, whose rate is the last stage; rows 13 to 15: stages of the dense output.
constexpr double a[16][15] = {
    {},
    {0.05260015195876773},
    {0.0197250569845379, 0.059175170953613701},
    {0.029587585476806851, 0.0, 0.088762756430420545},
    {0.24136513415926669, 0.0, -0.88454947932828609, 0.92483400326179199},
    {0.037037037037037035, 0.0, 0.0, 0.17082860872947386, 0.12546768756682242},
    {0.037109375, 0.0, 0.0, 0.17025221101954405, 0.060216538980455959, -0.017578125},
    {0.037092000118504789, 0.0, 0.0, 0.17038392571223998, 0.10726203044637328, -0.015319437748624402,
     0.0082737891638140233},
    {0.62411095871607569, 0.0, 0.0, -3.3608926294469414, -0.86821934684172597, 27.59209969944671, 20.154067550477894,
     -43.489884181069961},
    {0.47766253643826434, 0.0, 0.0, -2.4881146199716677, -0.59029082683684297, 21.230051448181193, 15.279233632882423,
     -33.288210968984863, -0.020331201708508627},
    {-0.9371424300859873, 0.0, 0.0, 5.1863724288440638, 1.0914373489967295, -8.1497870107469268, -18.520065659996959,
     22.739487099350505, 2.4936055526796523, -3.0467644718982196},
    {2.273310147516538, 0.0, 0.0, -10.534495466737249, -2.0008720582248625, -17.958931863118799, 27.94888452941996,
     -2.8589982771350235, -8.8728569335306293, 12.360567175794303, 0.64339274601576357},
    {0.054293734116568765, 0.0, 0.0, 0.0, 0.0, 4.4503128927524092, 1.8915178993145003, -5.8012039600105849,
     0.3111643669578199, -0.15216094966251609, 0.20136540080403034, 0.044710615727772587},
    {0.056167502283047954, 0.0, 0.0, 0.0, 0.0, 0.0, 0.25350021021662483, -0.2462390374708025, -0.12419142326381637,
     0.15329179827876568, 0.0082010522956346907, 0.0075678976605456994, -0.0082979999999999998},
    {0.031834648163502142, 0.0, 0.0, 0.0, 0.0, 0.028300909672366776, 0.053541988307438566, -0.054923748571390991, 0.0,
     0.0, -0.00010834732869724932, 0.00038257109083565839, -0.00034046500868740456, 0.1413124436746325},
    {-0.42889630158379194, 0.0, 0.0, 0.0, 0.0, -4.697621415361164, 7.6834211960625991, 4.0689898183971103,
     0.35672718745528109, 0.0, 0.0, 0.0, -0.0013990241651590145, 2.9475147891527724, -9.1509584721798696},
};
constexpr double e5[] = {0.01312004499419488,
                         0.0,
                         0.0,
                         0.0,
                         0.0,
                         -1.2251564463762044,
                         -0.4957589496572502,
                         1.6643771824549864,
                         -0.35032884874997366,
                         0.33417911871301748,
                         0.08192320648511571,
                         -0.022355307863886294};
constexpr double e3[] = {-0.18980075407240762,
                         0.0,
                         0.0,
                         0.0,
                         0.0,
                         4.4503128927524092,
                         1.8915178993145003,
                         -5.8012039600105849,
                         -0.42268232132379191,
                         -0.15216094966251609,
                         0.20136540080403034,
                         0.022651792198360821};
constexpr double d[4][16] = {
    {-8.4289382761090135, 0.0, 0.0, 0.0, 0.0, 0.56671495351937773, -3.0689499459498917, 2.3846676565120699,
     2.1170345824450281, -0.87139158377797299, 2.2404374302607883, 0.63157877876946877, -0.088990336451333307,
     18.148505520854727, -9.194632392478356, -4.4360363875948936},
    {10.427508642579134, 0.0, 0.0, 0.0, 0.0, 242.28349177525817, 165.20045171727028, -374.5467547226902,
     -22.113666853125306, 7.7334326684722638, -30.674084731089398, -9.3321305264302286, 15.697238121770845,
     -31.139403219565178, -9.3529243588444793, 35.816841486394082},
    {19.985053242002433, 0.0, 0.0, 0.0, 0.0, -387.03730874935178, -189.17813819516758, 527.80815920542364,
     -11.573902539959629, 6.8812326946963003, -1.0006050966910838, 0.77771377980534429, -2.7782057523535082,
     -60.196695231264123, 84.320405506677162, 11.992291136182789},
    {-25.69393346270375, 0.0, 0.0, 0.0, 0.0, -154.18974869023643, -231.5293791760455, 357.63911791061412,
     93.405324183624316, -37.458323136451632, 104.0996495089623, 29.840293426660502, -43.533456590011141,
     96.324553959188279, -39.177261675615441, -149.72683625798564},
};

// A factor of the estimate. As published it lets steps be so long that the error at the end is three times that of the
// pair of order 5 at the same tolerance (pendulum over the top for 10 s at 1e-10: 160 tolerances against 47). With this
// one, for twice as many steps, it is 1.4 tolerances, at half the evaluations of order 5.
constexpr double caution = 32.0;

}  // namespace dormand_prince_8

}  // namespace

// stage_ ← y + h Σ a_ij k_j
void RungeKutta::calc_stage_8(int i, double h, const Eigen::VectorXd& from, Eigen::VectorXd& stage) const {
  stage = from;
  for (int j = 0; j < i; ++j)
    if (const double a = dormand_prince_8::a[i][j]; a != 0.0) stage += (h * a) * k_[j];
}

Status RungeKutta::attempt_8(double h, double t_last, const State& state) {
  for (int i = 1; i < stages_of_8; ++i) {
    if (i + 1 == stages_of_8) y_unprojected_ = stage_;  // of the last stage but one: stiffness is seen by the two
    calc_stage_8(i, h, y_, stage_);
    const Status status = evaluate(i >= 11 ? t_last : t_ + dormand_prince_8::c[i] * h, stage_, state, k_[i]);
    if (!status.ok()) return status;
  }
  return Status::success();
}

// Formulas of order 5 and 3 embedded in the one of order 8, combined so that the estimate is of order 7:
// |e₅|²/√(|e₅|² + 0.01 |e₃|²).
double RungeKutta::calc_error_8(double h) const {
  double fifth = 0.0, third = 0.0;
  for (Eigen::Index i = 0; i < y_.size(); ++i) {
    double e5 = 0.0, e3 = 0.0;
    for (int j = 0; j < 12; ++j) e5 += dormand_prince_8::e5[j] * k_[j][i], e3 += dormand_prince_8::e3[j] * k_[j][i];
    const double weight = weights_.weight(i, std::max(std::abs(y_[i]), std::abs(stage_[i])));
    fifth += e5 / weight * (e5 / weight), third += e3 / weight * (e3 / weight);
  }
  const double both = fifth + 0.01 * third;
  if (!(both > 0.0)) return both;  // zero, or no number
  return dormand_prince_8::caution * h * fifth / std::sqrt(both * static_cast<double>(y_.size()));
}

double RungeKutta::weighted_error_8(Eigen::Index i) const {
  double e = 0.0;
  for (int j = 0; j < 12; ++j) e += dormand_prince_8::e5[j] * k_[j][i];
  return e / weights_.weight(i, std::max(std::abs(y_[i]), std::abs(stage_[i])));
}

// Of order 7, by three more stages. If one of them cannot be evaluated the cubic of both ends is left.
void RungeKutta::update_dense_8() const {
  for (Eigen::VectorXd& term : dense_8_) term.setZero();
  for (int i = stages_of_8; i < stages_of_8 + 3; ++i) {
    calc_stage_8(i, h_taken_, y_from_, extra_);
    ++counters_.evaluations;
    if (!system_.rates(t_from_ + dormand_prince_8::c[i] * h_taken_, extra_, *state_, k_[i], *workspace_).ok()) return;
  }
  for (int m = 0; m < 4; ++m)
    for (int j = 0; j < stages_of_8 + 3; ++j)
      if (const double d = dormand_prince_8::d[m][j]; d != 0.0) dense_8_[m] += (h_taken_ * d) * k_[j];
}

void RungeKutta::interpolate_8(double theta, Vec y) const {
  const double rest = 1.0 - theta;
  for (Eigen::Index i = 0; i < y.size(); ++i) {
    const double difference = y_unprojected_[i] - y_from_[i], slope = h_taken_ * k_[0][i] - difference;
    const double last = 2.0 * difference - h_taken_ * (k_[12][i] + k_[0][i]);
    const double inner = dense_8_[0][i] + theta * (dense_8_[1][i] + rest * (dense_8_[2][i] + theta * dense_8_[3][i]));
    y[i] = y_from_[i] + theta * (difference + rest * (slope + theta * (last + rest * inner)));
  }
}

}  // namespace trammel
