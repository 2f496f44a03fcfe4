// SPDX-License-Identifier: Apache-2.0
#include "model_text.h"

namespace trammel::test_model_reader_refusals {
namespace {

/// One way to spoil the pendulum: `from` becomes `to` (or `to` is appended), and the one message stands at `mark`.
struct Case {
  const char* claim;
  const char* from;
  const char* to;
  const char* mark;
  std::vector<std::string> words;
};

std::string spoiled(const Case& c) {
  return *c.from == '\0' ? pendulum + "\n" + c.to : replaced(pendulum, c.from, c.to);
}

void PrintTo(const Case& c, std::ostream* out) { *out << c.claim; }

class Refusal : public ::testing::TestWithParam<Case> {};

TEST_P(Refusal, is_placed_and_says_what_to_do) {
  const Case& c = GetParam();
  expect_refused(spoiled(c), c.mark, c.words);
}

std::string claim_of(const ::testing::TestParamInfo<Case>& info) { return info.param.claim; }

INSTANTIATE_TEST_SUITE_P(
    Keys, Refusal,
    ::testing::Values(
        Case{"unknown_table", "[solver]", "[solvr]", "solvr", {"unknown key 'solvr'", "did you mean 'solver'?"}},
        Case{"missing_mass", "mass = \"m\"", "", "[[body]]", {"'mass' is missing", "[kg]"}},
        Case{"misspelt_mass", "mass =", "mas =", "mas =", {"unknown key 'mas'", "did you mean 'mass'?"}},
        Case{"key_of_another_kind",
             "axis = \"y\"",
             "axis = \"y\"\npitch = 1",
             "pitch",
             {"joint 'hinge'", "unknown key 'pitch'"}},
        Case{"unknown_option", "h = 1e-3", "rtool = 1e-3", "rtool", {"solver", "did you mean 'rtol'?"}},
        Case{"wrong_type_of_a_number", "mass = \"m\"", "mass = true", "true", {"'mass' must be a number", "true"}},
        Case{"wrong_type_of_a_text",
             "title = \"pendulum\"",
             "title = 3",
             "3",
             {"'title' must be a text", "not a number (3)"}},
        Case{"wrong_type_of_a_vector",
             "point = [0, 0, 0]",
             "point = 7",
             "7",
             {"'point' must be a point", "a number (7)"}},
        Case{
            "short_vector", "position = [\"L/2\", 0, 0]", "position = [1, 2]", "[1, 2]", {"three numbers", "not of 2"}},
        Case{"not_a_number", "mass = \"m\"", "mass = nan", "nan", {"'mass' is nan", "finite"}},
        Case{"infinite_vector",
             "gravity = [0, 0, -9.81]",
             "gravity = [0, 0, -inf]",
             "-inf",
             {"'gravity' is -inf", "finite"}},
        Case{"single_brackets", "[[joint]]", "[joint]", "joint]", {"[[joint]]", "double brackets"}},
        Case{"missing_name", "", "[[body]]\nmass = 1\ninertia = [1,1,1]", "[[body]]\nmass", {"'name' is missing"}},
        Case{"missing_kind", "kind = \"revolute\"", "", "[[joint]]", {"'kind' is missing"}},
        Case{"unknown_kind",
             "kind = \"revolute\"",
             "kind = \"revolut\"",
             "\"revolut\"",
             {"did you mean 'revolute'?", "Allowed:"}},
        Case{"missing_bodies", "bodies = [\"ground\", \"rod\"]", "", "[[joint]]", {"'bodies'", "is missing"}},
        Case{"two_orientations",
             "position =",
             "quaternion = [1,0,0,0]\neuler = {}\nposition =",
             "{}",
             {"exclude each other"}},
        Case{"reflection",
             "position =",
             "rotation = [[1,0,0],[0,1,0],[0,0,-1]]\nposition =",
             "[[1,0,0]",
             {"not a rotation matrix"}},
        Case{"zero_quaternion",
             "position =",
             "quaternion = [0,0,0,0]\nposition =",
             "[0,0,0,0]",
             {"'quaternion' is zero"}},
        Case{"bad_euler_sequence",
             "position =",
             "euler = {sequence = \"xxz\", angles = [0,0,0]}\nposition =",
             "\"xxz\"",
             {"neighbours different"}},
        Case{"bad_firm", "position =", "firm = [\"speed\"]\nposition =", "\"speed\"", {"\"position\"", "\"velocity\""}},
        Case{"bad_letter_for_an_axis", "axis = \"y\"", "axis = \"w\"", "\"w\"", {"'w'", "'-z'"}}),
    claim_of);

INSTANTIATE_TEST_SUITE_P(
    Expressions, Refusal,
    ::testing::Values(
        Case{"unknown_parameter",
             "mass = \"m\"",
             "mass = \"2*LL\"",
             "\"2*LL\"",
             {"'LL' is not a parameter", "did you mean 'L'?", "column 3"}},
        Case{"syntax_of_a_number", "mass = \"m\"", "mass = \"2*\"", "\"2*\"", {"'mass'", "column"}},
        Case{"a_number_of_the_motion", "mass = \"m\"", "mass = \"rod.x\"", "\"rod.x\"", {"'rod.x'", "only parameters"}},
        Case{"parameter_circle",
             "m = \"3*L\"",
             "m = \"2*k\"\nk = \"m\"",
             "\"2*k\"",
             {"circle", "'m' needs 'k' needs 'm'"}},
        Case{"parameter_named_t", "L = 2", "L = 2\nt = 1", "t = 1", {"'t' has a meaning of its own"}},
        Case{"parameter_that_is_no_word",
             "L = 2",
             "L = 2\n\"a b\" = 1",
             "\"a b\"",
             {"'a b' cannot be used in formulas"}},
        Case{"formula_syntax",
             "",
             "[[measure]]\nname = \"h\"\nexpression = \"rod.x +\"",
             "\"rod.x +\"",
             {"'expression'", "column"}},
        Case{"formula_name",
             "",
             "[[measure]]\nname = \"h\"\nexpression = \"2*rodd.x\"",
             "\"2*rodd.x\"",
             {"nothing in the model is called 'rodd'", "did you mean 'rod'?"}},
        Case{"formula_component",
             "",
             "[[measure]]\nname = \"h\"\nexpression = \"rod.xx\"",
             "\"rod.xx\"",
             {"body 'rod' has no 'xx'", "'wz'"}},
        Case{"formula_of_a_whole_body",
             "",
             "[[measure]]\nname = \"h\"\nexpression = \"rod\"\n#",
             "\"rod\"\n#",
             {"rod.x"}},
        Case{"formula_of_the_ground",
             "",
             "[[measure]]\nname = \"h\"\nexpression = \"ground.x\"",
             "\"ground.x\"",
             {"never moves"}},
        Case{"formula_that_is_infinite",
             "",
             "[[measure]]\nname = \"h\"\nexpression = \"1/0\"",
             "\"1/0\"",
             {"'expression'"}},
        Case{"empty_formula", "", "[[measure]]\nname = \"h\"\nexpression = \" \"", "\" \"", {"empty formula"}},
        Case{"measure_circle",
             "",
             "[[measure]]\nname = \"a\"\nexpression = \"2*b\"\n[[measure]]\nname = \"b\"\nexpression = \"a + 1\"",
             "\"2*b\"",
             {"circle", "'a' needs 'b' needs 'a'"}},
        Case{"motion_of_a_state",
             "",
             "[[motion]]\nname = \"d\"\njoint = \"hinge\"\nfunction = \"rod.x\"",
             "\"rod.x\"",
             {"'rod' is a body and depends on the motion", "only t, inputs, parameters and tables"}},
        Case{"unknown_table_in_a_formula",
             "",
             "[[motion]]\nname = \"d\"\njoint = \"hinge\"\ntable = \"prof\"",
             "\"prof\"",
             {"there is no table 'prof'"}},
        Case{"law_with_the_wrong_name",
             "",
             "[[force]]\nname = \"f\"\nkind = \"torsion_spring\"\nbodies = [\"rod\"]\naxis = \"y\"\nlaw = \"2*length\"",
             "\"2*length\"",
             {"'angle' and 'rate', not of 'length'"}},
        Case{"input_of_a_filter",
             "",
             "[[control]]\nname = \"f\"\nkind = \"filter\"\ninput = \"rodd.x\"\ntime_constant = 1",
             "\"rodd.x\"",
             {"'rodd'", "did you mean 'rod'?"}},
        Case{"syntax_of_a_pid_input",
             "",
             "[[control]]\nname = \"f\"\nkind = \"pid\"\ninput = \"(1\"\nkp = 1",
             "\"(1\"",
             {"'input'", "column"}},
        Case{"brace_without_end", "name = \"hinge\"", "name = \"hinge{\"", "\"hinge{\"", {"no '}'"}}),
    claim_of);

INSTANTIATE_TEST_SUITE_P(
    Bodies, Refusal,
    ::testing::Values(
        Case{"negative_mass", "mass = \"m\"", "mass = -2", "-2", {"body 'rod'", "'mass' is -2 kg", "> 0"}},
        Case{"zero_mass", "mass = \"m\"", "mass = 0", "0\ninertia", {"'mass' is 0 kg"}},
        Case{"negative_moment", "[0.1, 2, 2]", "[-0.1, 2, 2]", "[-0.1", {"-0.1, 2, 2", "none may be negative"}},
        Case{"triangle_inequality", "[0.1, 2, 2]", "[1, 2, 3.1]", "[1, 2", {"sum of two (3)", "third (3.1)"}},
        Case{"asymmetric_inertia",
             "[0.1, 2, 2]",
             "[[1,0.1,0],[0,1,0],[0,0,1]]",
             "[[1,",
             {"not symmetric", "xy 0.1 and yx 0"}},
        Case{"four_moments", "[0.1, 2, 2]", "[1, 2, 3, 4]", "[1, 2", {"list of 4 numbers", "[xx, yy, zz, xy, xz, yz]"}},
        Case{"shape_and_inertia",
             "inertia = [0.1, 2, 2]",
             "inertia = [1,1,1]\nshape = {kind = \"sphere\", radius = 1}",
             "[1,1,1]",
             {"'inertia' and 'shape' exclude each other"}},
        Case{"density_and_mass",
             "inertia = [0.1, 2, 2]",
             "shape = {kind = \"sphere\", radius = 1, density = 7}",
             "7}",
             {"'density'", "'mass'", "exclude"}},
        Case{"shape_of_negative_size",
             "inertia = [0.1, 2, 2]",
             "shape = {kind = \"sphere\", radius = -1}",
             "-1}",
             {"'radius' is -1", "> 0"}},
        Case{"unknown_shape",
             "inertia = [0.1, 2, 2]",
             "shape = {kind = \"spere\", radius = 1}",
             "\"spere\"",
             {"did you mean 'sphere'?"}},
        Case{"inertia_of_a_particle",
             "",
             "[[body]]\nname = \"p\"\nkind = \"particle\"\nmass = 1\ninertia = 3",
             "inertia = 3",
             {"body 'p'", "unknown key 'inertia'"}},
        Case{"planar_velocity_out_of_its_plane",
             "",
             "[[body]]\nname = \"p\"\nkind = \"planar\"\nmass = 1\ninertia = 3\nvelocity = [1, 0, 2]",
             "[1, 0, 2]",
             {"leaves the plane", "2 m/s"}},
        Case{"planar_turn_about_another_axis",
             "",
             "[[body]]\nname = \"p\"\nkind = \"planar\"\nmass = 1\ninertia = 3\nangular_velocity = [1, 0, 0]",
             "[1, 0, 0]",
             {"only about its normal"}},
        Case{"zero_normal",
             "",
             "[[body]]\nname = \"p\"\nkind = \"planar\"\nmass = 1\ninertia = 3\nnormal = [0, 0, 0.0]",
             "[0, 0, 0.0]",
             {"normal", "zero"}},
        Case{"name_used_twice",
             "name = \"hinge\"",
             "name = \"rod\"",
             "\"rod\"\nkind",
             {"joint 'rod'", "a body has this name already", "model.toml:9:8"}},
        Case{"name_of_a_parameter",
             "name = \"hinge\"",
             "name = \"L\"",
             "\"L\"\nkind",
             {"a parameter has this name already"}},
        Case{"name_with_a_point", "name = \"hinge\"", "name = \"a.b\"", "\"a.b\"", {"must not contain"}},
        Case{"name_of_the_ground", "name = \"hinge\"", "name = \"ground\"", "\"ground\"\nkind", {"never moves"}},
        Case{"free_rod_without_axial_inertia",
             "",
             "[[body]]\nname = \"stick\"\nmass = 1\ninertia = [0, 1, 1]",
             "[0, 1, 1]",
             {"no moment of inertia about its axis [1, 0, 0]", "no joint"}},
        Case{"planar_body_without_inertia",
             "",
             "[[body]]\nname = \"p\"\nkind = \"planar\"\nmass = 1\ninertia = 0.0",
             "0.0",
             {"no moment of inertia about its axis [0, 0, 1]"}}),
    claim_of);

INSTANTIATE_TEST_SUITE_P(
    Joints, Refusal,
    ::testing::Values(
        Case{"unknown_body",
             "[\"ground\", \"rod\"]",
             "[\"ground\", \"rood\"]",
             "[\"ground\"",
             {"there is no body 'rood'", "did you mean 'rod'?"}},
        Case{"with_itself", "[\"ground\", \"rod\"]", "[\"rod\", \"rod\"]", "[\"rod\"", {"connects 'rod' with itself"}},
        Case{
            "zero_axis", "axis = \"y\"", "axis = [0, 0, 0]", "[0, 0, 0]\n\n[ana", {"'axis' is [0, 0, 0]", "direction"}},
        Case{"unknown_body_of_a_point",
             "point = [0, 0, 0]",
             "point = {body = \"bar\", at = [0,0,0]}",
             "{body",
             {"there is no body 'bar'", "'rod'"}},
        Case{"distance_of_zero_length",
             "kind = \"revolute\"",
             "kind = \"distance\"\nlength = 0\npoint_b = [1,0,0]\nbodies = [\"rod\"]\npoint = [0, 0, "
             "0]\n[[joint]]\nname = \"k\"\nkind = \"revolute\"",
             "0\npoint_b",
             {"'length' is 0 m", "spherical"}},
        Case{"screw_without_pitch",
             "kind = \"revolute\"",
             "kind = \"screw\"\npitch = 0",
             "0\nbodies",
             {"'pitch' is 0", "revolute", "prismatic"}},
        Case{"rolling_radius",
             "kind = \"revolute\"",
             "kind = \"rolling_sphere\"\nradius = -1",
             "-1\n",
             {"'radius' is -1 m"}},
        Case{"flat_disc",
             "kind = \"revolute\"",
             "kind = \"rolling_disc\"\nradius = 1\naxis_b = [0, 2, 0]",
             "[0, 2, 0]",
             {"lies flat"}},
        Case{"universal_with_parallel_axes",
             "kind = \"revolute\"",
             "kind = \"universal\"\naxis_b = \"-y\"",
             "\"-y\"",
             {"must cross"}},
        Case{"universal_with_one_axis",
             "kind = \"revolute\"",
             "kind = \"universal\"",
             "[[joint]]",
             {"'axis_b' is missing"}},
        Case{"particle_in_a_hinge",
             "",
             "[[body]]\nname = \"p\"\nkind = \"particle\"\nmass = 1\n[[joint]]\nname = \"j\"\nkind = \"fixed\"\nbodies "
             "= [\"p\"]",
             "\"fixed\"",
             {"'p' (the second body) is a particle", "spherical, distance"}},
        Case{"planar_hinge_about_another_axis",
             "",
             "[[body]]\nname = \"p\"\nkind = \"planar\"\nmass = 1\ninertia = 1\n[[joint]]\nname = \"j\"\nkind = "
             "\"revolute\"\nbodies = [\"p\"]\npoint = [0,0,0]\naxis = \"x\"",
             "\"x\"",
             {"'axis' must be the normal of the planar body 'p'"}},
        Case{"planar_slider_out_of_its_plane",
             "",
             "[[body]]\nname = \"p\"\nkind = \"planar\"\nmass = 1\ninertia = 1\n[[joint]]\nname = \"j\"\nkind = "
             "\"prismatic\"\nbodies = [\"p\"]\naxis = [1, 0, 1]",
             "[1, 0, 1]",
             {"must lie in the plane of the planar body 'p'"}},
        Case{"planar_body_in_a_screw",
             "",
             "[[body]]\nname = \"p\"\nkind = \"planar\"\nmass = 1\ninertia = 1\n[[joint]]\nname = \"j\"\nkind = "
             "\"screw\"\npitch = 1\nbodies = [\"p\"]\npoint = [0,0,0]\naxis = \"z\"",
             "\"screw\"",
             {"makes no sense for the planar body 'p'"}},
        Case{"axis_of_a_rod_without_an_angle",
             "kind = \"revolute\"",
             "kind = \"distance\"\npoint_b = [1, 0, 0]",
             "axis = \"y\"",
             {"'axis' has no effect", "'coordinate'"}},
        Case{"coordinate_that_is_none",
             "axis = \"y\"",
             "axis = \"y\"\ncoordinate = \"phi\"",
             "\"phi\"",
             {"there is no coordinate 'phi'"}},
        Case{"motion_of_an_unknown_joint",
             "",
             "[[motion]]\nname = \"d\"\njoint = \"hing\"\nfunction = \"t\"",
             "\"hing\"\nf",
             {"there is no joint or coordinate 'hing'", "did you mean 'hinge'?"}},
        Case{"motion_of_a_body",
             "",
             "[[motion]]\nname = \"d\"\njoint = \"rod\"\nfunction = \"t\"",
             "\"rod\"\nf",
             {"'rod' is a body, not a joint"}},
        Case{"motion_of_a_spherical_joint",
             "",
             "[[joint]]\nname = \"ball\"\nkind = \"spherical\"\nbodies = [\"rod\"]\npoint = [0,0,0]\n[[motion]]\nname "
             "= \"d\"\njoint = \"ball\"\nfunction = \"t\"",
             "\"ball\"\nf",
             {"no free coordinate"}},
        Case{"motion_of_a_cylinder_must_say",
             "",
             "[[joint]]\nname = \"cyl\"\nkind = \"cylindrical\"\nbodies = [\"rod\"]\npoint = "
             "[0,0,0]\naxis=\"x\"\n[[motion]]\nname = \"d\"\njoint = \"cyl\"\nfunction = \"t\"",
             "\"cyl\"\nf",
             {"an angle and a displacement", "say which"}},
        Case{"motion_along_a_hinge",
             "",
             "[[motion]]\nname = \"d\"\njoint = \"hinge\"\ncoordinate = \"displacement\"\nfunction = \"t\"",
             "\"displacement\"",
             {"joint 'hinge' has no displacement, only an angle"}},
        Case{"two_motions_of_one_joint",
             "",
             "[[motion]]\nname = \"d\"\njoint = \"hinge\"\nfunction = \"t\"\n[[motion]]\nname = \"e\"\njoint = "
             "\"hinge\"\ncoordinate = \"angle\"\nfunction = \"t\"",
             "\"hinge\"\ncoord",
             {"motion 'd' drives the same coordinate"}},
        Case{"motion_without_law",
             "",
             "[[motion]]\nname = \"d\"\njoint = \"hinge\"",
             "[[motion]]",
             {"'function'", "'velocity'", "'table'"}},
        Case{"motion_with_two_laws",
             "",
             "[[motion]]\nname = \"d\"\njoint = \"hinge\"\nfunction = \"t\"\nvelocity = 1.5",
             "1.5",
             {"'function' and 'velocity' exclude each other"}},
        Case{"coupler_of_an_unknown_joint",
             "",
             "[[coupler]]\nname = \"c\"\nterms = [{joint = \"hing\"}]",
             "[{",
             {"there is no joint or coordinate 'hing'", "'hinge'"}},
        Case{"coupler_with_factor_zero",
             "",
             "[[coupler]]\nname = \"c\"\nterms = [{joint = \"hinge\", factor = 0}]",
             "[{",
             {"factor of 'hinge' is 0"}},
        Case{"coupler_of_nothing", "", "[[coupler]]\nname = \"c\"", "[[coupler]]", {"'terms'", "missing"}},
        Case{"coupler_factors",
             "",
             "[[coupler]]\nname = \"c\"\njoints = [\"hinge\"]\nfactors = [1, 2]",
             "[1, 2]",
             {"2 numbers for 1 joints"}},
        Case{"gear_of_one",
             "",
             "[[coupler]]\nname = \"c\"\nkind = \"gear\"\njoints = [\"hinge\"]\nratio = 2",
             "[\"hinge\"]",
             {"couples two joints, not 1"}}),
    claim_of);

INSTANTIATE_TEST_SUITE_P(
    Forces, Refusal,
    ::testing::Values(
        Case{"unknown_kind",
             "",
             "[[force]]\nname = \"f\"\nkind = \"sping_damper\"",
             "\"sping",
             {"did you mean 'spring_damper'?"}},
        Case{"no_body",
             "",
             "[[force]]\nname = \"f\"\nkind = \"force\"\nforce = [1, 2, 3]",
             "[[force]]",
             {"'body' is missing"}},
        Case{"unknown_body",
             "",
             "[[force]]\nname = \"f\"\nkind = \"force\"\nbody = \"rid\"\nforce = [1, 2, 3]",
             "\"rid\"",
             {"there is no body 'rid'", "did you mean 'rod'?"}},
        Case{"on_the_ground",
             "",
             "[[force]]\nname = \"f\"\nkind = \"force\"\nbody = \"ground\"\nforce = [1, 2, 3]",
             "\"ground\"\nforce",
             {"between 'ground' and 'ground'"}},
        Case{"two_components",
             "",
             "[[force]]\nname = \"f\"\nkind = \"force\"\nbody = \"rod\"\nforce = [1, 2]",
             "[1, 2]",
             {"list of three"}},
        Case{"component_of_unknown_name",
             "",
             "[[force]]\nname = \"f\"\nkind = \"force\"\nbody = \"rod\"\nforce = [1, 2, \"hinge.f\"]",
             "\"hinge.f\"",
             {"joint 'hinge' has no 'f'"}},
        Case{"torque_on_a_particle",
             "",
             "[[body]]\nname = \"p\"\nkind = \"particle\"\nmass = 1\n[[force]]\nname = \"f\"\nkind = \"torque\"\nbody "
             "= \"p\"\ntorque = [1, 2, 3]",
             "\"p\"\ntorque",
             {"'p' is a particle"}},
        Case{"spring_without_effect",
             "",
             "[[force]]\nname = \"f\"\nkind = \"spring_damper\"\npoint_a = [0,0,1]\npoint_b = {body = \"rod\", at = "
             "[0,0,0]}",
             "[[force]]",
             {"no effect", "'stiffness'"}},
        Case{"spring_with_law_and_stiffness",
             "",
             "[[force]]\nname = \"f\"\nkind = \"spring_damper\"\npoint_a = [0,0,1]\npoint_b = {body = \"rod\", at = "
             "[0,0,0]}\nstiffness = 5\nlaw = \"length\"",
             "5\nlaw",
             {"'stiffness' and 'law' exclude each other"}},
        Case{"spring_of_no_length",
             "",
             "[[force]]\nname = \"f\"\nkind = \"spring_damper\"\nstiffness = 1\npoint_a = [1,0,0]\npoint_b = {body = "
             "\"rod\", at = [0,0,0]}",
             "{body",
             {"ends coincide", "bushing"}},
        Case{"spring_with_negative_free_length",
             "",
             "[[force]]\nname = \"f\"\nkind = \"spring_damper\"\nstiffness = 1\npoint_a = [0,0,1]\npoint_b = {body = "
             "\"rod\", at = [0,0,0]}\nfree_length = -2",
             "-2",
             {"free length is -2 m"}},
        Case{"bushing_matrix",
             "",
             "[[force]]\nname = \"f\"\nkind = \"bushing\"\nbodies = [\"rod\"]\npoint = [0,0,0]\nK = [1, 2]",
             "[1, 2]",
             {"2 numbers", "the 6 of the diagonal"}},
        Case{"bushing_without_point",
             "",
             "[[force]]\nname = \"f\"\nkind = \"bushing\"\nbodies = [\"rod\"]\nK = [1,1,1,1,1,1]",
             "[[force]]",
             {"'point'"}},
        Case{"bushing_of_planar_bodies",
             "",
             "[[force]]\nname = \"f\"\nkind = \"planar_bushing\"\nbodies = [\"rod\"]\npoint = [0,0,0]\nK = [1,1,1]",
             "[\"rod\"]\npoint",
             {"holds planar bodies", "'rod' is none"}},
        Case{"limit_without_stops",
             "",
             "[[force]]\nname = \"f\"\nkind = \"joint_limit\"\njoint = \"hinge\"\nstiffness = 1",
             "[[force]]",
             {"neither 'lower' nor 'upper'"}},
        Case{
            "limit_upside_down",
            "",
            "[[force]]\nname = \"f\"\nkind = \"joint_limit\"\njoint = \"hinge\"\nstiffness = 1\nlower = 2\nupper = 1.5",
            "1.5",
            {"'upper' = 1.5 must be greater than 'lower' = 2"}},
        Case{"limit_without_stiffness",
             "",
             "[[force]]\nname = \"f\"\nkind = \"joint_limit\"\njoint = \"hinge\"\nstiffness = -5\nlower = 2",
             "-5",
             {"must be > 0"}},
        Case{"filter_time",
             "",
             "[[control]]\nname = \"f\"\nkind = \"filter\"\ninput = \"t\"\ntime_constant = 0.0",
             "0.0",
             {"'time_constant' is 0 s", "> 0"}},
        Case{"derivative_without_time",
             "",
             "[[control]]\nname = \"f\"\nkind = \"pid\"\ninput = \"t\"\nkd = 1",
             "[[control]]",
             {"'derivative_time' is missing"}},
        Case{"states_without_rates",
             "",
             "[[control]]\nname = \"f\"\nkind = \"ode\"\nstates = [\"x\", \"v\"]\nrates = [\"v\"]",
             "[\"v\"]",
             {"list of 2", "not of 1"}},
        Case{"state_twice",
             "",
             "[[control]]\nname = \"f\"\nkind = \"ode\"\nstates = [\"x\", \"x\"]\nrates = [1, 2]",
             "[\"x\", \"x\"]",
             {"'x' is listed twice"}},
        Case{"state_with_the_name_of_a_body",
             "",
             "[[control]]\nname = \"f\"\nkind = \"ode\"\nstates = [\"rod\"]\nrates = [1]",
             "[\"rod\"]\nrates",
             {"name of a body", "rename the state"}},
        Case{"distance_on_one_body",
             "",
             "[[measure]]\nname = \"d\"\nkind = \"distance\"\npoint_a = {body = \"rod\", at = [0,0,0]}\npoint_b = "
             "{body = \"rod\", at = [1,0,0]}",
             "{body = \"rod\", at = [1",
             {"never changes"}},
        Case{"table_of_different_lengths",
             "",
             "[[table]]\nname = \"p\"\nx = [0, 1]\ny = [0, 1, 2]",
             "[0, 1, 2]",
             {"'x' has 2 values and 'y' has 3"}},
        Case{"table_that_does_not_increase",
             "",
             "[[table]]\nname = \"p\"\nx = [0, 2, 2]\ny = [0, 1, 2]",
             "[0, 2, 2]",
             {"must increase", "point 3 has x = 2 after x = 2"}},
        Case{"table_of_one_point", "", "[[table]]\nname = \"p\"\nx = [0]\ny = [0]", "[0]\ny", {"at least two"}},
        Case{"table_without_file",
             "",
             "[[table]]\nname = \"p\"\nfile = \"nowhere.csv\"",
             "\"nowhere.csv\"",
             {"'nowhere.csv' cannot be read"}},
        Case{"table_extrapolation",
             "",
             "[[table]]\nname = \"p\"\nx = [0, 1]\ny = [0, 1]\nextrapolation = \"liner\"",
             "\"liner\"",
             {"did you mean 'linear'?"}}),
    claim_of);

INSTANTIATE_TEST_SUITE_P(
    Options, Refusal,
    ::testing::Values(
        Case{
            "end_before_start", "end = 2", "end = 2\nstart = 3", "2\nstart", {"'end' is 2 s", "'start', which is 3 s"}},
        Case{"unknown_analysis",
             "end = 2",
             "end = 2\nkind = \"static\"",
             "\"static\"",
             {"'dynamics'", "'kinematics'", "'statics'"}},
        Case{"load_steps_of_a_motion", "end = 2", "end = 2\nload_steps = 3", "3\n", {"kind = \"statics\""}},
        Case{"unknown_integrator",
             "h = 1e-3",
             "h = 1e-3\nintegrator = \"htt\"",
             "\"htt\"",
             {"did you mean 'hht'?", "'newmark'"}},
        Case{"unknown_formulation",
             "h = 1e-3",
             "h = 1e-3\nformulation = \"indx3\"",
             "\"indx3\"",
             {"did you mean 'index3'?", "'stabilized_index2'"}},
        Case{"formulation_that_the_integrator_excludes",
             "h = 1e-3",
             "h = 1e-3\nintegrator = \"generalized_alpha\"\nformulation = \"stabilized_index2\"",
             "\"stabilized_index2\"",
             {"'generalized_alpha' is a second-order method", "integrators 'bdf' and 'radau'"}},
        Case{"bdf_option_of_another_integrator",
             "h = 1e-3",
             "h = 1e-3\nintegrator = \"generalized_alpha\"\npreset = \"dassl\"",
             "\"dassl\"",
             {"'preset' belongs to the integrator 'bdf'"}},
        Case{"stages_of_another_integrator",
             "h = 1e-3",
             "h = 1e-3\nintegrator = \"generalized_alpha\"\nstages = 2  # two",
             "2  # two",
             {"'stages' belongs to the integrator 'radau'"}},
        Case{"too_many_stages",
             "h = 1e-3",
             "h = 1e-3\nintegrator = \"radau\"\nstages = 4",
             "4\n",
             {"'stages' is 4", "≥ 1 and ≤ 3"}},
        Case{"newton_test_of_a_second_order_method",
             "h = 1e-3",
             "h = 1e-3\nintegrator = \"radau\"\nnewton_test = \"all\"",
             "\"all\"",
             {"'newton_test' belongs to the integrators 'generalized_alpha'", "'radau' is chosen"}},
        Case{"unknown_coordinates",
             "h = 1e-3",
             "h = 1e-3\ncoordinates = \"relative\"",
             "\"relative\"",
             {"'absolute'", "'joint'"}},
        Case{"unknown_linear_solver", "h = 1e-3", "h = 1e-3\nlinear_solver = \"klu\"", "\"klu\"", {"'sparse_lu'"}},
        Case{"negative_step", "h = 1e-3", "h = -1e-3", "-1e-3", {"'h' is -0.001", "> 0"}},
        Case{"step_longer_than_the_analysis", "h = 1e-3", "h = 7", "7\n", {"longer than the whole analysis, 2 s"}},
        Case{"fixed_step_and_tolerance",
             "h = 1e-3",
             "h = 1e-3\nrtol = 1e-4",
             "1e-4",
             {"'rtol' belongs to a run with error control"}},
        Case{"radius_at_infinity", "h = 1e-3", "h = 1e-3\nrho_inf = 1.0", "1.0", {"≥ 0 and < 1"}},
        Case{"alpha_of_hht", "h = 1e-3", "h = 1e-3\nintegrator = \"hht\"\nalpha = -0.4", "-0.4", {"-1/3 ≤ alpha ≤ 0"}},
        Case{"alpha_of_another_integrator",
             "h = 1e-3",
             "h = 1e-3\nintegrator = \"generalized_alpha\"\nalpha = -0.2",
             "-0.2",
             {"belongs to the integrator 'hht'", "'generalized_alpha' is chosen"}},
        Case{"gamma_of_newmark", "h = 1e-3", "h = 1e-3\nintegrator = \"newmark\"\ngamma = 0.4", "0.4", {"gamma ≥ 1/2"}},
        Case{"zero_tolerance", "h = 1e-3", "atol = 0.0", "0.0", {"'atol' is 0 but must be > 0"}},
        Case{"hmin_over_hmax",
             "h = 1e-3",
             "hmin = 0.1\nhmax = 0.01",
             "0.1\nh",
             {"'hmin' = 0.1 is greater than 'hmax' = 0.01"}},
        Case{"no_iterations",
             "h = 1e-3",
             "h = 1e-3\nmax_iterations = -4",
             "-4",
             {"'max_iterations' is -4 but must be ≥ 1"}},
        Case{"half_an_iteration", "h = 1e-3", "h = 1e-3\nmax_iterations = 2.5", "2.5", {"whole number"}},
        Case{"newton_tolerance", "h = 1e-3", "h = 1e-3\nnewton_tol = -7", "-7", {"> 0 and < 1"}},
        Case{"redundancy", "h = 1e-3", "h = 1e-3\nredundant = \"dropp\"", "\"dropp\"", {"did you mean 'drop'?"}},
        Case{"negative_weight",
             "h = 1e-3",
             "h = 1e-3\nscaling = {rho = -5}",
             "-5",
             {"scaling", "'rho' is -5 but must be ≥ 0"}},
        Case{"unknown_scaling",
             "h = 1e-3",
             "h = 1e-3\nscaling = \"fysical\"",
             "\"fysical\"",
             {"did you mean 'physical'?"}},
        Case{"negative_average",
             "h = 1e-3",
             "h = 1e-3\nscaling = {m_ave = -5}",
             "-5",
             {"'m_ave' is -5 kg but must be ≥ 0"}},
        Case{"output_interval",
             "h = 1e-3",
             "h = 1e-3\n[output]\ninterval = -0.5",
             "-0.5",
             {"'interval' is -0.5 s but must be > 0"}},
        Case{"output_interval_and_steps",
             "h = 1e-3",
             "h = 1e-3\n[output]\ninterval = 17\nevery_step = true",
             "17",
             {"exclude"}},
        Case{"strict_is_a_boolean", "h = 1e-3", "h = 1e-3\nstrict = \"yes\"", "\"yes\"", {"true or false"}}),
    claim_of);

TEST(Refusals, are_all_listed_in_the_order_of_the_text) {
  std::string text = replaced(pendulum, "mass = \"m\"", "mass = -1");
  text = replaced(text, "kind = \"revolute\"", "kind = \"screw\"\npitch = 0\ncolour = 3");
  text = replaced(text, "h = 1e-3", "h = -1\nrho_inf = 2");
  text = replaced(text, "title = \"pendulum\"", "titel = \"pendulum\"");
  text += "[[measure]]\nname = \"m1\"\nexpression = \"rood.x\"\n";
  const std::vector<Issue> found = refusals(text);
  std::vector<std::string> places;
  for (const Issue& issue : found) places.push_back(issue.where);
  const std::vector<std::string> expected{
      place_of(text, "titel"),   place_of(text, "-1\n"),     place_of(text, "0\ncolour"), place_of(text, "colour"),
      place_of(text, "-1\nrho"), place_of(text, "2\n[[mea"), place_of(text, "\"rood.x\"")};
  EXPECT_EQ(places, expected);
}

TEST(Refusals, of_syntax_stand_alone) {
  const std::string text = replaced(replaced(pendulum, "mass = \"m\"", "mass = -1"), "axis = \"y\"", "axis = = \"y\"");
  const std::vector<Issue> found = refusals(text);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].where, place_of(text, "= \"y\""));
  EXPECT_NE(found[0].message.find("not valid TOML"), std::string::npos);
}

TEST(Refusals, of_a_repeated_line_are_said_once) {
  const std::string text =
      pendulum + "[[repeat]]\ncount = 50\n[[repeat.body]]\nname = \"b_{i}\"\nmass = -1\ninertia = [1, 1, 1]\n";
  const std::vector<Issue> found = refusals(text);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].where, place_of(text, "-1\n"));
  EXPECT_NE(found[0].message.find("49 more"), std::string::npos) << found[0].message;
}

TEST(Refusals, do_not_follow_from_one_another) {
  // A joint of unknown kind: nothing is known about its bodies and coordinates, and nothing else may be said.
  const std::string text =
      replaced(replaced(pendulum, "kind = \"revolute\"", "kind = \"hinge\""), "[0.1, 2, 2]", "[0, 2, 2]") +
      "[[motion]]\nname = \"d\"\njoint = \"hinge\"\nfunction = \"t\"\n";
  expect_refused(text, "\"hinge\"\nbodies", {"'kind' is 'hinge'", "Allowed"});
}

// A thin rod turns freely about itself only if the joints let it.
TEST(Refusals, of_a_zero_moment_know_what_the_joints_hold) {
  const auto model = [](const std::string& joint) {
    return "[[body]]\nname = \"rod\"\nmass = 1\ninertia = [0, 1, 1]\n[[joint]]\nname = \"j\"\nbodies = [\"rod\"]\n" +
           joint;
  };
  const std::vector<std::string> free{"kind = \"spherical\"\npoint = [1, 0, 0]\n",               // on the axis
                                      "kind = \"revolute\"\npoint = [1, 0, 0]\naxis = \"x\"\n",  // about the axis
                                      "kind = \"distance\"\npoint = [0, 0, 0]\npoint_b = [1, 0, 0]\n",
                                      "kind = \"point_on_plane\"\npoint = [1, 0, 0]\naxis = \"z\"\n"};
  for (const std::string& joint : free) {
    const std::string text = model(joint);
    expect_refused(text, "[0, 1, 1]", {"no moment of inertia about its axis"});
  }
  const std::vector<std::string> held{
      "kind = \"revolute\"\npoint = [1, 0, 0]\naxis = \"z\"\n",  // across the axis
      "kind = \"revolute\"\npoint = [0, 1, 0]\naxis = \"x\"\n",  // parallel to it: the centre of mass must move
      "kind = \"spherical\"\npoint = [0, 1, 0]\n",               // beside it
      "kind = \"fixed\"\n",
      "kind = \"revolute\"\npoint = [1, 0, 0]\naxis = \"x\"\n[[motion]]\nname = \"d\"\njoint = \"j\"\nfunction = "
      "\"t\"\n"};
  for (const std::string& joint : held) EXPECT_NO_THROW(read(model(joint))) << joint;
}

// Whatever happens to a file, it is read or refused: no crash, no other exception.
TEST(Refusals, survive_every_mutation_of_a_good_file) {
  const std::string text = pendulum + R"toml(
[[table]]
name = "profile"
x = [0, 1, 2]
y = [0, 1, 0]
[[force]]
name = "spring"
kind = "spring_damper"
point_a = [0, 0, 1]
point_b = {body = "rod", at = [0, 0, 0]}
stiffness = 10
[[control]]
name = "servo"
kind = "pid"
input = "1 - hinge.angle"
kp = 3
[[control]]
name = "tank"
kind = "ode"
states = ["level"]
rates = ["-level"]
[[measure]]
name = "reach"
kind = "distance"
point_a = [0, 0, 0]
point_b = {body = "rod", at = [1, 0, 0]}
[[coupler]]
name = "lock"
terms = [{joint = "hinge", factor = 2}]
[[repeat]]
count = 3
index = "k"
[[repeat.body]]
name = "ball_{k}"
kind = "particle"
mass = 1
[output]
interval = 0.1
)toml";
  ASSERT_NO_THROW(read(text));
  std::vector<std::string> lines;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t to = text.find('\n', from);
    lines.push_back(text.substr(from, to - from));
    from = to + 1;
  }
  int refused = 0;
  const auto attempt = [&](std::size_t at, const std::string& line) {
    std::string mutated;
    for (std::size_t i = 0; i < lines.size(); ++i) mutated += (i == at ? line : lines[i]) + "\n";
    try {
      read(mutated);
    } catch (const InputError& error) {
      ++refused;
      EXPECT_FALSE(error.issues().empty());
      for (const Issue& issue : error.issues()) {
        EXPECT_EQ(issue.where.rfind("model.toml:", 0), 0u) << issue.where << ": " << issue.message << "\n" << line;
        EXPECT_EQ(issue.where.find(":0:"), std::string::npos) << issue.where << ": " << issue.message << "\n" << line;
      }
    }
  };
  for (std::size_t i = 0; i < lines.size(); ++i) {
    attempt(i, "");
    const std::size_t equal = lines[i].find(" = ");
    if (equal == std::string::npos) continue;
    const std::string key = lines[i].substr(0, equal);
    attempt(i, key + "x = " + lines[i].substr(equal + 3));
    for (const char* value : {"true", "-1", "0", "1e400", "nan", "\"\"", "\"zzz\"", "\"t\"", "[]", "[1]", "[[1]]", "{}",
                              "{a = 1}", "[\"a\", \"b\"]", "1979-05-27", "[1, 2, \"{\"]", "\"{q}\"", "[{}, {}]"})
      attempt(i, key + " = " + value);
  }
  EXPECT_GT(refused, 300);
}

}  // namespace
}  // namespace trammel::test_model_reader_refusals
