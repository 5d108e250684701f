import { generateKeyPairSync, sign } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { createVerifier } from '../../../shared/adapters/keys/verify.ts';
import { type FakeClock, fakeClock } from '../../../shared/adapters/memory/clock.ts';
import { memoryLog } from '../../../shared/adapters/memory/log.ts';
import { type OidcOptions, oidcTokens } from '../../../shared/apiserver/authn/oidc.ts';
import { joinJwt, jwtSigningInput } from '../../../shared/machinery/jwt.ts';
import type { JsonObject } from '../../../shared/machinery/object.ts';

const ISSUER = 'https://idp.example.com';
const START = Date.UTC(2026, 0, 1);
const NOW = START / 1000;
const OPTIONS: OidcOptions = { issuerUrl: ISSUER, clientId: 'lamiral', groupsClaim: 'groups', groupsPrefix: 'oidc:' };

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const other = generateKeyPairSync('rsa', { modulusLength: 2048 });
const jwk = (key: typeof publicKey, kid: string) => ({ ...key.export({ format: 'jwk' }), kid, alg: 'RS256', use: 'sig' });

let clock: FakeClock;
let fetched: string[];
let keys: object[];
let discovery: object;
beforeEach(() => {
  clock = fakeClock(START);
  fetched = [];
  keys = [jwk(publicKey, 'k1')];
  discovery = { issuer: ISSUER, jwks_uri: `${ISSUER}/keys` };
});

function checker(options: Partial<OidcOptions> = {}) {
  const fetchDocument = async (url: string) => {
    fetched.push(url);
    return { type: 'ok', text: JSON.stringify(url.endsWith('/keys') ? { keys } : discovery) } as const;
  };
  const check = oidcTokens({ ...OPTIONS, ...options }, { clock, log: memoryLog(), fetchDocument, verify: createVerifier() });
  return (token: string) => check(token, ['api']);
}

function token(claims: JsonObject = {}, header: JsonObject = {}, key = privateKey): string {
  const body = { iss: ISSUER, aud: 'lamiral', sub: 'jane', exp: NOW + 600, iat: NOW, groups: ['devs'], ...claims };
  const input = jwtSigningInput({ alg: 'RS256', kid: 'k1', ...header }, body);
  return joinJwt(input, sign('sha256', Buffer.from(input), key));
}

describe('an ID token', () => {
  test('names a user and groups', async () => {
    expect(await checker()(token())).toEqual({
      type: 'known',
      user: { name: `${ISSUER}#jane`, groups: ['oidc:devs', 'system:authenticated'] },
      audiences: ['api'],
    });
  });

  test.each<[string, Partial<OidcOptions>, JsonObject, string]>([
    ['a prefix', { usernamePrefix: 'sso:' }, {}, 'sso:jane'],
    ['no prefix', { usernamePrefix: '-' }, {}, 'jane'],
    ['an address needs none', { usernameClaim: 'email' }, { email: 'j@x.org', email_verified: true }, 'j@x.org'],
    ['another claim', { usernameClaim: 'nick' }, { nick: 'jj' }, `${ISSUER}#jj`],
  ])('%s', async (_name, options, claims, want) => {
    expect(await checker(options)(token(claims))).toMatchObject({ type: 'known', user: { name: want } });
  });

  test.each<[string, Partial<OidcOptions>, JsonObject, string]>([
    ['another audience', {}, { aud: ['x'] }, 'oidc: expected audience "lamiral"'],
    ['expired', {}, { exp: NOW - 61 }, 'oidc: token is expired'],
    ['no end', {}, { exp: null }, 'oidc: token has no expiry'],
    ['not valid yet', {}, { nbf: NOW + 61 }, 'oidc: token is not valid yet'],
    [
      'an address that nobody verified',
      { usernameClaim: 'email' },
      { email: 'a', email_verified: false },
      'oidc: email not verified',
    ],
    ['no user', { usernameClaim: 'nick' }, {}, 'oidc: claim nick is missing or no text'],
    [
      'a user of the system',
      { usernamePrefix: '-' },
      { sub: 'system:admin' },
      "oidc: user names that begin with system: are not the provider's to give",
    ],
    [
      'a claim that must be there',
      { requiredClaims: { hd: 'x' } },
      {},
      'oidc: required claim hd is missing or has another value',
    ],
  ])('%s is refused', async (_name, options, claims, why) => {
    expect(await checker(options)(token(claims))).toEqual({ type: 'refused', why });
  });

  test("groups of the system are not the provider's to give", async () => {
    const groups = ['system:masters', 'ok', 7];
    expect(await checker({ groupsPrefix: '' })(token({ groups }))).toMatchObject({
      user: { groups: ['ok', 'system:authenticated'] },
    });
  });

  test('of another issuer is for others to judge', async () => {
    expect(await checker()(token({ iss: 'https://other' }))).toEqual({ type: 'unknown' });
    expect(fetched).toEqual([]);
  });
});

describe('U02 keys', () => {
  test.each<[string, () => string]>([
    ['the key of another', () => token({}, {}, other.privateKey)],
    ['an algorithm that is not allowed', () => token({}, { alg: 'RS512' })],
    ['none', () => token({}, { alg: 'none' })],
    ['HS256 with the public key', () => token({}, { alg: 'HS256' })],
  ])('%s: refused', async (_name, make) => {
    expect(await checker()(make())).toEqual({ type: 'refused', why: 'oidc: failed to verify signature' });
  });

  test('a storm of unknown keys asks the issuer once in ten seconds', async () => {
    const check = checker();
    for (let i = 0; i < 100; i += 1) await check(token({}, { kid: `k${i + 10}` }));
    expect(fetched.length).toBe(2);
    await clock.advance(10_000);
    await check(token({}, { kid: 'new' }));
    expect(fetched.length).toBe(4);
  });

  test('a key that came is found', async () => {
    const check = checker();
    await check(token());
    keys = [jwk(other.publicKey, 'k2')];
    await clock.advance(10_000);
    expect(await check(token({}, { kid: 'k2' }, other.privateKey))).toMatchObject({ type: 'known' });
  });

  test('keys are read once for many tokens', async () => {
    const check = checker();
    for (let i = 0; i < 10; i += 1) await check(token({ sub: `u${i}` }));
    expect(fetched).toEqual([`${ISSUER}/.well-known/openid-configuration`, `${ISSUER}/keys`]);
  });

  test('a discovery document of another issuer is not believed', async () => {
    discovery = { issuer: 'https://evil', jwks_uri: 'https://evil/keys' };
    expect(await checker()(token())).toMatchObject({ type: 'refused' });
    expect(fetched.length).toBe(1);
  });
});
