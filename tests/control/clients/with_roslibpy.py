"""Use RCK as any rosbridge server and print the replies as JSON."""

import json
import sys
import threading

import roslibpy

ros = roslibpy.Ros("127.0.0.1", int(sys.argv[1]))
ros.run(timeout=20)
found = {"connected": ros.is_connected, "topics": ros.get_topics(), "services": ros.get_services()}
found["type"] = ros.get_topic_type("/joint_states")

states: list[dict] = []
enough = threading.Event()


def take(message):
    states.append(message)
    if len(states) >= 5:
        enough.set()


listener = roslibpy.Topic(ros, "/joint_states", "sensor_msgs/JointState", throttle_rate=20, queue_length=1)
listener.subscribe(take)
enough.wait(20)
listener.unsubscribe()
found["states"] = states[:5]

move = roslibpy.Service(ros, "/move_joints", "rck_msgs/MoveJoints")
found["accepted"] = dict(move.call(roslibpy.ServiceRequest({"joints": {"scara_a1": 0.2}})))
try:
    move.call(roslibpy.ServiceRequest({"joints": {"scara_b1": 0.2}}))
except Exception as error:
    found["refused"] = str(error)

done = threading.Event()
feedback: list[dict] = []


def ended(result):
    found["result"] = {"status": int(result["status"].value), "values": result["values"]}
    done.set()


trajectory = {
    "joint_names": ["scara_a2"],
    "points": [{"positions": [0.3], "time_from_start": {"sec": 0, "nanosec": 500_000_000}}],
}
action = roslibpy.ActionClient(ros, "/follow_joint_trajectory", "control_msgs/action/FollowJointTrajectory")
action.send_goal(
    roslibpy.Goal({"trajectory": trajectory}), ended, lambda one: feedback.append(dict(one)), lambda bad: ended(bad)
)
done.wait(20)
found["feedback"] = [one["state"] for one in feedback]

heard = threading.Event()
pictures: list[dict] = []


def described(message):
    pictures.append(message)
    heard.set()


description = roslibpy.Topic(ros, "/robot_description", "std_msgs/String", latch=True)
description.subscribe(described)
heard.wait(20)
found["urdf"] = pictures[0]["data"][:2000]

publisher = roslibpy.Topic(ros, "/joint_trajectory", "trajectory_msgs/JointTrajectory")
trajectory["points"][0]["positions"] = [0.1]
publisher.publish(roslibpy.Message(trajectory))
ros.close()
sys.stdout.write(json.dumps(found) + "\n")
