/** Plays what a user does: with the real kubectl where there is one, else the same requests over HTTP. */
import type { KubeObject } from '../../shared/machinery/object.ts';

/** A printed table: one record per row, by upper-case column. */
export type Row = Record<string, string>;

/** `context` is a member's name, or undefined for the control plane. Every call rejects where kubectl would exit with an error. */
export type Player = {
  name: string;
  apply(file: string): Promise<string>;
  rows(resource: string, options?: { context?: string; name?: string; wide?: boolean }): Promise<Row[]>;
  object(resource: string, name: string, context?: string): Promise<KubeObject | undefined>;
  createDeployment(name: string, image: string): Promise<void>;
  scale(deployment: string, replicas: number): Promise<void>;
  label(resource: string, name: string, key: string, value: string): Promise<void>;
  patch(resource: string, name: string, patch: object): Promise<void>;
  /** Changes the object through an editor: `from` becomes `to`. */
  edit(resource: string, name: string, from: string, to: string): Promise<void>;
  /** 0: as applied; 1: differs (and the text of the difference). */
  diff(file: string): Promise<{ code: number; text: string }>;
  remove(resource: string, name: string): Promise<void>;
  /** Waits until the Deployment is rolled out, and until it is Available; rejects after a minute. */
  rolledOut(deployment: string): Promise<void>;
  available(deployment: string): Promise<void>;
  /** READY column of the Deployment as a watch prints it, until it says `until`. */
  watchReady(deployment: string, until: string): Promise<string[]>;
  describe(resource: string, name: string): Promise<string>;
};

/** Asks again until the answer fits; rejects with the last answer. */
export async function eventually<T>(what: string, ask: () => Promise<T>, fits: (value: T) => boolean, ms = 30_000): Promise<T> {
  const deadline = Date.now() + ms;
  let last: T | undefined;
  while (Date.now() < deadline) {
    last = await ask();
    if (fits(last)) return last;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`not within ${ms} ms: ${what}; last: ${JSON.stringify(last)}`);
}

/** The copies of a Deployment, by cluster. */
export async function copiesOf(player: Player, name: string, clusters: readonly string[]): Promise<Map<string, KubeObject>> {
  const found = new Map<string, KubeObject>();
  for (const cluster of clusters) {
    const copy = await player.object('deploy', name, cluster);
    if (copy) found.set(cluster, copy);
  }
  return found;
}

/** Replicas that copies ask for, together. */
export function replicasOf(copies: ReadonlyMap<string, KubeObject>): number {
  return [...copies.values()].reduce((sum, copy) => sum + (copy.spec.replicas as number), 0);
}
