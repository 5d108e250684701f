import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openAuditLog } from '../../../localstack/dev/audit-log.ts';
import { memoryLog } from '../../../shared/adapters/memory/log.ts';
import type { AuditEvent } from '../../../shared/apiserver/audit/event.ts';

let dir: string;
let path: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'audit-'));
  path = join(dir, 'audit.log');
});
afterEach(() => rm(dir, { recursive: true }));

const event = (auditID: string) => ({ kind: 'Event', auditID }) as AuditEvent;
const ids = async (file: string) =>
  (await readFile(file, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).auditID);

describe('the audit log', () => {
  test('holds a line per event, in order, for its owner alone', async () => {
    const audit = await openAuditLog(path, memoryLog());
    for (const id of ['a', 'b', 'c']) audit.write(event(id));
    await audit.close();
    expect(await ids(path)).toEqual(['a', 'b', 'c']);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  test('goes on where it was', async () => {
    for (const id of ['a', 'b']) {
      const audit = await openAuditLog(path, memoryLog());
      audit.write(event(id));
      await audit.close();
    }
    expect(await ids(path)).toEqual(['a', 'b']);
  });

  test('is turned over at its limit; one old file is kept', async () => {
    for (const id of ['a', 'b', 'c']) {
      const audit = await openAuditLog(path, memoryLog(), 10);
      audit.write(event(id));
      await audit.close();
    }
    expect([await ids(path), await ids(`${path}.1`)]).toEqual([['c'], ['b']]);
  });

  test('says when the disk refuses, and goes on', async () => {
    const log = memoryLog();
    const audit = await openAuditLog(join(dir, 'none', 'audit.log'), log);
    audit.write(event('a'));
    await audit.close();
    expect(log.entries.map(({ message }) => message)).toEqual(['audit records could not be written']);
  });
});
