import { describe, expect, test } from 'vitest';
import type { MemberClient } from '../../../shared/ports/member-client.ts';
import { createMemberDescriptions } from '../../../shared/runtime/descriptions.ts';

/** A member that has prose, or none; `silent` ends it. */
function member(cluster: string, description: string | undefined) {
  let isSilent = false;
  const asked: string[] = [];
  const silence = () => {
    isSilent = true;
  };
  const client = {
    version: async () => ({ type: 'ok', value: 'v1.30.0' }) as const,
    openApi: async (path: string) => {
      asked.push(path);
      if (isSilent) return { type: 'unreachable', reason: 'timeout', message: 'no answer' } as const;
      const type = description === undefined ? {} : { description };
      return { type: 'ok', value: { components: { schemas: { 'io.k8s.api.scheduling.v1.PriorityClass': type } } } } as const;
    },
  } as unknown as MemberClient;
  return { asked, cluster, connect: async () => client, silence };
}

describe('descriptions from a member', () => {
  test('the first member with prose is kept; one that has structure only is passed over', async () => {
    const descriptions = createMemberDescriptions();
    expect([descriptions.version(), await descriptions.document('apis/apps/v1')]).toEqual(['', undefined]);
    const [bare, full, other] = [member('bare', undefined), member('full', 'text'), member('other', 'text')];
    await descriptions.look([bare, full, other]);
    expect(descriptions.version()).toBe('full/v1.30.0');
    expect(other.asked).toEqual([]);
    await descriptions.document('apis/apps/v1');
    expect(full.asked.at(-1)).toBe('apis/apps/v1');
  });

  test('a member that falls silent or goes is forgotten, another one is not', async () => {
    const descriptions = createMemberDescriptions();
    const full = member('full', 'text');
    await descriptions.look([full]);
    descriptions.drop('other');
    expect(descriptions.version()).not.toBe('');
    full.silence();
    expect([await descriptions.document('api/v1'), descriptions.version()]).toEqual([undefined, '']);
  });

  test('a member that cannot be reached is passed over', async () => {
    const descriptions = createMemberDescriptions();
    await descriptions.look([{ cluster: 'away', connect: async () => undefined }]);
    expect(descriptions.version()).toBe('');
  });
});
