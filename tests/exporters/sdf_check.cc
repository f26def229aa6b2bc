// Loads SDFormat files with libsdformat, every warning an error, and prints what it understood, a line per thing.
#include <iomanip>
#include <iostream>

#include <sdf/sdf.hh>

using ignition::math::Pose3d;

static void print(const Pose3d &pose)
{
  const auto &p = pose.Pos();
  const auto &q = pose.Rot();
  std::cout << ' ' << p.X() << ' ' << p.Y() << ' ' << p.Z();
  std::cout << ' ' << q.W() << ' ' << q.X() << ' ' << q.Y() << ' ' << q.Z();
}

static int print(const sdf::Model &model, const Pose3d &worldFromModel)
{
  int bad = 0;
  const auto complain = [&bad](const sdf::Errors &errors) {
    for (const auto &error : errors)
    {
      std::cout << "error " << error.Message() << '\n';
      ++bad;
    }
  };
  std::cout << "model " << model.Name() << ' ' << model.Static() << '\n';
  for (uint64_t i = 0; i < model.LinkCount(); ++i)
  {
    const auto *link = model.LinkByIndex(i);
    Pose3d pose;
    complain(link->SemanticPose().Resolve(pose));
    std::cout << "link " << link->Name();
    print(worldFromModel * pose);
    const auto &inertial = link->Inertial();
    print(inertial.Pose());
    std::cout << ' ' << inertial.MassMatrix().Mass();
    for (int row = 0; row < 3; ++row)
      for (int column = 0; column < 3; ++column)
        std::cout << ' ' << inertial.MassMatrix().Moi()(row, column);
    std::cout << ' ' << link->VisualCount() << ' ' << link->CollisionCount() << '\n';
    for (uint64_t s = 0; s < link->SensorCount(); ++s)
    {
      const auto *sensor = link->SensorByIndex(s);
      Pose3d onLink;
      complain(sensor->SemanticPose().Resolve(onLink));
      std::cout << "sensor " << sensor->Name() << ' ' << sensor->TypeStr() << ' ' << sensor->UpdateRate();
      print(worldFromModel * pose * onLink);
      std::cout << '\n';
    }
  }
  for (uint64_t i = 0; i < model.JointCount(); ++i)
  {
    const auto *joint = model.JointByIndex(i);
    std::cout << "joint " << joint->Name() << ' ' << static_cast<int>(joint->Type()) << ' '
              << joint->ParentLinkName() << ' ' << joint->ChildLinkName();
    if (const auto *axis = joint->Axis(0))
    {
      ignition::math::Vector3d direction;
      complain(axis->ResolveXyz(direction, "__model__"));
      direction = worldFromModel.Rot() * direction;
      std::cout << ' ' << direction.X() << ' ' << direction.Y() << ' ' << direction.Z() << ' ' << axis->Lower() << ' '
                << axis->Upper() << ' ' << axis->Effort() << ' ' << axis->MaxVelocity() << ' ' << axis->Damping()
                << ' ' << axis->Friction();
      Pose3d onChild;
      complain(joint->SemanticPose().Resolve(onChild, joint->ChildLinkName()));
      std::cout << ' ' << onChild.Pos().X() << ' ' << onChild.Pos().Y() << ' ' << onChild.Pos().Z();
    }
    std::cout << '\n';
    for (uint64_t s = 0; s < joint->SensorCount(); ++s)
    {
      const auto *sensor = joint->SensorByIndex(s);
      std::cout << "sensor " << sensor->Name() << ' ' << sensor->TypeStr() << ' ' << sensor->UpdateRate() << '\n';
    }
  }
  for (uint64_t i = 0; i < model.FrameCount(); ++i)
  {
    const auto *frame = model.FrameByIndex(i);
    Pose3d pose;
    complain(frame->SemanticPose().Resolve(pose));
    std::cout << "frame " << frame->Name();
    print(worldFromModel * pose);
    std::cout << '\n';
  }
  return bad;
}

int main(int count, char **files)
{
  std::cout << std::setprecision(17);
  sdf::ParserConfig strict;
  strict.SetWarningsPolicy(sdf::EnforcementPolicy::ERR);
  strict.SetUnrecognizedElementsPolicy(sdf::EnforcementPolicy::ERR);
  strict.SetDeprecatedElementsPolicy(sdf::EnforcementPolicy::ERR);
  int bad = 0;
  for (int i = 1; i < count; ++i)
  {
    std::cout << "file " << files[i] << '\n';
    sdf::Root root;
    for (const auto &error : root.Load(files[i], strict))
    {
      std::cout << "error " << error.Message() << '\n';
      ++bad;
    }
    if (const auto *model = root.Model())
      bad += print(*model, model->RawPose());
    for (uint64_t w = 0; w < root.WorldCount(); ++w)
      for (uint64_t m = 0; m < root.WorldByIndex(w)->ModelCount(); ++m)
      {
        const auto *model = root.WorldByIndex(w)->ModelByIndex(m);
        bad += print(*model, model->RawPose());
      }
  }
  return bad != 0;
}
