/**
 * The prose of `kubectl explain`, borrowed from a member: our type data have none. One member that has it is kept; its documents are fetched
 * when they are asked for, and not kept.
 */
import type { JsonObject } from '../machinery/object.ts';
import type { MemberClient } from '../ports/member-client.ts';

/** A member that may be asked; undefined: it cannot be reached now. */
export type DescribingMember = { cluster: string; connect(): Promise<MemberClient | undefined> };

export type MemberDescriptions = {
  /** '' while no member is known; else it changes with what `document` answers. */
  version(): string;
  /** The member's own v3 document of a path such as `apis/apps/v1`. */
  document(path: string): Promise<JsonObject | undefined>;
  /** Takes the first of these members that has prose, unless one is known already. */
  look(members: readonly DescribingMember[]): Promise<void>;
  /** Forgets a member that is gone or silent. */
  drop(cluster: string): void;
};

type Source = { cluster: string; version: string; client: MemberClient };

/** A small document and a type in it, by which a member is judged: simulated ones have structure only. */
const SAMPLE = { path: 'apis/scheduling.k8s.io/v1', type: 'io.k8s.api.scheduling.v1.PriorityClass' };

export function createMemberDescriptions(): MemberDescriptions {
  let source: Source | undefined;
  const drop = (cluster: string) => {
    if (source?.cluster === cluster) source = undefined;
  };
  return {
    version: () => (source ? `${source.cluster}/${source.version}` : ''),
    async document(path) {
      const asked = source;
      if (asked === undefined) return undefined;
      const result = await asked.client.openApi(path);
      if (result.type === 'ok') return result.value;
      if (result.type === 'unreachable') drop(asked.cluster);
      return undefined;
    },
    async look(members) {
      for (const { cluster, connect } of members) {
        if (source !== undefined) return;
        const client = await connect();
        const version = client && (await describedVersion(client));
        if (client && version && source === undefined) source = { cluster, version, client };
      }
    },
    drop,
  };
}

/** The version of a member whose types have descriptions. */
async function describedVersion(client: MemberClient): Promise<string | undefined> {
  const sample = await client.openApi(SAMPLE.path);
  if (sample.type !== 'ok') return undefined;
  const { components } = sample.value as { components?: { schemas?: Record<string, { description?: string }> } };
  if (!components?.schemas?.[SAMPLE.type]?.description) return undefined;
  const version = await client.version();
  return version.type === 'ok' ? version.value : undefined;
}
