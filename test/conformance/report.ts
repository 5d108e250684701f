/** What ginkgo's JSON report says about the tests that were asked for. */

/** How one test ended. `missing`: e2e.test has no test of this name. */
export type Outcome = 'passed' | 'failed' | 'skipped' | 'missing';
/** `detail`: the failure's or skip's own words. */
export type Result = { name: string; outcome: Outcome; detail: string; seconds: number };

type Spec = {
  ContainerHierarchyTexts?: string[] | null;
  LeafNodeText?: string;
  LeafNodeType?: string;
  State?: string;
  RunTime?: number;
  Failure?: { Message?: string };
};
type Suite = { SuiteSucceeded?: boolean; SpecReports?: Spec[] | null };

const NANOSECONDS = 1e9;
const TEST = 'It';

/**
 * One result for each name, in the order of `names`. A test that ginkgo left out although it was asked for (the suite ended before its turn)
 * failed. Throws when a set-up node failed or nothing was begun: then no result means anything.
 */
export function resultsOf(report: unknown, names: readonly string[]): Result[] {
  const specs = (report as Suite[]).flatMap((suite) => suite.SpecReports ?? []);
  if (specs.length === 0) throw new Error('the report names no test at all: the suite was ended before it began');
  const broken = specs.find((spec) => spec.LeafNodeType !== TEST && isFailure(spec.State));
  if (broken) throw new Error(`the suite could not be set up: ${broken.Failure?.Message ?? broken.State}`);
  const specByName = new Map<string, Spec>();
  for (const spec of specs) if (spec.LeafNodeType === TEST) specByName.set(nameOf(spec), spec);
  return names.map((name) => resultOf(name, specByName.get(name)));
}

function nameOf(spec: Spec): string {
  return [...(spec.ContainerHierarchyTexts ?? []), spec.LeafNodeText ?? ''].join(' ');
}

function resultOf(name: string, spec: Spec | undefined): Result {
  if (!spec) return { name, outcome: 'missing', detail: 'e2e.test has no test of this name', seconds: 0 };
  const detail = spec.Failure?.Message ?? '';
  const seconds = (spec.RunTime ?? 0) / NANOSECONDS;
  if (spec.State === 'passed') return { name, outcome: 'passed', detail: '', seconds };
  // A test skips itself with words; one that was never begun has none.
  if (spec.State === 'skipped' && detail !== '') return { name, outcome: 'skipped', detail, seconds };
  return { name, outcome: 'failed', detail: detail || `not run (${spec.State ?? 'no state'})`, seconds };
}

function isFailure(state: string | undefined): boolean {
  return state !== undefined && state !== 'passed' && state !== 'skipped' && state !== 'pending' && state !== '';
}

/** The same results with those of a later run put in. */
export function replaced(results: readonly Result[], later: readonly Result[]): Result[] {
  const laterByName = new Map(later.map((result) => [result.name, result]));
  return results.map((result) => laterByName.get(result.name) ?? result);
}

/** Names of those that did not pass and were not skipped. */
export function failedNames(results: readonly Result[]): string[] {
  return results.filter(isFailed).map(({ name }) => name);
}

/** Neither passed nor skipped. */
export function isFailed({ outcome }: Result): boolean {
  return outcome === 'failed' || outcome === 'missing';
}

/** How many ended how. */
export type Score = { passed: number; failed: number; skipped: number };

/** Counts results; `missing` counts as failed. */
export function scoreOf(results: readonly Result[]): Score {
  const passed = results.filter(({ outcome }) => outcome === 'passed').length;
  const failed = results.filter(isFailed).length;
  return { passed, failed, skipped: results.length - passed - failed };
}

/** `12 passed, 0 failed, 1 skipped`. */
export function formatScore({ passed, failed, skipped }: Score): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}
