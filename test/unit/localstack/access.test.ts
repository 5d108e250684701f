import { describe, expect, test } from 'vitest';
import { ADMIN, mastersOnly, staticTokens } from '../../../localstack/access.ts';

const authenticate = staticTokens(new Map([['right', ADMIN]]));
const asked = (authorization?: string) =>
  authenticate(new Request('https://x/', authorization === undefined ? {} : { headers: { authorization } }));

describe('static tokens', () => {
  test.each([
    ['the right one', 'Bearer right', ADMIN],
    ['the scheme in another case', 'bearer right', ADMIN],
    ['the right one again', 'Bearer right', ADMIN],
    ['none', undefined, undefined],
    ['a wrong one', 'Bearer wrong', undefined],
    ['a prefix', 'Bearer righ', undefined],
    ['another scheme', 'Basic right', undefined],
    ['an empty one', 'Bearer ', undefined],
    ['a huge one', `Bearer ${'x'.repeat(10_000)}`, undefined],
  ])('%s', async (_name, header, want) => {
    expect(await asked(header)).toEqual(want);
  });
  test('masters may do everything, others nothing', async () => {
    const attributes = {
      user: ADMIN,
      verb: 'get',
      group: '',
      version: 'v1',
      resource: 'pods',
      subresource: '',
      namespace: '',
      name: '',
    };
    expect((await mastersOnly(attributes)).allowed).toBe(true);
    expect((await mastersOnly({ ...attributes, user: { name: 'u', groups: ['system:authenticated'] } })).allowed).toBe(false);
  });
});
