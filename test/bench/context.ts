/** What every section of the benchmark gets. */
import type { Findings } from './report/table.ts';

/** Go programs and where real Kubernetes lies. */
export type Tools = { binDir: string; apibench: string; fedbench: string };

export type BenchContext = {
  root: string;
  /** A folder of this run; removed at the end. */
  dir: string;
  isQuick: boolean;
  /** Folder for profiles of our own process; undefined: none are taken. */
  profileDir: string | undefined;
  /** Builds the tools at the first call; only sections that need Go call it. */
  tools(): Promise<Tools>;
  /** What is started is ended by what is given here, the last first, also when the run fails or is interrupted. */
  onEnd(close: () => Promise<void>): () => Promise<void>;
  /** Prints tables and notes at once, so that a later failure loses nothing; targets come together at the end. */
  report(findings: Findings): void;
  /** Progress, on standard error. */
  say(text: string): void;
};

export type Section = { name: string; needsGo: boolean; title: string; run(context: BenchContext): Promise<void> };
