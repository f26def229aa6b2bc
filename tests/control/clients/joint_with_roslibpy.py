"""Move one joint and print its states as JSON: PORT JOINT POSITION."""

import json
import sys
import threading

import roslibpy

joint, goal = sys.argv[2], float(sys.argv[3])
ros = roslibpy.Ros("127.0.0.1", int(sys.argv[1]))
ros.run(timeout=20)
states: list[tuple[float, float]] = []
arrived = threading.Event()


def take(message):
    at = message["position"][message["name"].index(joint)]
    stamp = message["header"]["stamp"]
    states.append((stamp["sec"] + 1e-9 * stamp["nanosec"], at))
    if abs(at - goal) < 1e-6:
        arrived.set()


roslibpy.Topic(ros, "/joint_states", "sensor_msgs/JointState").subscribe(take)
move = roslibpy.Service(ros, "/move_joints", "rck_msgs/MoveJoints")
move.call(roslibpy.ServiceRequest({"joints": {joint: goal}}))
arrived.wait(60)
ros.close()
sys.stdout.write(json.dumps(states) + "\n")
