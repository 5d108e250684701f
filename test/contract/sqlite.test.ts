/** The SQLite adapter against the contracts, in a file and in memory. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fakeClock } from '../../shared/adapters/memory/clock.ts';
import { openMemory } from '../../shared/adapters/memory/open.ts';
import { openSqlite } from '../../shared/adapters/sqlite/open.ts';
import { objectStoreContract } from './object-store.ts';
import { storeListContract } from './store-lists.ts';
import { storeLogContract } from './store-log.ts';
import { workQueueContract } from './work-queue.ts';

const START = Date.parse('2026-01-01T00:00:00Z');

async function openFile() {
  const folder = await mkdtemp(join(tmpdir(), 'lamiral-store-'));
  const clock = fakeClock(START);
  const opened = openSqlite({ path: join(folder, 'store.db'), durability: 'full', clock });
  const close = async () => {
    await opened.close();
    await rm(folder, { recursive: true, force: true });
  };
  return { ...opened, clock, close };
}

async function openInMemory() {
  const clock = fakeClock(START);
  return { ...openMemory({ clock }), clock };
}

/** Three rows a turn: every list spans turns. */
async function openSlow() {
  const clock = fakeClock(START);
  return { ...openMemory({ clock, turnRows: 3 }), clock };
}

for (const [name, open] of [
  ['sqlite file', openFile],
  ['sqlite :memory:', openInMemory],
  ['sqlite, three rows a turn', openSlow],
] as const) {
  objectStoreContract(name, open);
  storeListContract(name, open);
  storeLogContract(name, open);
}
workQueueContract('sqlite file', openFile);
workQueueContract('sqlite :memory:', openInMemory);
