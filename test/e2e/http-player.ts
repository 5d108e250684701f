/** The player without kubectl: the requests that kubectl makes, written out. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { parseYaml, parseYamlDocuments } from '../../shared/machinery/codec/yaml.ts';
import type { KubeObject } from '../../shared/machinery/object.ts';
import { eventually, type Player, type Row } from './player.ts';

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
const APPLY = 'application/apply-patch+yaml';
/** Where the resources of the walkthrough are served; all of them in namespace default, or cluster-scoped. */
const PATHS: Record<string, string> = {
  deploy: '/apis/apps/v1/namespaces/default/deployments',
  pods: '/api/v1/namespaces/default/pods',
  cm: '/api/v1/namespaces/default/configmaps',
  events: '/api/v1/namespaces/default/events',
  fcluster: '/apis/core.kubeadmiral.io/v1alpha1/federatedclusters',
  federatedobjects: '/apis/core.kubeadmiral.io/v1alpha1/namespaces/default/federatedobjects',
  collectedstatuses: '/apis/core.kubeadmiral.io/v1alpha1/namespaces/default/collectedstatuses',
};
const PLURALS: Record<string, string> = {
  Deployment: PATHS.deploy ?? '',
  ConfigMap: PATHS.cm ?? '',
  PropagationPolicy: '/apis/core.kubeadmiral.io/v1alpha1/namespaces/default/propagationpolicies',
  OverridePolicy: '/apis/core.kubeadmiral.io/v1alpha1/namespaces/default/overridepolicies',
};

type Endpoint = { server: string; token: string; agent: Agent };
type Call = { method: string; path: string; body?: string; type?: string; accept?: string };

export async function httpPlayer(kubeconfig: string, cwd: string): Promise<Player> {
  const endpoints = await readEndpoints(kubeconfig);
  const call = async (
    context: string | undefined,
    { method, path, body, type = 'application/json', accept = 'application/json' }: Call,
  ) => {
    const endpoint = endpoints.get(context ?? '');
    if (!endpoint) throw new Error(`the kubeconfig has no context ${context}`);
    const headers = {
      authorization: `Bearer ${endpoint.token}`,
      accept,
      ...(body === undefined ? {} : { 'content-type': type }),
    };
    const response = await request(`${endpoint.server}${path}`, {
      method: method as 'GET',
      headers,
      dispatcher: endpoint.agent,
      ...(body === undefined ? {} : { body }),
    });
    return { status: response.statusCode, text: await response.body.text() };
  };
  const must = async (wanted: Call, context?: string): Promise<KubeObject> => {
    const { status, text } = await call(context, wanted);
    if (status >= 300) throw new Error(`${wanted.method} ${wanted.path}: ${status} ${text}`);
    return JSON.parse(text) as KubeObject;
  };
  const pathOf = (resource: string, name?: string) => `${PATHS[resource] ?? resource}${name ? `/${name}` : ''}`;
  const object = async (resource: string, name: string, context?: string) => {
    const { status, text } = await call(context, { method: 'GET', path: pathOf(resource, name) });
    return status === 404 ? undefined : (JSON.parse(text) as KubeObject);
  };
  const documents = async (file: string) =>
    parseYamlDocuments(await readFile(join(cwd, file), 'utf8')) as unknown as KubeObject[];
  const applied = (entry: KubeObject, dryRun: string) =>
    must({
      method: 'PATCH',
      path: `${PLURALS[entry.kind]}/${entry.metadata.name}?fieldManager=kubectl&fieldValidation=Strict&force=true${dryRun}`,
      type: APPLY,
      body: JSON.stringify(entry),
    });
  const change = (resource: string, name: string, type: string, patch: object) =>
    must({ method: 'PATCH', path: pathOf(resource, name), type, body: JSON.stringify(patch) });
  const rows = async (resource: string, options: { context?: string; name?: string } = {}): Promise<Row[]> =>
    tableRows(await must({ method: 'GET', path: pathOf(resource, options.name), accept: TABLE }, options.context));
  const condition = (deployment: KubeObject | undefined, type: string) =>
    ((deployment?.status?.conditions ?? []) as { type: string; status: string }[]).some(
      (entry) => entry.type === type && entry.status === 'True',
    );
  return {
    name: 'HTTP',
    rows,
    object,
    apply: async (file) => {
      for (const entry of await documents(file)) await applied(entry, '');
      return '';
    },
    createDeployment: async (name, image) => {
      const labels = { app: name };
      const spec = {
        replicas: 1,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name, image }] } },
      };
      await must({
        method: 'POST',
        path: pathOf('deploy'),
        body: JSON.stringify({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, labels }, spec }),
      });
    },
    scale: async (deployment, replicas) =>
      void (await must({
        method: 'PATCH',
        path: `${pathOf('deploy', deployment)}/scale`,
        type: 'application/merge-patch+json',
        body: JSON.stringify({ spec: { replicas } }),
      })),
    label: async (resource, name, key, value) =>
      void (await change(resource, name, 'application/merge-patch+json', { metadata: { labels: { [key]: value } } })),
    patch: async (resource, name, patch) => void (await change(resource, name, 'application/strategic-merge-patch+json', patch)),
    edit: async (resource, name, from, to) => {
      const text = JSON.stringify(await object(resource, name)).replaceAll(from, to);
      await must({ method: 'PUT', path: pathOf(resource, name), body: text });
    },
    diff: async (file) => {
      for (const entry of await documents(file)) {
        const live = await must({ method: 'GET', path: `${PLURALS[entry.kind]}/${entry.metadata.name}` });
        const merged = await applied(entry, '&dryRun=All');
        if (JSON.stringify(live.spec ?? live.data) !== JSON.stringify(merged.spec ?? merged.data))
          return { code: 1, text: `${JSON.stringify(live.spec ?? live.data)}\n${JSON.stringify(merged.spec ?? merged.data)}` };
      }
      return { code: 0, text: '' };
    },
    remove: async (resource, name) => {
      await must({ method: 'DELETE', path: pathOf(resource, name), body: '{"propagationPolicy":"Background"}' });
      await eventually(
        `${resource}/${name} is gone`,
        () => object(resource, name),
        (found) => found === undefined,
      );
    },
    rolledOut: async (deployment) =>
      void (await eventually('rolled out', () => object('deploy', deployment), isRolledOut, 60_000)),
    available: async (deployment) =>
      void (await eventually(
        'available',
        () => object('deploy', deployment),
        (found) => condition(found, 'Available'),
        60_000,
      )),
    watchReady: async (deployment, until) => {
      const seen: string[] = [];
      await eventually(
        `READY ${until}`,
        async () => seen[seen.push((await rows('deploy', { name: deployment }))[0]?.READY ?? '') - 1],
        (ready) => ready === until,
        60_000,
      );
      return seen;
    },
    describe: async (_resource, name) => {
      const events = await must({ method: 'GET', path: `${PATHS.events}?fieldSelector=involvedObject.name%3D${name}` });
      return (events.items as { type: string; reason: string; message: string }[])
        .map(({ type, reason, message }) => `${type}  ${reason}  lamiral  ${message}`)
        .join('\n');
    },
  };
}

function isRolledOut(deployment: KubeObject | undefined): boolean {
  const status = deployment?.status ?? {};
  const replicas = deployment?.spec.replicas;
  return (
    status.observedGeneration >= (deployment?.metadata.generation ?? 1) &&
    status.updatedReplicas === replicas &&
    status.replicas === replicas &&
    status.availableReplicas === replicas
  );
}

function tableRows(table: KubeObject): Row[] {
  const names = (table.columnDefinitions as { name: string }[]).map(({ name }) => name.toUpperCase());
  return (table.rows as { cells: unknown[] }[]).map(({ cells }) =>
    Object.fromEntries(cells.map((cell, i) => [names[i] ?? '', String(cell)])),
  );
}

type Kubeconfig = {
  clusters: { name: string; cluster: { server: string; 'certificate-authority-data': string } }[];
  users: { name: string; user: { token: string } }[];
  'current-context': string;
};

async function readEndpoints(path: string): Promise<Map<string, Endpoint>> {
  const config = parseYaml(await readFile(path, 'utf8')) as unknown as Kubeconfig;
  const endpoints = new Map<string, Endpoint>();
  for (const { name, cluster } of config.clusters) {
    const token = config.users.find((user) => user.name === name)?.user.token ?? '';
    const ca = Buffer.from(cluster['certificate-authority-data'], 'base64').toString();
    const endpoint = { server: cluster.server, token, agent: new Agent({ connect: { ca } }) };
    endpoints.set(name, endpoint);
    if (name === config['current-context']) endpoints.set('', endpoint);
  }
  return endpoints;
}
