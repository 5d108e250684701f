/**
 * Records what a real kube-apiserver answers to crd-probes.ts, into crd-probes.json: `node record-crd-probes.ts URL TOKEN` against an empty one that
 * is trusted (NODE_EXTRA_CA_CERTS). It makes and deletes `widgets.example.com`.
 */
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { crdBody } from './crd-bodies.ts';
import { BAD_DEFINITIONS, BAD_INSTANCES, INSTANCE_SCHEMA } from './crd-probes.ts';

const [url = '', token = ''] = process.argv.slice(2);
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const WIDGETS = '/apis/example.com/v1/namespaces/default/widgets';

async function send(method: string, path: string, body?: object) {
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const { message, reason, details } = (await answer.json()) as {
    message?: string;
    reason?: string;
    details?: { causes?: object[] };
  };
  return { code: answer.status, message, reason, causes: details?.causes };
}

const definitions: Record<string, object> = {};
for (const [name, body] of Object.entries(BAD_DEFINITIONS))
  definitions[name] = await send('POST', `${DEFINITIONS}?dryRun=All`, body);
await send('POST', DEFINITIONS, crdBody({ schema: INSTANCE_SCHEMA }));
await sleep(4000);
const instances: Record<string, object> = {};
for (const [name, spec] of Object.entries(BAD_INSTANCES)) {
  const body = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'x' }, spec };
  instances[name] = await send('POST', `${WIDGETS}?dryRun=All`, body);
}
await send('DELETE', `${DEFINITIONS}/widgets.example.com`);
writeFileSync(new URL('./crd-probes.json', import.meta.url), `${JSON.stringify({ definitions, instances }, undefined, 1)}\n`);
