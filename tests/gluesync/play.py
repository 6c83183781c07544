#!/usr/bin/env python3
"""Plays the Gluesync operator on a real cluster: a platform with Core Hub, two modules and the operator, real workloads and
pods, and one update of it, by the steps and the rules of the operator's documentation. Beside it, a registry of its own.

usage: play.py SCENARIO [--record FILE] | play.py list
KUBECONFIG names the cluster, NS the namespace, which has to be there; /bin/busybox has to be static.

What the resource is to say beyond `status.update.previousImages` and `status.lastAttempt` is told in no document: some
scenarios say a step and times, the others nothing, so that it has to be found out from the workloads.
"""

import argparse
import datetime
import hashlib
import http.server
import io
import json
import os
import re
import ssl
import subprocess
import tarfile
import threading
import time
import urllib.request

NS, NAME = os.environ.get('NS', 'gluesync-play'), 'gluesync'
LABEL = 'com.molo17.conductor.type'
OLD, NEW = '2.3.1.7', '2.3.2.2'
PORT = int(os.environ.get('REGISTRY_PORT', '5998'))
WINDOW, MAX_WAIT, DRAIN = 20, 180, 600
AT_ONCE = {'CrashLoopBackOff', 'InvalidImageName', 'CreateContainerConfigError', 'CreateContainerError'}
FINAL = ('not found', 'manifest unknown', 'unauthorized', 'denied', 'forbidden')
SERVE = "trap 'exit 0' TERM INT; sleep 3; touch /tmp/ready; while :; do sleep 3600 & wait $!; done"
CRASH = 'sleep 2; echo "no route to the Core Hub"; exit 1'
PIPELINES = ['orders-to-kafka', 'stock-to-mssql']

# Whether the status tells steps and times; what the registry does with an image; which image crashes.
SCENARIOS = {
    'succeeds': {'tells': False},
    'rolled-back': {'tells': True, 'missing': {f'core-hub:{NEW}'}},
    'registry': {'tells': False, 'times-out': {f'core-hub:{NEW}': 2}},
    'degraded': {'tells': True, 'crashes': {f'kafka:{NEW}'}},
}


def now():
    return datetime.datetime.now(datetime.timezone.utc).strftime('%Y-%m-%dT%H:%M:%SZ')


def k(*args, data=None, ok=True):
    p = subprocess.run(
        ['kubectl', '-n', NS, *args],
        input=json.dumps(data) if data is not None else None,
        capture_output=True,
        text=True,
    )
    if p.returncode and ok:
        raise SystemExit(f'kubectl {args}: {p.stderr}')
    return p.stdout if not p.returncode else None


def get(kind, name):
    return json.loads(k('get', kind, name, '-o', 'json'))


class Registry(http.server.BaseHTTPRequestHandler):
    """One image under every name and tag that is not missing; a tag that times out does so a few times."""

    protocol_version = 'HTTP/1.1'
    blobs, manifest, scenario = {}, b'', {}

    @classmethod
    def make(cls, scenario):
        cls.scenario = scenario
        layer = io.BytesIO()
        with tarfile.open(fileobj=layer, mode='w') as tar:
            for name in ('bin', 'tmp'):
                info = tarfile.TarInfo(name)
                info.type, info.mode = tarfile.DIRTYPE, 0o777
                tar.addfile(info)
            busybox = open('/bin/busybox', 'rb').read()
            info = tarfile.TarInfo('bin/busybox')
            info.size, info.mode = len(busybox), 0o755
            tar.addfile(info, io.BytesIO(busybox))
            for tool in ('sh', 'sleep', 'touch', 'test', 'echo'):
                info = tarfile.TarInfo(f'bin/{tool}')
                info.type, info.linkname = tarfile.SYMTYPE, 'busybox'
                tar.addfile(info)

        def blob(kind, data):
            digest = 'sha256:' + hashlib.sha256(data).hexdigest()
            cls.blobs[digest] = data
            return {'mediaType': f'application/vnd.oci.image.{kind}', 'digest': digest, 'size': len(data)}

        tar = blob('layer.v1.tar', layer.getvalue())
        config = {
            'architecture': 'amd64',
            'os': 'linux',
            'rootfs': {'type': 'layers', 'diff_ids': [tar['digest']]},
            'config': {'Env': ['PATH=/bin']},
        }
        config = blob('config.v1+json', json.dumps(config).encode())
        manifest = {'schemaVersion': 2, 'mediaType': 'application/vnd.oci.image.manifest.v1+json', 'config': config, 'layers': [tar]}
        cls.manifest = json.dumps(manifest).encode()
        server = http.server.ThreadingHTTPServer(('127.0.0.1', PORT), cls)
        threading.Thread(target=server.serve_forever, daemon=True).start()

    def answer(self, code, body=b'', kind='application/json', **headers):
        self.send_response(code)
        for name, value in {'Content-Type': kind, 'Content-Length': str(len(body)), **headers}.items():
            self.send_header(name.replace('_', '-'), value)
        self.end_headers()
        if self.command != 'HEAD':
            self.wfile.write(body)

    def do_GET(self):
        found = re.fullmatch(r'/v2/gluesync/([^/]+)/(manifests|blobs)/(.+)', self.path)
        if not found:
            return self.answer(200, b'{}')
        name, what, ref = found.groups()
        image = f'{name}:{ref}'
        left = self.scenario.get('times-out', {})
        if left.get(image, 0) > 0:
            if self.command == 'GET' or what == 'manifests':
                left[image] -= self.command == 'HEAD'
            return self.answer(504)
        if image in self.scenario.get('missing', ()):
            return self.answer(404, b'{"errors":[{"code":"MANIFEST_UNKNOWN","message":"manifest unknown"}]}')
        data = self.manifest if what == 'manifests' else self.blobs[ref]
        digest = 'sha256:' + hashlib.sha256(data).hexdigest()
        kind = 'application/vnd.oci.image.manifest.v1+json' if what == 'manifests' else 'application/octet-stream'
        self.answer(200, data, kind, Docker_Content_Digest=digest)

    do_HEAD = do_GET

    def log_message(self, *_):
        pass


class Recorder:
    """What a watch of each kind hears, one JSON line an event, the time of arrival added."""

    KINDS = [
        ('apis/conductor.example.com/v1alpha1', 'gluesyncplatforms'),
        ('apis/apps/v1', 'deployments'),
        ('apis/apps/v1', 'statefulsets'),
        ('api/v1', 'pods'),
        ('api/v1', 'events'),
    ]

    def __init__(self, path):
        config = open(os.environ['KUBECONFIG']).read()
        self.server = re.search(r'server: "([^"]+)"', config).group(1)
        self.token = re.search(r'token: ([^\s}]+)', config).group(1)
        self.tls = ssl._create_unverified_context()
        self.lock, self.out = threading.Lock(), open(path, 'w')
        self.write('SELECTION', {'picks': ['gluesyncplatform']})
        for group, kind in self.KINDS:
            threading.Thread(target=self.follow, args=(f'{group}/namespaces/{NS}/{kind}',), daemon=True).start()

    def write(self, kind, thing):
        metadata = thing.get('metadata', {})
        metadata.pop('managedFields', None)
        (metadata.get('annotations') or {}).pop('kubectl.kubernetes.io/last-applied-configuration', None)
        heard = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec='milliseconds').replace('+00:00', 'Z')
        with self.lock:
            self.out.write(json.dumps({'time': heard, 'type': kind, 'object': thing}, separators=(',', ':')) + '\n')
            self.out.flush()

    def get(self, path):
        request = urllib.request.Request(f'{self.server}/{path}', headers={'Authorization': f'Bearer {self.token}'})
        return urllib.request.urlopen(request, context=self.tls)

    def follow(self, path):
        while True:
            try:
                found = json.load(self.get(path))
                for thing in found['items']:
                    self.write('ADDED', thing | {'kind': found['kind'].removesuffix('List'), 'apiVersion': found['apiVersion']})
                version = found['metadata']['resourceVersion']
                for line in self.get(f'{path}?watch=1&allowWatchBookmarks=true&resourceVersion={version}'):
                    event = json.loads(line)
                    if event['type'] == 'ERROR':
                        break
                    if event['type'] != 'BOOKMARK':
                        self.write(event['type'], event['object'])
            except OSError:
                time.sleep(0.3)


def image(component, version):
    return f'localhost:{PORT}/gluesync/{component}:{version}'


def workload(component, kind, version, label=None):
    labels = {'app': component, LABEL: label or component}
    container = {
        'name': component,
        'image': image(component, version),
        'imagePullPolicy': 'Always',
        'command': ['sh', '-c', SERVE],
        'readinessProbe': {'exec': {'command': ['test', '-f', '/tmp/ready']}, 'periodSeconds': 1},
    }
    spec = {
        'replicas': 1,
        'selector': {'matchLabels': {'app': component}},
        'template': {
            'metadata': {'labels': labels},
            'spec': {'terminationGracePeriodSeconds': 2, 'automountServiceAccountToken': False, 'containers': [container]},
        },
    }
    if kind == 'StatefulSet':
        spec['serviceName'] = component
    if label == 'operator':
        # The old pod stays in charge until the new one has been Ready for ten seconds.
        spec['minReadySeconds'] = 10
        spec['progressDeadlineSeconds'] = 300
        spec['strategy'] = {'type': 'RollingUpdate', 'rollingUpdate': {'maxSurge': 1, 'maxUnavailable': 0}}
    return {'apiVersion': 'apps/v1', 'kind': kind, 'metadata': {'name': component, 'labels': labels}, 'spec': spec}


class Unstable(Exception):
    pass


class Operator:
    KINDS = {'core-hub': 'statefulset', 'kafka': 'deployment', 'mssql': 'deployment', 'gluesync-operator': 'deployment'}

    def __init__(self, scenario):
        self.scenario = scenario
        self.status = {'history': []}

    def say(self, **fields):
        for name, value in fields.items():
            self.status[name] = value
        self.status['observedGeneration'] = get('gsp', NAME)['metadata']['generation']
        patch = json.dumps({'status': self.status})
        k('patch', 'gsp', NAME, '--type=merge', '--subresource=status', '-p', patch)

    def step(self, name, component=None):
        if self.scenario['tells']:
            update = {**self.status['update'], 'step': name, 'stepStartedAt': now()}
            update['component'] = component
            self.say(update=update)

    def install(self):
        for component, kind in self.KINDS.items():
            kind = {'statefulset': 'StatefulSet', 'deployment': 'Deployment'}[kind]
            label = 'operator' if component == 'gluesync-operator' else component
            k('apply', '-f', '-', data=workload(component, kind, OLD, label))
        platform = {
            'apiVersion': 'conductor.example.com/v1alpha1',
            'kind': 'GluesyncPlatform',
            'metadata': {'name': NAME},
            'spec': {
                'version': OLD,
                'updatePolicy': 'auto',
                'maintenance': {'drainTimeoutSeconds': DRAIN},
                'stability': {'windowSeconds': WINDOW, 'maxWaitSeconds': MAX_WAIT},
            },
        }
        k('apply', '-f', '-', data=platform)
        for component, kind in self.KINDS.items():
            k('rollout', 'status', f'{kind}/{component}', '--timeout=180s')
        self.say(version=OLD)

    def pods(self, component):
        return json.loads(k('get', 'pods', '-l', f'app={component}', '-o', 'json'))['items']

    def set_image(self, component, value, command=SERVE):
        container = {'name': component, 'image': value, 'command': ['sh', '-c', command]}
        patch = {'spec': {'template': {'spec': {'containers': [container]}}}}
        k('patch', self.KINDS[component], component, '-p', json.dumps(patch))

    def stable(self, component, value, window=WINDOW):
        """Waits for the stability check, from the change of the image on."""
        until, since, restarts, error = time.time() + MAX_WAIT, None, None, ''
        while time.time() < until:
            pods, ready, count = self.pods(component), True, 0
            for pod in pods:
                status = (pod['status'].get('containerStatuses') or [{}])[0]
                fresh = pod['spec']['containers'][0]['image'] == value
                ready &= fresh and status.get('ready', False) and 'deletionTimestamp' not in pod['metadata']
                count += status.get('restartCount', 0) if fresh else 0
                waiting = status.get('state', {}).get('waiting', {})
                reason, message = waiting.get('reason', ''), waiting.get('message', '')
                if not fresh:
                    continue
                if reason in AT_ONCE:
                    raise Unstable(f'{reason}: {message}')
                if reason in ('ErrImagePull', 'ImagePullBackOff'):
                    error = message
                    if any(word in message for word in FINAL):
                        raise Unstable(f'{reason}: {message}')
            if not pods or not ready or restarts not in (None, count):
                since = None
            elif since is None:
                since = time.time()
            restarts = count
            if since and time.time() - since >= window:
                return
            time.sleep(1)
        raise Unstable(f'not ready within {MAX_WAIT}s' + (f': {error}' if error else ''))

    def update(self):
        started = now()
        before = {c: image(c, OLD) for c in ('core-hub', 'kafka', 'mssql')}
        time.sleep(2)
        told = {'startedAt': started, 'version': NEW} if self.scenario['tells'] else {}
        self.say(update={'previousImages': before, **told})
        self.step('Snapshot')
        time.sleep(1)
        if self.scenario['tells']:
            self.say(update={**self.status['update'], 'pipelines': PIPELINES})
        self.step('Maintenance')
        time.sleep(8)
        results, message, result = {}, '', 'Succeeded'
        self.step('CoreHub')
        self.set_image('core-hub', image('core-hub', NEW))
        try:
            self.stable('core-hub', image('core-hub', NEW))
            results['core-hub'] = {'result': 'OK', 'version': NEW}
        except Unstable as why:
            result, message = 'Failed', f'{why}; rolled back to {OLD}'
            results['core-hub'] = {'result': 'ROLLED_BACK', 'message': str(why), 'version': NEW}
            self.step('RollingBack')
            self.set_image('core-hub', before['core-hub'])
            time.sleep(1)
            for pod in self.pods('core-hub'):
                if pod['spec']['containers'][0]['image'] != before['core-hub']:
                    k('delete', 'pod', pod['metadata']['name'], '--wait=false')
            k('rollout', 'status', 'statefulset/core-hub', f'--timeout={MAX_WAIT}s')
        self.step('Resume')
        time.sleep(3)
        if result != 'Failed':
            for module in ('kafka', 'mssql'):
                self.step('Modules', module)
                crashes = f'{module}:{NEW}' in self.scenario.get('crashes', ())
                self.set_image(module, image(module, NEW), CRASH if crashes else SERVE)
                try:
                    self.stable(module, image(module, NEW))
                    results[module] = {'result': 'OK', 'version': NEW}
                except Unstable as why:
                    result, message = 'Degraded', f'{module} was rolled back: {why}'
                    results[module] = {'result': 'ROLLED_BACK', 'message': str(why), 'version': NEW}
                    self.set_image(module, before[module])
            if not self.scenario['tells']:
                results['gluesync-operator'] = {'result': 'SCHEDULED', 'version': NEW}
        attempt = {'result': result, 'results': results, 'message': message, 'startedAt': started, 'finishedAt': now()}
        if self.scenario['tells']:
            attempt['version'] = NEW
        version = OLD if result == 'Failed' else NEW
        self.say(update=None, lastAttempt=attempt, history=[attempt], version=version)
        if 'gluesync-operator' in results:
            self.update_itself(attempt)

    def update_itself(self, attempt):
        """Last, and only after fifteen seconds without an update."""
        time.sleep(15)
        self.set_image('gluesync-operator', image('gluesync-operator', NEW))
        time.sleep(2)
        k('rollout', 'status', 'deployment/gluesync-operator', f'--timeout={MAX_WAIT}s')
        self.stable('gluesync-operator', image('gluesync-operator', NEW))
        attempt['results']['gluesync-operator']['result'] = 'OK'
        self.say(lastAttempt=attempt, history=[attempt])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('scenario')
    parser.add_argument('--record')
    arguments = parser.parse_args()
    if arguments.scenario == 'list':
        return print('\n'.join(SCENARIOS))
    scenario = SCENARIOS[arguments.scenario]
    Registry.make(scenario)
    operator = Operator(scenario)
    operator.install()
    if arguments.record:
        Recorder(arguments.record)
        time.sleep(1)
    k('patch', 'gsp', NAME, '--type=merge', '-p', json.dumps({'spec': {'version': NEW}}))
    operator.update()
    time.sleep(3)
    print(arguments.scenario, operator.status['lastAttempt']['result'])


main()
