// SPDX-License-Identifier: Apache-2.0
#include <btBulletDynamicsCommon.h>

#include <memory>

#include "heap.h"

// Rigid balls and impulses: at every step velocities are changed by ten rounds of projected Gauss–Seidel.

namespace trammel::heap {

namespace {

struct World {
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broadphase;
  btSequentialImpulseConstraintSolver solver;
  btDiscreteDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
  std::vector<std::unique_ptr<btCollisionShape>> shapes;
  std::vector<std::unique_ptr<btDefaultMotionState>> states;
  std::vector<std::unique_ptr<btRigidBody>> bodies;

  World() { world.setGravity(btVector3(0, 0, btScalar(-gravity))); }
  ~World() {
    for (const auto& body : bodies) world.removeRigidBody(body.get());
  }
  // It multiplies what two bodies say of friction and restitution.
  btRigidBody& add(btCollisionShape* shape, double mass, const btVector3& at) {
    btVector3 inertia(0, 0, 0);
    if (mass > 0.0) shape->calculateLocalInertia(btScalar(mass), inertia);
    states.push_back(std::make_unique<btDefaultMotionState>(btTransform(btQuaternion::getIdentity(), at)));
    btRigidBody::btRigidBodyConstructionInfo info(btScalar(mass), states.back().get(), shape, inertia);
    info.m_friction = btScalar(std::sqrt(friction));
    info.m_restitution = btScalar(std::sqrt(restitution));
    bodies.push_back(std::make_unique<btRigidBody>(info));
    bodies.back()->setActivationState(DISABLE_DEACTIVATION);
    world.addRigidBody(bodies.back().get());
    return *bodies.back();
  }
  btRigidBody& add_wall(const btVector3& normal, double offset) {
    shapes.push_back(std::make_unique<btStaticPlaneShape>(normal, btScalar(offset)));
    return add(shapes.back().get(), 0.0, btVector3(0, 0, 0));
  }
  double impulse_on(const btCollisionObject& floor) {
    double sum = 0.0;
    for (int i = 0; i < dispatcher.getNumManifolds(); ++i) {
      const btPersistentManifold& manifold = *dispatcher.getManifoldByIndexInternal(i);
      if (manifold.getBody0() != &floor && manifold.getBody1() != &floor) continue;
      for (int k = 0; k < manifold.getNumContacts(); ++k) sum += manifold.getContactPoint(k).getAppliedImpulse();
    }
    return sum;
  }
};

}  // namespace

Result run_bullet(int n, double h) {
  World w;
  const std::vector<double> from = centres(n);
  const auto ball = std::make_unique<btSphereShape>(btScalar(radius));
  const btRigidBody& floor = w.add_wall(btVector3(0, 0, 1), 0.0);
  w.add_wall(btVector3(1, 0, 0), near_wall), w.add_wall(btVector3(-1, 0, 0), -far_wall(n));
  w.add_wall(btVector3(0, 1, 0), near_wall), w.add_wall(btVector3(0, -1, 0), -far_wall(n));
  std::vector<btRigidBody*> balls;
  for (std::size_t i = 0; i < from.size(); i += 3)
    balls.push_back(
        &w.add(ball.get(), mass(), btVector3(btScalar(from[i]), btScalar(from[i + 1]), btScalar(from[i + 2]))));
  const auto energy = [&] {
    double sum = 0.0;
    for (const btRigidBody* b : balls)
      sum += mass() * (0.5 * b->getLinearVelocity().length2() + gravity * b->getWorldTransform().getOrigin().z()) +
             0.2 * mass() * radius * radius * b->getAngularVelocity().length2();
    return sum;
  };
  Result result;
  const long steps = std::lround(end / h), seen = std::max(1L, steps / 500);
  double impulse = 0.0, before = energy();
  const double start = before;
  for (long i = 0; i < steps; ++i) {
    const double begin = cpu_time();
    w.world.stepSimulation(btScalar(h), 0);
    result.seconds += cpu_time() - begin;
    if (static_cast<double>(i) * h >= end - window) impulse += w.impulse_on(floor);
    if (i % seen != 0) continue;
    const double now = energy();
    result.energy_rise = std::fmax(result.energy_rise, (now - before) / start);
    before = now;
  }
  result.steps = steps;
  result.load = impulse / window;
  std::vector<double> at;
  for (const btRigidBody* b : balls) {
    const btVector3& p = b->getWorldTransform().getOrigin();
    at.insert(at.end(), {p.x(), p.y(), p.z()});
  }
  look(at, result);
  return result;
}

}  // namespace trammel::heap
