import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { temporarySigner } from '../../../shared/adapters/keys/file-signer.ts';
import { createVerifier } from '../../../shared/adapters/keys/verify.ts';
import { legacyTokenClaims } from '../../../shared/apis/accounts/legacy.ts';
import { joinJwt, jwtSigningInput, parseJwt } from '../../../shared/machinery/jwt.ts';
import type { JsonObject } from '../../../shared/machinery/object.ts';
import type { Signer } from '../../../shared/ports/signer.ts';
import { type AccessServer, binding, rbacPath, startAccessServer } from './access-server.ts';
import { START } from './server.ts';

const ISSUER = 'https://kubernetes.default.svc.cluster.local';
const ACCOUNTS = '/api/v1/namespaces/default/serviceaccounts';
const REVIEWS = '/apis/authentication.k8s.io/v1/tokenreviews';
const MINUTE = 60_000;

let server: AccessServer;
let uid: string;
beforeEach(async () => {
  server = await startAccessServer();
  uid = (await server.create(ACCOUNTS, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot' } })).json().metadata
    .uid;
});
afterEach(() => server.close());

const request = (spec: object, metadata: object = {}) => ({
  apiVersion: 'authentication.k8s.io/v1',
  kind: 'TokenRequest',
  metadata,
  spec,
});
const ask = (spec: object, metadata?: object, account = 'robot') =>
  server.send('POST', `${ACCOUNTS}/${account}/token`, { body: request(spec, metadata) });

async function tokenFor(spec: object = {}): Promise<string> {
  const answer = await ask(spec);
  expect(answer.code, answer.text).toBe(201);
  return answer.json().status.token;
}

async function review(token: string, audiences?: string[]) {
  const body = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenReview',
    spec: { token, ...(audiences ? { audiences } : {}) },
  };
  return (await server.create(REVIEWS, body)).json().status;
}

/** Listing what nobody may list: 403 says that the token was believed, 401 that it was not. */
const use = async (token: string) => (await server.send('GET', '/api/v1/secrets', { token })).code;

async function signed(signer: Signer, claims: JsonObject, header: JsonObject = {}): Promise<string> {
  const input = jwtSigningInput({ alg: signer.algorithm, kid: signer.keyId, ...header }, claims);
  return joinJwt(input, await signer.sign(Buffer.from(input)));
}

/** Claims of a token that this server would issue now. */
function claims(over: JsonObject = {}): JsonObject {
  const now = START / 1000;
  const own = { namespace: 'default', serviceaccount: { name: 'robot', uid } };
  return {
    aud: [ISSUER],
    exp: now + 3600,
    iat: now,
    nbf: now,
    iss: ISSUER,
    jti: 'id',
    'kubernetes.io': own,
    sub: 'system:serviceaccount:default:robot',
    ...over,
  };
}

describe('TokenRequest', () => {
  test('issues what upstream issues', async () => {
    const answer = await ask({});
    expect(answer.json()).toMatchObject({
      kind: 'TokenRequest',
      metadata: { name: 'robot', namespace: 'default', uid, creationTimestamp: '2026-01-01T00:00:00Z' },
      spec: { audiences: [ISSUER], expirationSeconds: 3600, boundObjectRef: null },
      status: { expirationTimestamp: '2026-01-01T01:00:00Z' },
    });
    const parsed = parseJwt(answer.json().status.token);
    expect(parsed?.header).toEqual({ alg: 'ES256', kid: server.signer.keyId });
    expect(parsed?.claims).toEqual(claims({ jti: parsed?.claims.jti ?? '' }));
  });

  test.each([
    [
      'too short',
      { expirationSeconds: 1 },
      undefined,
      422,
      'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 1: may not specify a duration less than 10 minutes',
    ],
    ['no number', { expirationSeconds: 'soon' }, undefined, 400, 'spec.expirationSeconds must be an integer'],
    [
      'another name',
      {},
      { name: 'x' },
      422,
      'TokenRequest.authentication.k8s.io "robot" is invalid: metadata.name: Invalid value: "x": must match the service account name if specified',
    ],
    [
      'another kind of object',
      { boundObjectRef: { kind: 'ConfigMap', apiVersion: 'v1', name: 'x' } },
      undefined,
      400,
      'cannot bind token to object of type /v1, Kind=ConfigMap',
    ],
    [
      'an object that is not there',
      { boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 'x' } },
      undefined,
      404,
      'secrets "x" not found',
    ],
  ])('%s is refused', async (_name, spec, metadata, code, message) => {
    expect((await ask(spec, metadata)).json()).toMatchObject({ code, message });
  });

  test('of another uid, of an account that is not there', async () => {
    const message = `Operation cannot be fulfilled on TokenRequest.authentication.k8s.io "robot": the UID in the token request (x) does not match the UID of the service account (${uid})`;
    expect((await ask({}, { uid: 'x' })).json()).toMatchObject({ code: 409, message });
    expect((await ask({}, {}, 'none')).json()).toMatchObject({ code: 404, message: 'serviceaccounts "none" not found' });
  });

  test('takes a right of its own', async () => {
    const answer = await server.send('POST', `${ACCOUNTS}/robot/token`, { token: 'alice', body: request({}) });
    expect(answer.json().message).toBe(
      'serviceaccounts "robot" is forbidden: User "alice" cannot create resource "serviceaccounts/token" in API group "" in the namespace "default"',
    );
  });
});

describe('a token', () => {
  test('stands for its account', async () => {
    const token = await tokenFor();
    const status = await review(token);
    const id = parseJwt(token)?.claims.jti;
    expect(status).toEqual({
      authenticated: true,
      user: {
        username: 'system:serviceaccount:default:robot',
        uid,
        groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
        extra: { 'authentication.kubernetes.io/credential-id': [`JTI=${id}`] },
      },
      audiences: [ISSUER],
    });
  });

  test('has the rights of its account', async () => {
    const token = await tokenFor();
    expect(await use(token)).toBe(403);
    await server.create(
      rbacPath('clusterrolebindings'),
      binding('ClusterRoleBinding', 'robot', 'ClusterRole/cluster-admin', 'ServiceAccount default/robot'),
    );
    expect(await use(token)).toBe(200);
  });

  test('ends a minute after its time, and no later', async () => {
    const token = await tokenFor({ expirationSeconds: 600 });
    await server.clock.advance(11 * MINUTE);
    expect(await use(token)).toBe(403);
    await server.clock.advance(1000);
    expect(await use(token)).toBe(401);
    expect(await review(token)).toEqual({ user: {}, error: '[invalid bearer token, service account token has expired]' });
  });

  test('ends with its account, and is no token of the next one of that name', async () => {
    const token = await tokenFor();
    expect(await use(token)).toBe(403);
    await server.send('DELETE', `${ACCOUNTS}/robot`);
    expect(await use(token)).toBe(401);
    await server.create(ACCOUNTS, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot' } });
    expect(await use(token)).toBe(401);
  });

  test('bound to a Secret ends with it', async () => {
    const secrets = '/api/v1/namespaces/default/secrets';
    await server.create(secrets, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } });
    const token = await tokenFor({ boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 's' } });
    expect(await use(token)).toBe(403);
    await server.send('DELETE', `${secrets}/s`);
    expect(await use(token)).toBe(401);
  });

  test('for another audience is good there alone', async () => {
    const token = await tokenFor({ audiences: ['vault'] });
    expect(await use(token)).toBe(401);
    expect(await review(token, ['vault', 'x'])).toMatchObject({ authenticated: true, audiences: ['vault'] });
    expect(await review(token)).toEqual({
      user: {},
      error: `[invalid bearer token, token audiences ["vault"] is invalid for the target audiences ["${ISSUER}"]]`,
    });
  });

  test('of a Secret is good while the Secret holds it', async () => {
    const secrets = '/api/v1/namespaces/default/secrets';
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot', namespace: 'default', uid } };
    const token = await signed(server.signer, legacyTokenClaims(account, 'old'));
    expect(await use(token)).toBe(401);
    const data = { token: Buffer.from(token).toString('base64') };
    await server.create(secrets, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'old' }, data });
    expect(await use(token)).toBe(403);
    await server.send('PATCH', `${secrets}/old`, { type: 'application/merge-patch+json', body: { data: { token: 'eA==' } } });
    expect(await use(token)).toBe(401);
  });
});

describe('U02 forged tokens', () => {
  const none = (header: JsonObject, body: JsonObject) => `${jwtSigningInput(header, body)}.`;
  test.each<[string, (signer: Signer) => Promise<string> | string, number]>([
    ['ours, to compare with', (signer) => signed(signer, claims()), 403],
    ['alg none without a signature', () => none({ alg: 'none' }, claims()), 401],
    ['alg none with one', async (signer) => signed(signer, claims(), { alg: 'none' }), 401],
    ['alg HS256', (signer) => signed(signer, claims(), { alg: 'HS256' }), 401],
    ['alg RS256 over our key', (signer) => signed(signer, claims(), { alg: 'RS256' }), 401],
    ['the key of another', () => signed(temporarySigner(), claims()), 401],
    ['the key of another under our name', (signer) => signed(temporarySigner(), claims(), { kid: signer.keyId }), 401],
    ['a kid that is a path', (signer) => signed(signer, claims(), { kid: '../../etc/passwd' }), 401],
    ['no kid', (signer) => signed(signer, claims(), { kid: null }), 401],
    [
      'its own key in the header',
      (signer) => signed(temporarySigner(), claims(), { kid: signer.keyId, jwk: { kty: 'EC' }, jku: 'https://evil' }),
      401,
    ],
    ['another issuer', (signer) => signed(signer, claims({ iss: 'https://evil' })), 401],
    ['another audience', (signer) => signed(signer, claims({ aud: ['x'] })), 401],
    ["no audience counts as this server's", (signer) => signed(signer, claims({ aud: [] })), 403],
    ['not before, within the leeway', (signer) => signed(signer, claims({ nbf: START / 1000 + 60 })), 403],
    ['not before, beyond it', (signer) => signed(signer, claims({ nbf: START / 1000 + 61 })), 401],
    ['expired, within the leeway', (signer) => signed(signer, claims({ exp: START / 1000 - 60 })), 403],
    ['expired, beyond it', (signer) => signed(signer, claims({ exp: START / 1000 - 61 })), 401],
    ['issued in the future', (signer) => signed(signer, claims({ iat: START / 1000 + 61 })), 401],
    [
      "another account's uid",
      (signer) =>
        signed(signer, claims({ 'kubernetes.io': { namespace: 'default', serviceaccount: { name: 'robot', uid: 'x' } } })),
      401,
    ],
    ['no account', (signer) => signed(signer, claims({ 'kubernetes.io': null })), 401],
    ['a truncated signature', async (signer) => (await signed(signer, claims())).slice(0, -2), 401],
    ['claims that are no object', async (signer) => signed(signer, [] as never), 401],
  ])('%s', async (_name, make, code) => {
    expect(await use(await make(server.signer))).toBe(code);
  });
});

describe('issuer documents', () => {
  test('lead to keys that verify', async () => {
    const token = await tokenFor();
    const discovery = await server.send('GET', '/.well-known/openid-configuration', { token });
    expect(discovery.json()).toEqual({
      issuer: ISSUER,
      jwks_uri: 'https://test/openid/v1/jwks',
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
    });
    const keys = await server.send('GET', '/openid/v1/jwks', { token });
    expect(keys.headers.get('content-type')).toBe('application/jwk-set+json');
    expect(keys.headers.get('cache-control')).toBe('public, max-age=3600');
    const parsed = parseJwt(token);
    const [key] = keys.json().keys;
    expect(parsed && createVerifier()(key, parsed.signed, parsed.signature)).toBe(true);
    expect(Object.keys(key)).not.toContain('d');
  });

  test('are for ServiceAccounts', async () => {
    expect((await server.send('GET', '/openid/v1/jwks', { token: 'alice' })).code).toBe(403);
    expect((await server.send('GET', '/openid/v1/jwks', { token: '' })).code).toBe(401);
  });
});

describe('TokenReview', () => {
  test.each([
    ['an unknown token', 'garbage!', { user: {}, error: 'invalid bearer token' }],
    [
      'a static one',
      'alice:devs',
      { authenticated: true, user: { username: 'alice', groups: ['devs', 'system:authenticated'] }, audiences: [ISSUER] },
    ],
  ])('%s', async (_name, token, want) => {
    expect(await review(token)).toEqual(want);
  });

  test('without a token', async () => {
    const answer = await server.send('POST', REVIEWS, {
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: {} },
    });
    expect(answer.json()).toMatchObject({ code: 400, message: 'token is required for TokenReview in authentication' });
  });
});
