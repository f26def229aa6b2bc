// A program that knows RCK only as a rosbridge server. Prints what it got as JSON.
import { Action, Ros, Service, Topic } from "roslib";

const ros = new Ros({ url: `ws://127.0.0.1:${process.argv[2]}` });
await new Promise((resolve, reject) => { ros.on("connection", resolve); ros.on("error", reject); });
const found = {};
found.topics = await new Promise((resolve, reject) => ros.getTopics((all) => resolve(all.topics), reject));

found.states = await new Promise((resolve) => {
  const seen = [];
  const topic = new Topic({ ros, name: "/joint_states", messageType: "sensor_msgs/JointState", throttle_rate: 20 });
  topic.subscribe((message) => {
    seen.push(message);
    if (seen.length === 5) { topic.unsubscribe(); resolve(seen); }
  });
});

found.picture = await new Promise((resolve) => {
  const topic = new Topic({ ros, name: "/tf", messageType: "tf2_msgs/TFMessage", compression: "png" });
  topic.subscribe((message) => { topic.unsubscribe(); resolve(message.transforms.length); });
});

const move = new Service({ ros, name: "/move_joints", serviceType: "rck_msgs/MoveJoints" });
found.accepted = await new Promise((resolve, reject) => move.callService({ joints: { scara_a1: 0.2 } }, resolve, reject));
found.refused = await new Promise((resolve, reject) =>
  move.callService({ joints: { scara_b1: 0.2 } }, () => reject(new Error("taken")), resolve));

const action = new Action({ ros, name: "/move_joints", actionType: "rck_msgs/action/MoveJoints" });
found.feedback = [];
found.result = await new Promise((resolve, reject) =>
  action.sendGoal({ joints: { scara_a2: 0.3 }, duration: 0.5 }, resolve, (one) => found.feedback.push(one.state), reject));

console.log(JSON.stringify(found));
ros.close();
