/** Which tests are run against which server, and what counts. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Exemption, parseExemptions, readList } from './lists.ts';

/** `server`: one that the user named. */
export type Target = 'control-plane' | 'member' | 'server';

/** One list for one server. `leftOut` are of the list and not run, each with its reason. */
export type Plan = {
  target: Target;
  title: string;
  kubeconfig: string;
  names: readonly string[];
  leftOut: readonly Exemption[];
  /** Its failures are told and do not fail the run. */
  isScoreOnly: boolean;
};

const TITLES: Readonly<Record<Target, string>> = {
  'control-plane': 'control plane',
  member: 'simulated member',
  server: 'server',
};
const SLOW = '[Slow]';

/** Upstream's own mark of a test that takes minutes. */
export function isSlow(name: string): boolean {
  return name.includes(SLOW);
}

type Asked = {
  folder: string;
  list: string | undefined;
  skipSlow: boolean;
  skipWorkloads: boolean;
  servers: ReadonlyMap<Target, string>;
};

/**
 * The lists of `folder` (expected.txt everywhere, exempt.txt on the control plane, workloads.txt as a score on the member), or the one list asked for.
 * Throws when an exemption names no expected test.
 */
export async function plansFor({ folder, list, skipSlow, skipWorkloads, servers }: Asked): Promise<Plan[]> {
  const names = await readList(list ?? join(folder, 'expected.txt'));
  const exempt = parseExemptions(await readFile(join(folder, 'exempt.txt'), 'utf8'));
  const stale = list === undefined ? exempt.find(({ name }) => !names.includes(name)) : undefined;
  if (stale) throw new Error(`exempt but not expected: ${stale.name}`);
  const plans: Plan[] = [];
  for (const [target, kubeconfig] of servers) {
    const leftOut = leftOutOf(names, target === 'control-plane' ? exempt : [], skipSlow);
    plans.push({ target, title: TITLES[target], kubeconfig, names, leftOut, isScoreOnly: false });
    if (list !== undefined || target !== 'member' || skipWorkloads) continue;
    const workloads = await readList(join(folder, 'workloads.txt'));
    const title = 'workloads on the simulated member (a score)';
    plans.push({ target, title, kubeconfig, names: workloads, leftOut: leftOutOf(workloads, [], skipSlow), isScoreOnly: true });
  }
  return plans;
}

function leftOutOf(names: readonly string[], exempt: readonly Exemption[], skipSlow: boolean): Exemption[] {
  const reasonByName = new Map(exempt.map(({ name, reason }) => [name, reason]));
  return names.flatMap((name) => {
    const reason = reasonByName.get(name) ?? (skipSlow && isSlow(name) ? 'takes minutes; left out by --skip-slow' : undefined);
    return reason === undefined ? [] : [{ name, reason }];
  });
}
