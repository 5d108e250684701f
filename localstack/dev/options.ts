/** The command line of `lamiral dev`, checked once. */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type DevOidc, OIDC_FLAGS, parseOidc } from './oidc.ts';

export type DevOptions = {
  /** Absolute path of the data folder, and how the user wrote it. */
  dataDir: string;
  shownDataDir: string;
  /** Undefined: 6443, or the next free port above it. */
  port?: number;
  clusters: number;
  /** Kubeconfig whose contexts are joined instead of simulated clusters. */
  members?: string;
  /** An OpenID provider whose tokens count. */
  oidc?: DevOidc;
  verbose: boolean;
};

/** What was wrong with the command line; the message is fit to be shown. */
export class UsageError extends Error {}

const CLUSTERS_MAX = 100;

/** Parses argv (without node and script). Throws UsageError. */
export function parseOptions(argv: readonly string[], cwd: string): DevOptions {
  const { values } = parse(argv);
  const clusters = integer('--clusters', values.clusters, 0, CLUSTERS_MAX);
  const oidc = parseOidc(values);
  if (typeof oidc === 'string') throw new UsageError(oidc);
  return {
    dataDir: resolve(cwd, values.data),
    shownDataDir: values.data.endsWith('/') ? values.data : `${values.data}/`,
    clusters,
    verbose: values.verbose,
    ...(values.port === undefined ? {} : { port: integer('--port', values.port, 1, 65_535) }),
    ...(values.members === undefined ? {} : { members: resolve(cwd, values.members) }),
    ...(oidc === undefined ? {} : { oidc }),
  };
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      options: {
        data: { type: 'string', default: '.lamiral' },
        port: { type: 'string' },
        clusters: { type: 'string', default: '3' },
        members: { type: 'string' },
        ...OIDC_FLAGS,
        verbose: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function integer(flag: string, text: string, min: number, max: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new UsageError(`${flag} ${text}: must be a whole number from ${min} to ${max}`);
}
