/** A session with kubectl, in order: what is printed must not tell our server from a real one. */

const DEPLOYMENT = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: web
        image: nginx:1.27
        ports: [{containerPort: 80}]
        env: [{name: A, value: "1"}]
        resources: {requests: {cpu: 100m, memory: 64Mi}}
`;

/** About twenty kinds, for what is printed of each. */
const KINDS = `apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {a: "1", b: "2"}
---
apiVersion: v1
kind: Secret
metadata: {name: token}
stringData: {a: b}
---
apiVersion: v1
kind: Service
metadata: {name: svc}
spec: {clusterIP: None, selector: {app: web}, ports: [{name: http, port: 80, targetPort: 8080}]}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: robot}
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: disk}
spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], hostPath: {path: /x}}
---
apiVersion: v1
kind: ResourceQuota
metadata: {name: quota}
spec: {hard: {pods: "10"}}
---
apiVersion: v1
kind: LimitRange
metadata: {name: limits}
spec: {limits: [{type: Container, max: {cpu: "2"}}]}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  serviceName: db
  replicas: 1
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: db, image: "postgres:17"}]}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec: {containers: [{name: agent, image: "agent:1"}], nodeSelector: {disk: ssd}}
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: nightly}
spec:
  schedule: "0 3 * * *"
  jobTemplate:
    spec:
      template:
        spec: {restartPolicy: Never, containers: [{name: c, image: "busybox:1"}]}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: site}
spec:
  ingressClassName: nginx
  rules:
  - host: a.example
    http: {paths: [{path: /, pathType: Prefix, backend: {service: {name: svc, port: {number: 80}}}}]}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: closed}
spec: {podSelector: {matchLabels: {app: web}}, policyTypes: [Ingress]}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: budget}
spec: {minAvailable: 1, selector: {matchLabels: {app: web}}}
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: fast}
provisioner: example.com/fast
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader}
rules: [{apiGroups: [""], resources: [pods], verbs: [get, list]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: reader}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader}
subjects: [{kind: ServiceAccount, name: robot, namespace: default}]
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: high}
value: 1000
---
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: leader}
spec: {holderIdentity: me, leaseDurationSeconds: 15}
`;

const SERVER_SIDE = `apiVersion: v1
kind: ConfigMap
metadata: {name: shared}
data: {owner: "1"}
`;

/** Written into the working folder before the session. */
export const FILES: Readonly<Record<string, string>> = {
  'web.yaml': DEPLOYMENT,
  'web2.yaml': DEPLOYMENT.replace('nginx:1.27', 'nginx:1.28').replace('replicas: 2', 'replicas: 3'),
  'kinds.yaml': KINDS,
  'shared.yaml': SERVER_SIDE,
  'shared2.yaml': SERVER_SIDE.replace('"1"', '"2"'),
  'unknown.yaml': DEPLOYMENT.replace('replicas: 2', 'replicas: 2\n  nothing: 1'),
  'wrong.yaml': DEPLOYMENT.replace('replicas: 2', 'replicas: -2'),
  'patch.json': '{"spec":{"template":{"metadata":{"annotations":{"a":"b"}}}}}',
};

const LISTED =
  'deploy sts ds cj cm/settings secret/token svc/svc sa/robot pv quota limits ing netpol pdb sc/fast role/reader rolebinding/reader pc/high lease/leader ns/default'.split(
    ' ',
  );
const DESCRIBED =
  'deploy/web sts/db ds/agent cj/nightly cm/settings secret/token svc/svc sa/robot pv/disk quota/quota limits/limits ing/site netpol/closed pdb/budget sc/fast role/reader rolebinding/reader pc/high lease/leader ns/default hpa/web'.split(
    ' ',
  );

const get = (what: string) => ['get', ...what.replace('/', ' ').split(' ')];

/** In this order: later commands see what earlier ones did. */
export const COMMANDS: readonly (readonly string[])[] = [
  ['api-resources', '--sort-by=name'],
  ['api-resources', '--namespaced=false', '-o', 'wide', '--sort-by=name'],
  ['api-versions'],
  ['version', '-o', 'yaml'],
  ['apply', '-f', 'web.yaml'],
  ['apply', '-f', 'web.yaml'],
  ['diff', '-f', 'web2.yaml'],
  ['apply', '-f', 'web2.yaml', '--dry-run=server'],
  ['apply', '-f', 'web2.yaml'],
  ['apply', '-f', 'unknown.yaml'],
  ['apply', '-f', 'wrong.yaml'],
  ['apply', '-f', 'kinds.yaml'],
  ['apply', '-f', 'kinds.yaml'],
  ['apply', '--server-side', '-f', 'shared.yaml'],
  ['apply', '--server-side', '-f', 'shared2.yaml', '--field-manager=other'],
  ['apply', '--server-side', '-f', 'shared2.yaml', '--field-manager=other', '--force-conflicts'],
  ['apply', '--server-side', '-f', 'web.yaml'],
  ['diff', '--server-side', '-f', 'shared.yaml', '--force-conflicts'],
  ['replace', '-f', 'shared.yaml'],
  ['create', '-f', 'shared.yaml'],
  ['get', 'deploy', 'web', '-o', 'yaml', '--show-managed-fields'],
  ['patch', 'deploy', 'web', '--patch-file', 'patch.json'],
  ['patch', 'deploy', 'web', '--type=merge', '-p', '{"metadata":{"labels":{"x":"y"}}}'],
  ['patch', 'deploy', 'web', '--type=json', '-p', '[{"op":"replace","path":"/spec/replicas","value":4}]'],
  ['patch', 'deploy', 'web', '--type=json', '-p', '[{"op":"remove","path":"/spec/nothing"}]'],
  ['label', 'deploy', 'web', 'tier=front'],
  ['label', 'deploy', 'web', 'tier=back'],
  ['label', 'deploy', 'web', 'tier-'],
  ['label', 'deploy', 'web', 'tier=not allowed'],
  ['annotate', 'deploy', 'web', 'note=hello'],
  ['annotate', 'deploy', 'web', 'note-'],
  ['scale', 'deploy', 'web', '--replicas=5'],
  ['scale', 'deploy', 'web', '--replicas=6', '--current-replicas=5'],
  ['scale', 'deploy', 'web', '--replicas=7', '--current-replicas=5'],
  ['set', 'image', 'deploy/web', 'web=nginx:1.29'],
  ['set', 'env', 'deploy/web', 'B=2'],
  ['set', 'resources', 'deploy/web', '--limits=cpu=200m'],
  ['set', 'serviceaccount', 'deploy/web', 'robot'],
  ['rollout', 'restart', 'deploy/web'],
  ['rollout', 'pause', 'deploy/web'],
  ['rollout', 'resume', 'deploy/web'],
  ['rollout', 'history', 'deploy/web'],
  ['rollout', 'status', 'deploy/web', '--timeout=1s'],
  ['wait', '--for=jsonpath={.spec.replicas}=6', 'deploy/web', '--timeout=5s'],
  ['wait', '--for=condition=Available', 'deploy/web', '--timeout=1s'],
  ['autoscale', 'deploy', 'web', '--min=2', '--max=9', '--cpu=70%'],
  ['expose', 'deploy', 'web', '--port=80', '--cluster-ip=None', '--name=exposed'],
  ['create', 'deployment', 'gen', '--image=nginx', '--replicas=3', '--port=80'],
  ['create', 'configmap', 'gen', '--from-literal=a=b'],
  ['create', 'configmap', 'gen', '--from-literal=a=b'],
  ['create', 'secret', 'generic', 'gen', '--from-literal=a=b'],
  ['create', 'namespace', 'gen'],
  ['create', 'serviceaccount', 'gen'],
  ['create', 'role', 'gen', '--verb=get,list', '--resource=pods,deployments.apps'],
  ['create', 'rolebinding', 'gen', '--role=gen', '--serviceaccount=default:gen'],
  ['create', 'clusterrole', 'gen', '--verb=get', '--resource=nodes'],
  ['create', 'clusterrolebinding', 'gen', '--clusterrole=gen', '--user=me'],
  ['create', 'quota', 'gen', '--hard=pods=3'],
  ['create', 'poddisruptionbudget', 'gen', '--selector=app=web', '--min-available=1'],
  ['create', 'priorityclass', 'gen', '--value=5'],
  ['create', 'ingress', 'gen', '--rule=a.example/=svc:80'],
  ['create', 'service', 'clusterip', 'gen', '--clusterip=None', '--tcp=80:80'],
  ['create', 'cronjob', 'gen', '--image=busybox', '--schedule=* * * * *'],
  ['create', 'namespace', 'Not_A_Name'],
  ...LISTED.map(get),
  ...LISTED.map((what) => [...get(what), '-o', 'wide']),
  ['get', 'deploy,cm', '-l', 'app=web', '--show-labels'],
  ['get', 'cm', 'settings', '-o', 'jsonpath={.data.a}'],
  ['get', 'deploy', 'web', '-o', 'custom-columns=NAME:.metadata.name,N:.spec.replicas'],
  ['get', 'cm', '--field-selector=metadata.name=settings', '-o', 'name'],
  ['get', 'deploy', '--sort-by=.metadata.name', '-A'],
  ['get', 'pods'],
  ['get', 'deploy', 'nothing'],
  ['get', 'nothings'],
  ['get', 'cm', '-l', 'a=-'],
  ['get', 'hpa,svc/exposed,ns/gen,clusterrolebinding/gen', '-o', 'wide'],
  ...DESCRIBED.map((what) => ['describe', what.split('/')[0] ?? '', what.split('/')[1] ?? '']),
  ['describe', 'deploy', 'nothing'],
  ['explain', 'deployment.spec.strategy'],
  ['explain', 'pod.spec.containers.livenessProbe.httpGet'],
  ['explain', 'service', '--recursive'],
  ['explain', 'cronjob.spec.nothing'],
  ['cluster-info'],
  ['events'],
  ['top', 'nodes'],
  ['auth', 'can-i', 'create', 'deployments'],
  ['auth', 'can-i', 'list', 'nodes', '--all-namespaces'],
  ['logs', 'nothing'],
  ['delete', 'cm', 'nothing'],
  ['delete', 'cm', 'nothing', '--ignore-not-found'],
  ['delete', 'cm', 'gen', '--dry-run=server'],
  ['delete', 'deploy', 'gen', '--cascade=orphan', '--wait=false'],
  ['delete', 'cm,secret', 'gen'],
  ['delete', '-f', 'web.yaml'],
  ['delete', 'sa', '-l', 'none=here'],
];
