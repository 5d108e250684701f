/**
 * Definitions of well-known operators install, and their objects validate. operator-crds.json holds them without descriptions, under Apache-2.0:
 * cert-manager v1.16.2 (deploy/crds), Argo Rollouts v1.7.2 (manifests/crds), OpenKruise v1.7.0 (config/crd/bases).
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { reconcileCrd } from '../../../functions/sweeper/crd.ts';
import type { KubeObject } from '../../../shared/machinery/object.ts';
import { startTestServer, type TestServer } from './server.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const text = readFileSync(new URL('./operator-crds.json', import.meta.url), 'utf8');
const crds = JSON.parse(text) as KubeObject[];
const nameOf = (crd: KubeObject) => crd.metadata.name ?? '';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
  const { objects, index } = server.medium.store;
  const deps = { objects, index, registry: server.types.registry, clock: server.clock };
  for (const crd of crds) {
    const path = `${DEFINITIONS}/${nameOf(crd)}?fieldManager=helm&force=true`;
    const applied = await server.send('PATCH', path, { body: crd, type: 'application/apply-patch+yaml' });
    expect(applied.code, applied.text.slice(0, 500)).toBe(201);
    await reconcileCrd(deps, { name: nameOf(crd) }, 0);
  }
});
afterAll(() => server.close());

const template = {
  metadata: { labels: { app: 'web' } },
  spec: {
    containers: [{ name: 'main', image: 'nginx:1.27', ports: [{ containerPort: 80 }], resources: { limits: { cpu: '100m' } } }],
  },
};
const selector = { matchLabels: { app: 'web' } };

/** Path, a good object, a part that its schema refuses, and the field that is then named. */
const CASES: readonly [string, KubeObject, object, string][] = [
  [
    'cert-manager.io/v1/namespaces/default/certificates',
    {
      apiVersion: 'cert-manager.io/v1',
      kind: 'Certificate',
      metadata: { name: 'web' },
      spec: {
        secretName: 'web-tls',
        duration: '2160h0m0s',
        dnsNames: ['example.com'],
        privateKey: { algorithm: 'RSA', size: 2048 },
        issuerRef: { name: 'letsencrypt', kind: 'Issuer' },
      },
    },
    { privateKey: { algorithm: 'DSA' } },
    'spec.privateKey.algorithm',
  ],
  [
    'cert-manager.io/v1/namespaces/default/issuers',
    {
      apiVersion: 'cert-manager.io/v1',
      kind: 'Issuer',
      metadata: { name: 'letsencrypt' },
      spec: {
        acme: {
          server: 'https://acme.example/directory',
          privateKeySecretRef: { name: 'key' },
          solvers: [{ http01: { ingress: { ingressClassName: 'nginx' } } }],
        },
      },
    },
    { acme: { server: 1, privateKeySecretRef: { name: 'key' } } },
    'spec.acme.server',
  ],
  [
    'argoproj.io/v1alpha1/namespaces/default/rollouts',
    {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Rollout',
      metadata: { name: 'web' },
      spec: {
        replicas: 3,
        selector,
        template,
        strategy: { canary: { maxSurge: '25%', steps: [{ setWeight: 20 }, { pause: { duration: '1h' } }] } },
      },
    },
    { replicas: 'three', selector, template },
    'spec.replicas',
  ],
  [
    'apps.kruise.io/v1alpha1/namespaces/default/clonesets',
    {
      apiVersion: 'apps.kruise.io/v1alpha1',
      kind: 'CloneSet',
      metadata: { name: 'web' },
      spec: { replicas: 2, selector, template, updateStrategy: { type: 'InPlaceIfPossible', maxUnavailable: '20%' } },
    },
    { selector, template, updateStrategy: { maxUnavailable: true } },
    'spec.updateStrategy.maxUnavailable',
  ],
];

test('every definition is established', async () => {
  const { items } = (await server.send('GET', DEFINITIONS)).json();
  expect(items).toHaveLength(crds.length);
  for (const { metadata, status } of items as KubeObject[])
    expect(status.conditions.find(({ type }: { type: string }) => type === 'Established').status, metadata.name).toBe('True');
});

describe.each(CASES)('%s', (path, object, wrong, field) => {
  test('takes a good object and shows it', async () => {
    const created = await server.send('POST', `/apis/${path}?fieldValidation=Strict`, { body: object });
    expect(created.code, created.text).toBe(201);
    expect(created.json().spec).toMatchObject(object.spec);
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const table = (await server.send('GET', `/apis/${path}`, { accept })).json();
    expect(table.rows[0].cells[0]).toBe(object.metadata.name);
    expect(table.rows[0].cells).toHaveLength(table.columnDefinitions.length);
  });

  test('refuses a bad one', async () => {
    const body = { ...object, metadata: { name: 'bad' }, spec: { ...object.spec, ...wrong } };
    const refused = await server.send('POST', `/apis/${path}`, { body });
    expect(refused.code, refused.text).toBe(422);
    expect(refused.json().details.causes.map((cause: { field: string }) => cause.field)).toContain(field);
  });
});

test('a scalable kind has a scale', async () => {
  const path = '/apis/apps.kruise.io/v1alpha1/namespaces/default/clonesets/web/scale';
  const scaled = await server.send('PATCH', path, { body: { spec: { replicas: 5 } }, type: 'application/merge-patch+json' });
  expect(scaled.json()).toMatchObject({ kind: 'Scale', spec: { replicas: 5 } });
});

test('a definition of two versions serves both', async () => {
  const groups = (await server.send('GET', '/apis/apps.kruise.io')).json();
  expect(groups.versions.map(({ version }: { version: string }) => version)).toEqual(['v1beta1', 'v1alpha1']);
  expect(groups.preferredVersion.version).toBe('v1beta1');
});
