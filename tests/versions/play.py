#!/usr/bin/env python3
"""Plays the scenarios of this folder on a cluster, each in a namespace of its own, and records them.

usage: play.py FOLDER [SCENARIO...]

KUBECONFIG names the cluster and `gatewatch` is on the PATH. The cluster has one node with the image IMAGE, a registry
at REGISTRY that is empty, the definition of GitLabCore, and no admission of service accounts. All its components are of
one version, in one program made of the modules that k8s.io/kubernetes requires at that version. Before 1.29 there are
no sidecars: name all scenarios but that one.
"""

import json
import os
import re
import signal
import ssl
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

IMAGE, REGISTRY = "registry.test/gitlab/toolbox:v1", "localhost:5100"
CORES, JOBS = "apis/apps.gitlab.com/v2alpha1/namespaces/{}/gitlabcores", "apis/batch/v1/namespaces/{}/jobs"
PODS, DEPLOYMENTS = "api/v1/namespaces/{}/pods", "apis/apps/v1/namespaces/{}/deployments"
MERGE, STRATEGIC = "application/merge-patch+json", "application/strategic-merge-patch+json"
LOCK = "PG::LockNotAvailable: ERROR:  canceling statement due to lock timeout"
COUNT = 'N=$(cat /state/n 2>/dev/null || echo 0); N=$((N+1)); echo $N > /state/n; echo "attempt $N"\n'
TLS = ssl._create_unverified_context()


def call(method, path, body=None, kind="application/json", may_fail=False):
    """Asks the API server, again while it is busy."""
    config = open(os.environ["KUBECONFIG"]).read()
    server = re.search(r'server: "?([^"\s}]+)', config).group(1)
    headers = {"Authorization": "Bearer " + re.search(r"token: ([^\s}]+)", config).group(1), "Content-Type": kind}
    data = None if body is None else json.dumps(body).encode()
    for _ in range(60):
        request = urllib.request.Request(f"{server}/{path}", method=method, data=data, headers=headers)
        try:
            return json.load(urllib.request.urlopen(request, context=TLS))
        except urllib.error.HTTPError as error:
            if error.code not in (429, 500, 503):
                if may_fail:
                    return None
                raise SystemExit(f"{method} {path}: {error.code} {error.read().decode()}")
        time.sleep(1)
    raise SystemExit(f"{method} {path}: the server stays busy")


def wait(condition, seconds=150):
    """Waits for a value that is true."""
    end = time.time() + seconds
    while time.time() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.3)
    raise SystemExit("it does not come")


# What happens while a Job runs.


def running(ns):
    def names():
        pods = call("GET", PODS.format(ns))["items"]
        return [pod["metadata"]["name"] for pod in pods if pod["status"].get("phase") == "Running"]

    name = wait(names)[0]
    time.sleep(2)
    return name


def delete(ns):
    call("DELETE", f"{PODS.format(ns)}/{running(ns)}")


def drain(ns):
    name = running(ns)
    eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name, "namespace": ns}}
    call("POST", f"{PODS.format(ns)}/{name}/eviction", eviction)


def suspend(ns):
    running(ns)
    path = JOBS.format(ns) + "/" + call("GET", JOBS.format(ns))["items"][0]["metadata"]["name"]
    call("PATCH", path, {"spec": {"suspend": True}}, MERGE)
    time.sleep(7)
    call("PATCH", path, {"spec": {"suspend": False}}, MERGE)


def mend_image(ns):
    pod = wait(lambda: call("GET", PODS.format(ns))["items"])[0]["metadata"]["name"]
    time.sleep(32)
    mended = {"spec": {"containers": [{"name": "migrations", "image": IMAGE}]}}
    call("PATCH", f"{PODS.format(ns)}/{pod}", mended, STRATEGIC)


# What the Jobs do.


def fails(times, then="echo migrated; exit 0"):
    aborted = f'printf "%s\\n" "rake aborted!" "{LOCK}" "Tasks: TOP => db:migrate" | tee /dev/termination-log'
    return f"{COUNT}sleep 2\nif [ $N -le {times} ]; then {aborted}; exit 1; fi\nsleep 1; {then}"


def gate(script="echo migrated; sleep 2; exit 0", limit=2, grace=2, **more):
    """A gate's Job; `shared` gives its pods a folder of the node in common, where they restart as other pods."""
    return {"script": script, "limit": limit, "grace": grace} | more


NEVER = {"restartPolicy": "Never"}
POLICY = {"podFailurePolicy": {"rules": [
    {"action": "FailJob", "onExitCodes": {"containerName": "migrations", "operator": "In", "values": [42]}},
    {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]},
]}}
FILLS = "if [ ! -f /state/once ]; then touch /state/once; dd if=/dev/zero of=/scratch/f bs=1M count=20; sleep 120; fi"
REFUSED = 'echo "FATAL: password authentication failed for user gitlab" | tee /dev/termination-log; exit 1'
INIT = f"{COUNT}sleep 1; if [ $N -le 2 ]; then {REFUSED}; fi"
PROXY = {"name": "proxy", "image": IMAGE, "restartPolicy": "Always",
         "command": ["sh", "-c", 'trap "exit 0" TERM; while :; do sleep 1; done']}
SCENARIOS = {
    "deadline": gate('trap "" TERM; while :; do echo waiting; sleep 1; done', grace=3,
                     spec={"activeDeadlineSeconds": 12}),
    "drain": gate("echo migrating; sleep 8; exit 0", during=drain),
    "drain-ignored": gate("echo migrating; sleep 8; exit 0", pod=NEVER, spec=POLICY, during=drain),
    "evicted": gate(f"{FILLS}; sleep 2; exit 0", shared=True,
                    pod={"volumes": [{"name": "scratch", "emptyDir": {"sizeLimit": "5Mi"}}]},
                    main={"volumeMounts": [{"name": "scratch", "mountPath": "/scratch"}]}),
    "exhausted": gate(fails(99), grace=6),
    "exhausted-pods": gate(fails(99), limit=1, pod=NEVER, shared=True),
    "image": gate(main={"image": f"{REGISTRY}/gitlab/toolbox:v18.11.0"}, during=mend_image),
    "init-fails": gate(init=INIT, limit=4),
    "never-policy": gate(fails(1, "exit 42"), limit=3, pod=NEVER, spec=POLICY, shared=True),
    "pod-deleted": gate("echo migrating; sleep 8; exit 0", during=delete),
    "retry": gate(fails(2), limit=4),
    "sidecar": gate(fails(1), limit=3, sidecars=[PROXY]),
    "suspended": gate("echo migrating; sleep 9; exit 0", during=suspend),
    "upgrade": gate(),
}


def job(ns, name, owner, gate):
    labels = {"app": "migrations", "release": "gitlab"}
    pod, main = dict(gate.get("pod", {})), dict(gate.get("main", {}))
    mounts = [{"name": "state", "mountPath": "/state"}]
    shared = {"hostPath": {"path": f"/run/migrations/{ns}", "type": "DirectoryOrCreate"}}
    state = {"name": "state", **(shared if gate.get("shared") else {"emptyDir": {}})}
    configure = {"name": "configure", "image": IMAGE, "volumeMounts": mounts,
                 "command": ["sh", "-c", gate.get("init", "echo configured")]}
    migrations = {"name": "migrations", "image": IMAGE, "imagePullPolicy": "IfNotPresent",
                  "command": ["sh", "-c", gate["script"]],
                  "volumeMounts": mounts + main.pop("volumeMounts", []), **main}
    spec = {"restartPolicy": "OnFailure", "terminationGracePeriodSeconds": gate["grace"],
            "automountServiceAccountToken": False, "initContainers": [configure] + gate.get("sidecars", []),
            "containers": [migrations], "volumes": [state] + pod.pop("volumes", []), **pod}
    metadata = {"name": name, "namespace": ns, "ownerReferences": [owner], "labels": {
        **labels, "operator.gitlab.com/release-name": "gitlab", "operator.gitlab.com/release-namespace": ns,
        "gitlab.com/target-version": "18.11.0"}}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": {
        "backoffLimit": gate["limit"], "activeDeadlineSeconds": 600, **gate.get("spec", {}),
        "template": {"metadata": {"labels": labels}, "spec": spec}}}


def play_gate(ns, name, owner, gate):
    call("POST", JOBS.format(ns), job(ns, name, owner, gate))
    if "during" in gate:
        threading.Thread(target=gate["during"], args=(ns,), daemon=True).start()

    def ended():
        conditions = call("GET", f"{JOBS.format(ns)}/{name}").get("status", {}).get("conditions", [])
        return any(condition["type"] in ("Complete", "Failed") for condition in conditions)

    wait(ended)


# The operator's part.

APPS = ("webservice", "sidekiq")


def create_deployments(ns):
    for app in APPS:
        labels = {"app": app, "release": "gitlab"}
        spec = {"terminationGracePeriodSeconds": 1, "automountServiceAccountToken": False,
                "initContainers": [{"name": "dependencies", "image": IMAGE, "command": ["sh", "-c", "sleep 1"]}],
                "containers": [{"name": app, "image": IMAGE, "command": ["sleep", "100000"]}]}
        template = {"metadata": {"labels": labels}, "spec": spec}
        call("POST", DEPLOYMENTS.format(ns), {
            "apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": {"name": f"gitlab-{app}-default", "labels": labels},
            "spec": {"replicas": 1, "selector": {"matchLabels": labels}, "template": template}})
    wait_for_rollout(ns)


def change_deployments(ns, spec):
    for app in APPS:
        call("PATCH", f"{DEPLOYMENTS.format(ns)}/gitlab-{app}-default", {"spec": spec}, STRATEGIC)


def bypassing(variable):
    return {"template": {"spec": {"initContainers": [{"name": "dependencies", "env": [variable]}]}}}


def wait_for_rollout(ns):
    def rolled_out():
        for deployment in call("GET", DEPLOYMENTS.format(ns))["items"]:
            status = deployment.get("status", {})
            counts = [status.get(count, 0) for count in ("replicas", "updatedReplicas", "availableReplicas")]
            if status.get("observedGeneration", 0) < deployment["metadata"]["generation"] or counts != [1, 1, 1]:
                return False
        return True

    wait(rolled_out)


def report(ns, reason, phase="Upgrading", version="18.10.1"):
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    progressing = {"type": "Progressing", "status": "True" if phase == "Upgrading" else "False", "reason": reason,
                   "message": "", "lastTransitionTime": now, "observedGeneration": 1}
    status = {"phase": phase, "version": version, "gitlabVersion": version, "targetVersion": "18.11.0",
              "upgradeVersions": ["18.11.0"], "conditions": [progressing]}
    call("PATCH", f"{CORES.format(ns)}/gitlab/status", {"status": status}, MERGE)


def name_of_jobs(uid):
    """The operator names Jobs by the 32-bit FNV-1a of the instance's uid, its generation and the version."""
    hash = 0x811C9DC5
    for byte in f"{uid}-1-18.11.0".encode():
        hash = ((hash ^ byte) * 0x01000193) & 0xFFFFFFFF
    return f"gitlab-migrations-{hash:08x}"


def upgrade(ns, name, owner, gate):
    change_deployments(ns, {"paused": True} | bypassing({"name": "BYPASS_SCHEMA_VERSION", "value": "true"}))
    play_gate(ns, f"{name}-pre", owner, gate)
    report(ns, "UpgradingRails")
    change_deployments(ns, {"paused": False})
    wait_for_rollout(ns)
    report(ns, "RunningPostMigrations")
    play_gate(ns, name, owner, gate)
    report(ns, "RollingOutWorkloads")
    change_deployments(ns, bypassing({"name": "BYPASS_SCHEMA_VERSION", "$patch": "delete"}))
    wait_for_rollout(ns)
    report(ns, "WaitingForBatchedMigrations")
    play_gate(ns, f"{name}-bbm", owner, gate)
    report(ns, "UpgradeComplete", "Running", "18.11.0")


def play(folder, scenario):
    ns, gate = scenario, SCENARIOS[scenario]
    call("POST", "api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": ns}})
    if scenario == "upgrade":
        create_deployments(ns)
    recorder = subprocess.Popen(["gatewatch", "record", f"{folder}/{scenario}.jsonl.gz", "-n", ns])
    time.sleep(4)
    core = call("POST", CORES.format(ns), {
        "apiVersion": "apps.gitlab.com/v2alpha1", "kind": "GitLabCore", "metadata": {"name": "gitlab"},
        "spec": {"version": {"type": "Static", "static": {"version": "18.11.0"}},
                 "upgrade": {"skipBatchedMigrationCheck": False}}})
    report(ns, "RunningPreMigrations")
    uid = core["metadata"]["uid"]
    owner = {"apiVersion": core["apiVersion"], "kind": "GitLabCore", "name": "gitlab", "uid": uid, "controller": True}
    if scenario == "upgrade":
        upgrade(ns, name_of_jobs(uid), owner, gate)
    else:
        play_gate(ns, f"{name_of_jobs(uid)}-pre", owner, gate)
    time.sleep(2.5)
    recorder.send_signal(signal.SIGINT)
    recorder.wait(20)


def main(folder, *scenarios):
    os.makedirs(folder, exist_ok=True)
    threads = [threading.Thread(target=play, args=(folder, scenario)) for scenario in scenarios or SCENARIOS]
    for thread in threads:
        thread.start()
        time.sleep(0.5)
    for thread in threads:
        thread.join()


main(*sys.argv[1:])
