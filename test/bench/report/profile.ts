/** Reads a CPU profile of Node: where the time went, by the function itself and with what it called. */
import { readFile } from 'node:fs/promises';
import type { Table } from './table.ts';

type CallFrame = { functionName: string; url: string; lineNumber: number };
type ProfileNode = { id: number; callFrame: CallFrame; children?: number[] };
type Profile = { nodes: ProfileNode[]; samples: number[]; timeDeltas: number[]; startTime: number; endTime: number };

const IDLE = new Set(['(idle)']);

/** Two tables of the `rows` dearest functions, in percent of the time that was not idle. */
export async function profileTables(path: string, name: string, rows: number, root: string): Promise<Table[]> {
  const profile = JSON.parse(await readFile(path, 'utf8')) as Profile;
  const byId = new Map(profile.nodes.map((node) => [node.id, node]));
  const selfUs = new Map<number, number>();
  profile.samples.forEach((id, i) => {
    selfUs.set(id, (selfUs.get(id) ?? 0) + (profile.timeDeltas[i] ?? 0));
  });
  const label = ({ functionName, url, lineNumber }: CallFrame) => {
    const file = url.replace(`file://${root}`, '').replace(/^.*node_modules\//, '');
    return file === '' ? functionName || '(anonymous)' : `${functionName || '(anonymous)'} ${file}:${lineNumber + 1}`;
  };
  const own = new Map<string, number>();
  const total = new Map<string, number>();
  let busyUs = 0;
  const add = (sums: Map<string, number>, key: string, us: number) => sums.set(key, (sums.get(key) ?? 0) + us);
  const visit = (node: ProfileNode, above: ReadonlySet<string>): number => {
    const key = label(node.callFrame);
    const self = selfUs.get(node.id) ?? 0;
    if (!IDLE.has(key)) {
      busyUs += self;
      add(own, key, self);
    }
    const path = above.has(key) ? above : new Set([...above, key]);
    let sum = self;
    for (const id of node.children ?? []) {
      const child = byId.get(id);
      if (child) sum += visit(child, path);
    }
    // A function that calls itself counts once.
    if (!above.has(key)) add(total, key, sum);
    return sum;
  };
  const rootNode = profile.nodes[0];
  if (rootNode) visit(rootNode, new Set());
  const table = (heading: string, sums: ReadonlyMap<string, number>): Table => ({
    heading: `${name}: ${heading} (busy ${(busyUs / 1e6).toFixed(1)} s of ${((profile.endTime - profile.startTime) / 1e6).toFixed(1)} s)`,
    columns: ['function', 'ms', '%'],
    rows: [...sums]
      .filter(([key]) => !IDLE.has(key) && key !== '(root)')
      .sort((a, b) => b[1] - a[1])
      .slice(0, rows)
      .map(([key, us]) => [key, (us / 1000).toFixed(0), ((100 * us) / busyUs).toFixed(1)]),
  });
  return [table('time of its own', own), table('with what it calls', total)];
}
