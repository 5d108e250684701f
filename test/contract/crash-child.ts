/**
 * Writes and sends until it is killed, one line on standard output for everything that was acknowledged. Run by sqlite-crash.test.ts:
 * `node crash-child.ts FILE ROUND`. Every third object is updated, every fifth deleted; a few writers run side by side so that commits are shared.
 */
import { writeSync } from 'node:fs';
import { systemClock } from '../../shared/adapters/memory/clock.ts';
import { openSqlite } from '../../shared/adapters/sqlite/open.ts';
import { create, put, remove, update } from './objects.ts';

const WRITERS = 4;
const OBJECTS_MAX = 100_000;

const [path = '', round = ''] = process.argv.slice(2);
const { store, queue } = openSqlite({ path, durability: 'full', clock: systemClock() });
/** At once, so that the parent has it even when the kill comes next. */
const tell = (line: string) => writeSync(1, `${line}\n`);

async function writeMany(writer: number): Promise<void> {
  for (let i = 0; i < OBJECTS_MAX; i += 1) {
    const name = `r${round}-w${writer}-${i}`;
    const body = `"${'x'.repeat(500 + (i % 7) * 700)}"`;
    let version = await put(store, create({ name, body }));
    tell(`object ${name} ${version}`);
    if (i % 3 === 0) {
      version = await put(store, update(version, { name, body: '"2"' }));
      tell(`object ${name} ${version}`);
    }
    if (i % 5 === 0) {
      await put(store, remove(version, { name }));
      tell(`gone ${name}`);
    }
    await queue.send([{ queue: 'work', groupId: name, dedupeId: name, body: name }]);
    tell(`message ${name}`);
    await store.records.write([{ owner: name, cluster: 'eu', body: '1', expected: 0 }]);
    tell(`record ${name}`);
  }
}

tell('ready');
await Promise.all(Array.from({ length: WRITERS }, (_, writer) => writeMany(writer)));
