/** Runs plans: servers side by side, the lists of one server one after the other, with the tests that wait for minutes beside them. */
import { join } from 'node:path';
import type { Binaries } from './binaries.ts';
import type { Endings } from './endings.ts';
import { runGinkgo } from './ginkgo.ts';
import { isSlow, type Plan } from './plans.ts';
import { failedNames, formatScore, type Result, replaced, scoreOf } from './report.ts';

const TIMEOUT_MINUTES = 60;

/** One result per name of the plan, in its order. */
export type Outcomes = { plan: Plan; results: Result[]; seconds: number };

type Deps = { binaries: Binaries; out: string; procs: number; retry: boolean; endings: Endings; say(text: string): void };

/** Resolves when every plan was run, and what failed was run again alone. `procs` are shared by the servers. */
export async function runPlans(plans: readonly Plan[], deps: Deps): Promise<Outcomes[]> {
  const servers = [...Map.groupBy(plans, ({ kubeconfig }) => kubeconfig).values()];
  const share = { ...deps, procs: Math.max(1, Math.floor(deps.procs / servers.length)) };
  // Most of a test is waiting: two servers of one machine take hardly longer than one.
  const firsts = await settled(servers.map((each) => runOnServer(each, share)));
  const outcomes: Outcomes[] = [];
  for (const outcome of firsts.flat()) {
    const started = performance.now();
    const results = deps.retry ? await retried(outcome.plan, deps, outcome.results) : outcome.results;
    const seconds = outcome.seconds + (performance.now() - started) / 1000;
    outcomes.push({ ...outcome, results: inOrder(outcome.plan, results), seconds });
  }
  return outcomes;
}

/** All results, or the first rejection once nothing runs any more. */
async function settled<T>(running: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(running);
  return Promise.all(running);
}

async function runOnServer(plans: readonly Plan[], deps: Deps): Promise<Outcomes[]> {
  const slow = plans.map((plan) => run(plan, deps, 'slow', deps.procs, namesOf(plan).filter(isSlow)));
  // Whoever waits for them below is to see the rejection, not the process.
  for (const running of slow) running.catch(() => undefined);
  const outcomes: Outcomes[] = [];
  for (const plan of plans) {
    const started = performance.now();
    const names = namesOf(plan).filter((name) => !isSlow(name));
    deps.say(`${plan.title}: ${names.length} tests`);
    const results = await run(plan, deps, 'first', deps.procs, names);
    deps.say(`${plan.title}: ${formatScore(scoreOf(results))}`);
    outcomes.push({ plan, results, seconds: (performance.now() - started) / 1000 });
  }
  const late = await Promise.all(slow);
  return outcomes.map((outcome, at) => ({ ...outcome, results: [...outcome.results, ...(late[at] ?? [])] }));
}

async function retried(plan: Plan, deps: Deps, results: readonly Result[]): Promise<Result[]> {
  const names = failedNames(results);
  if (names.length === 0) return [...results];
  deps.say(`${plan.title}: ${names.length} failed, run again alone`);
  return replaced(results, await run(plan, deps, 'again', 1, names));
}

function run({ kubeconfig, title }: Plan, deps: Deps, turn: string, procs: number, names: readonly string[]): Promise<Result[]> {
  const { binaries, endings } = deps;
  const dir = join(deps.out, `${title.replace(/\W+/g, '-')}-${turn}`);
  return runGinkgo({ binaries, kubeconfig, names, dir, procs, timeoutMinutes: TIMEOUT_MINUTES, onEnd: endings.add });
}

function namesOf({ names, leftOut }: Plan): string[] {
  const out = new Set(leftOut.map(({ name }) => name));
  return names.filter((name) => !out.has(name));
}

function inOrder(plan: Plan, results: readonly Result[]): Result[] {
  const resultByName = new Map(results.map((result) => [result.name, result]));
  const reasonByName = new Map(plan.leftOut.map(({ name, reason }) => [name, reason]));
  return plan.names.map(
    (name) => resultByName.get(name) ?? { name, outcome: 'skipped', detail: reasonByName.get(name) ?? 'not run', seconds: 0 },
  );
}
