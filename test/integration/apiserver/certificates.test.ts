import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type AccessServer, binding, rbacPath, role, startAccessServer } from './access-server.ts';

const PATH = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const MERGE = 'application/merge-patch+json';
const pem = (type: string, body: string) =>
  Buffer.from(`-----BEGIN ${type}-----\n${Buffer.from(body).toString('base64')}\n-----END ${type}-----\n`).toString('base64');
const CERTIFICATE = pem('CERTIFICATE', 'x');

let server: AccessServer;
let count = 0;
let name: string;
beforeAll(async () => {
  server = await startAccessServer();
  const csr = {
    apiGroups: ['certificates.k8s.io'],
    resources: ['certificatesigningrequests', 'certificatesigningrequests/*'],
    verbs: ['*'],
  };
  const all = { ...csr, resources: ['*'], verbs: ['get', 'create', 'update', 'patch'] };
  const signers = {
    apiGroups: ['certificates.k8s.io'],
    resources: ['signers'],
    verbs: ['approve'],
    resourceNames: ['example.com/*'],
  };
  await server.create(rbacPath('clusterroles'), role('ClusterRole', 'requests', csr, all));
  await server.create(
    rbacPath('clusterrolebindings'),
    binding('ClusterRoleBinding', 'requests', 'ClusterRole/requests', 'User ann', 'User bob'),
  );
  await server.create(rbacPath('clusterroles'), role('ClusterRole', 'approver', signers));
  await server.create(
    rbacPath('clusterrolebindings'),
    binding('ClusterRoleBinding', 'approver', 'ClusterRole/approver', 'User ann'),
  );
});
afterAll(() => server.close());
beforeEach(() => {
  count += 1;
  name = `r${count}`;
});

const request = (spec: object = {}) => ({
  apiVersion: 'certificates.k8s.io/v1',
  kind: 'CertificateSigningRequest',
  metadata: { name },
  spec: { request: pem('CERTIFICATE REQUEST', 'x'), signerName: 'example.com/signer', usages: ['client auth'], ...spec },
});
const patch = (part: string, body: object, token?: string) =>
  server.send('PATCH', `${PATH}/${name}${part}`, { body, type: MERGE, ...(token ? { token } : {}) });
const approved = { type: 'Approved', status: 'True', reason: 'r' };

describe('a certificate request', () => {
  test("is its maker's, whatever it says, and stays as it was asked", async () => {
    const made = await server.send('POST', PATH, {
      token: 'bob',
      body: request({ username: 'eve', uid: '7', groups: ['g'], extra: { a: ['b'] } }),
    });
    expect(made.json().spec).toMatchObject({ username: 'bob', groups: ['system:authenticated'] });
    expect(Object.keys(made.json().spec)).not.toContain('uid');
    expect(Object.keys(made.json().spec)).not.toContain('extra');
    const changed = await patch('', { spec: { signerName: 'other.com/x' } });
    expect(changed.json().spec).toEqual(made.json().spec);
  });

  test.each<[string, object, string]>([
    [
      'nothing',
      { request: undefined, signerName: undefined, usages: undefined },
      '[spec.request: Invalid value: null: PEM block type must be CERTIFICATE REQUEST, spec.usages: Required value, spec.signerName: Required value]',
    ],
    [
      'a signer without a path',
      { signerName: 'nodomain' },
      'spec.signerName: Invalid value: "nodomain": must be a fully qualified domain and path of the form \'example.com/signer-name\'',
    ],
    [
      'the legacy signer',
      { signerName: 'kubernetes.io/legacy-unknown' },
      'spec.signerName: Invalid value: "kubernetes.io/legacy-unknown": the legacy signerName is not allowed via this API version',
    ],
    ['a use twice', { usages: ['any', 'any'] }, 'spec.usages[1]: Duplicate value: "any"'],
    [
      'a moment',
      { expirationSeconds: 1 },
      'spec.expirationSeconds: Invalid value: 1: may not specify a duration less than 600 seconds (10 minutes)',
    ],
  ])('for %s is invalid', async (_name, spec, why) => {
    const answer = await server.send('POST', PATH, { body: request(spec) });
    expect(answer.json()).toMatchObject({
      code: 422,
      message: `CertificateSigningRequest.certificates.k8s.io "${name}" is invalid: ${why}`,
    });
  });

  test('for masters is not taken', async () => {
    const spec = { signerName: 'kubernetes.io/kube-apiserver-client', request: pem('CERTIFICATE REQUEST', 'O=system:masters') };
    const answer = await server.send('POST', PATH, { body: request(spec) });
    expect(answer.json()).toMatchObject({
      code: 403,
      message: `certificatesigningrequests.certificates.k8s.io "${name}" is forbidden: use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed`,
    });
  });

  test('is approved through /approval, which changes nothing else', async () => {
    await server.create(PATH, request());
    const answer = await patch('/approval', { status: { conditions: [approved], certificate: CERTIFICATE } });
    const time = '2026-01-01T00:00:00Z';
    expect(answer.json().status).toEqual({ conditions: [{ ...approved, lastUpdateTime: time, lastTransitionTime: time }] });
  });

  test.each<[string, object[], string]>([
    ['without a status', [{ type: 'Approved' }], 'status.conditions[0].status: Required value'],
    [
      'as not true',
      [{ type: 'Denied', status: 'False' }],
      'status.conditions[0].status: Unsupported value: "False": supported values: "True"',
    ],
    [
      'both ways',
      [approved, { type: 'Denied', status: 'True' }],
      'status.conditions: Invalid value: "Denied": Approved and Denied conditions are mutually exclusive',
    ],
  ])('is not judged %s', async (_name, conditions, why) => {
    await server.create(PATH, request());
    const answer = await patch('/approval', { status: { conditions } });
    expect(answer.json().message).toBe(`CertificateSigningRequest.certificates.k8s.io "${name}" is invalid: ${why}`);
  });

  test('keeps its verdict', async () => {
    await server.create(PATH, request());
    await patch('/approval', { status: { conditions: [approved] } });
    const answer = await patch('/approval', { status: { conditions: [] } });
    expect(answer.json().message).toContain(
      'status.conditions: Forbidden: updates may not remove a condition of type "Approved"',
    );
  });

  test('is not judged through /status', async () => {
    await server.create(PATH, request());
    const answer = await patch('/status', { status: { conditions: [approved] } });
    expect(answer.json().message).toContain('status.conditions: Forbidden: updates may not add a condition of type "Approved"');
  });

  test('is signed once', async () => {
    await server.create(PATH, request());
    expect((await patch('/status', { status: { certificate: 'Zm9v' } })).json().message).toContain(
      'must contain at least one CERTIFICATE PEM block',
    );
    expect((await patch('/status', { status: { certificate: CERTIFICATE } })).code).toBe(200);
    expect((await patch('/status', { status: { certificate: null } })).json().message).toContain(
      'updates may not modify existing certificate content',
    );
  });

  test('is judged by who may approve for its signer, or for all of a domain', async () => {
    await server.create(PATH, request());
    const message = `certificatesigningrequests.certificates.k8s.io "${name}" is forbidden: user not permitted to approve requests with signerName "example.com/signer"`;
    expect((await patch('/approval', { status: { conditions: [approved] } }, 'bob')).json()).toMatchObject({
      code: 403,
      message,
    });
    expect((await patch('/approval', { status: { conditions: [approved] } }, 'ann')).code).toBe(200);
    expect((await patch('/status', { status: { certificate: CERTIFICATE } }, 'ann')).json().message).toContain(
      'user not permitted to sign requests',
    );
  });
});
