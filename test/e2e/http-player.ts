/** The player without kubectl: the requests that kubectl makes, written out. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { parseYaml, parseYamlDocuments } from '../../shared/machinery/codec/yaml.ts';
import type { KubeObject } from '../../shared/machinery/object.ts';
import { eventually, type Player, type Row } from './player.ts';

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
const APPLY = 'application/apply-patch+yaml';
const MERGE = 'application/merge-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';
const JSON_TYPE = 'application/json';
const WAIT_MS = 60_000;
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

/** The player over HTTP; the kubeconfig's tokens log in. */
export async function httpPlayer(kubeconfig: string, cwd: string): Promise<Player> {
  const http = createHttp(await readEndpoints(kubeconfig));
  const documents = async (file: string) =>
    parseYamlDocuments(await readFile(join(cwd, file), 'utf8')) as unknown as KubeObject[];
  return { name: 'HTTP', rows: http.rows, object: http.object, ...writes(http), ...files(http, documents), ...waits(http) };
}

type Http = ReturnType<typeof createHttp>;

const pathOf = (resource: string, name?: string) => `${PATHS[resource] ?? resource}${name ? `/${name}` : ''}`;

function createHttp(endpoints: ReadonlyMap<string, Endpoint>) {
  const call = async (context: string | undefined, { method, path, body, type = JSON_TYPE, accept = JSON_TYPE }: Call) => {
    const endpoint = endpoints.get(context ?? '');
    if (!endpoint) throw new Error(`the kubeconfig has no context ${context}`);
    const headers = {
      authorization: `Bearer ${endpoint.token}`,
      accept,
      ...(body === undefined ? {} : { 'content-type': type }),
    };
    const options = { method: method as 'GET', headers, dispatcher: endpoint.agent, ...(body === undefined ? {} : { body }) };
    const response = await request(`${endpoint.server}${path}`, options);
    return { status: response.statusCode, text: await response.body.text() };
  };
  const must = async (wanted: Call, context?: string): Promise<KubeObject> => {
    const { status, text } = await call(context, wanted);
    if (status >= 300) throw new Error(`${wanted.method} ${wanted.path}: ${status} ${text}`);
    return JSON.parse(text) as KubeObject;
  };
  const object = async (resource: string, name: string, context?: string) => {
    const { status, text } = await call(context, { method: 'GET', path: pathOf(resource, name) });
    return status === 404 ? undefined : (JSON.parse(text) as KubeObject);
  };
  const rows = async (resource: string, options: { context?: string; name?: string } = {}): Promise<Row[]> =>
    tableRows(await must({ method: 'GET', path: pathOf(resource, options.name), accept: TABLE }, options.context));
  const change = (resource: string, name: string, type: string, patch: object) =>
    must({ method: 'PATCH', path: pathOf(resource, name), type, body: JSON.stringify(patch) });
  return { must, object, rows, change };
}

function writes({
  must,
  object,
  change,
}: Http): Pick<Player, 'createDeployment' | 'scale' | 'label' | 'patch' | 'edit' | 'remove'> {
  return {
    createDeployment: async (name, image) => {
      const labels = { app: name };
      const template = { metadata: { labels }, spec: { containers: [{ name: image.split(':')[0], image }] } };
      const spec = { replicas: 1, selector: { matchLabels: labels }, template };
      const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, labels }, spec };
      await must({ method: 'POST', path: pathOf('deploy'), body: JSON.stringify(deployment) });
    },
    scale: async (deployment, replicas) =>
      void (await change(`${pathOf('deploy', deployment)}/scale`, '', MERGE, { spec: { replicas } })),
    label: async (resource, name, key, value) =>
      void (await change(resource, name, MERGE, { metadata: { labels: { [key]: value } } })),
    patch: async (resource, name, patch) => void (await change(resource, name, STRATEGIC, patch)),
    edit: async (resource, name, from, to) => {
      const live = { ...(await object(resource, name)), status: undefined };
      await must({ method: 'PUT', path: pathOf(resource, name), body: JSON.stringify(live).replaceAll(from, to) });
    },
    remove: async (resource, name) => {
      await must({ method: 'DELETE', path: pathOf(resource, name), body: '{"propagationPolicy":"Background"}' });
      const isGone = (found: KubeObject | undefined) => found === undefined;
      await eventually(`${resource}/${name} is gone`, () => object(resource, name), isGone);
    },
  };
}

function files({ must }: Http, documents: (file: string) => Promise<KubeObject[]>): Pick<Player, 'apply' | 'diff'> {
  const path = ({ kind, metadata }: KubeObject) => `${PLURALS[kind]}/${metadata.name}`;
  const apply = (entry: KubeObject, dryRun: string) =>
    must({
      method: 'PATCH',
      path: `${path(entry)}?fieldManager=kubectl&fieldValidation=Strict&force=true${dryRun}`,
      type: APPLY,
      body: JSON.stringify(entry),
    });
  return {
    apply: async (file) => {
      for (const entry of await documents(file)) await apply(entry, '');
      return '';
    },
    diff: async (file) => {
      for (const entry of await documents(file)) {
        const live = await must({ method: 'GET', path: path(entry) });
        const merged = await apply(entry, '&dryRun=All');
        const [before, after] = [JSON.stringify(live.spec ?? live.data), JSON.stringify(merged.spec ?? merged.data)];
        if (before !== after) return { code: 1, text: `${before}\n${after}` };
      }
      return { code: 0, text: '' };
    },
  };
}

function waits({ must, object, rows }: Http): Pick<Player, 'rolledOut' | 'available' | 'watchReady' | 'describe'> {
  const isAvailable = (deployment: KubeObject | undefined) =>
    ((deployment?.status?.conditions ?? []) as { type: string; status: string }[]).some(
      ({ type, status }) => type === 'Available' && status === 'True',
    );
  return {
    rolledOut: async (name) => void (await eventually('rolled out', () => object('deploy', name), isRolledOut, WAIT_MS)),
    available: async (name) => void (await eventually('available', () => object('deploy', name), isAvailable, WAIT_MS)),
    watchReady: async (name, until) => {
      const seen: string[] = [];
      const look = async () => {
        seen.push((await rows('deploy', { name }))[0]?.READY ?? '');
        return seen.at(-1);
      };
      await eventually(`READY ${until}`, look, (ready) => ready === until, WAIT_MS);
      return seen;
    },
    describe: async (_resource, name) => {
      const events = await must({ method: 'GET', path: `${PATHS.events}?fieldSelector=involvedObject.name%3D${name}` });
      const lines = (events.items as { type: string; reason: string; message: string }[]).map(
        ({ type, reason, message }) => `${type}  ${reason}  lamiral  ${message}`,
      );
      return lines.join('\n');
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
