/** Asks a real kube-apiserver about every policy of policy-probes.ts and writes recorded/policies.json: `node record-policies.ts KUBECONFIG`. */
import { writeFileSync } from 'node:fs';
import { KubeConfig } from '@kubernetes/client-node';
import { Agent, request } from 'undici';
import { PROBES, type ProbeAnswer, probeObjects } from './policy-probes.ts';

const config = new KubeConfig();
config.loadFromFile(process.argv[2] ?? '');
const cluster = config.getCurrentCluster();
const user = config.getCurrentUser();
const pem = (data: string | undefined) => (data ? Buffer.from(data, 'base64').toString() : undefined);
const connect = { ca: pem(cluster?.caData), cert: pem(user?.certData), key: pem(user?.keyData) };
const dispatcher = new Agent({ connect: connect as never });

async function send(method: 'POST' | 'DELETE', path: string, body?: unknown): Promise<ProbeAnswer> {
  const response = await request(`${cluster?.server}${path}`, {
    method,
    dispatcher,
    headers: { 'content-type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
  });
  // biome-ignore lint/suspicious/noExplicitAny: an answer of somebody else
  const { reason, message, details } = (await response.body.json()) as any;
  const warning = response.headers.warning;
  const code = response.statusCode;
  return code < 300
    ? { code, ...(warning ? { warning: String(warning) } : {}) }
    : { code, reason, message, causes: details?.causes };
}

const API = '/apis/admissionregistration.k8s.io/v1';
const names = Object.keys(PROBES).map((_key, index) => `probe-${index}`);
for (const [index, probe] of Object.values(PROBES).entries()) {
  const { policy, binding } = probeObjects(names[index] ?? '', probe);
  const made = await send('POST', `${API}/validatingadmissionpolicies`, policy);
  if (made.code !== 201) throw new Error(made.message);
  const bound = await send('POST', `${API}/validatingadmissionpolicybindings`, binding);
  if (bound.code !== 201) throw new Error(bound.message);
}
await new Promise((resolve) => setTimeout(resolve, 10_000));
const recorded: Record<string, ProbeAnswer> = {};
for (const [index, [key, probe]] of Object.entries(PROBES).entries())
  recorded[key] = await send(
    'POST',
    '/api/v1/namespaces/default/configmaps?dryRun=All',
    probeObjects(names[index] ?? '', probe).object,
  );
for (const name of names) {
  await send('DELETE', `${API}/validatingadmissionpolicybindings/${name}`);
  await send('DELETE', `${API}/validatingadmissionpolicies/${name}`);
}
writeFileSync(new URL('recorded/policies.json', import.meta.url), `${JSON.stringify(recorded, null, 1)}\n`);
await dispatcher.close();
