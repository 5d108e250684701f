/**
 * MemberClient: what the workers ask of one member cluster's Kubernetes API. Outcomes are values: an unreachable or unwilling
 * member is an expected thing. Connect within 5 s, a whole call within 10 s.
 */
import type { MemberConnection } from '../apis/kubeadmiral/connection.ts';
import type { JsonObject, KubeObject } from '../machinery/object.ts';
import type { GroupVersionResource } from '../machinery/resource.ts';

export type { MemberConnection };

/** One object on a member. `namespace` is empty for cluster-scoped kinds. */
export type MemberRef = GroupVersionResource & { namespace: string; name: string };

/** Why a call gave no object. `message` is fit to be shown to a user. */
export type MemberFailure =
  | { type: 'notFound'; message: string /** True when the namespace or the resource itself is missing. */; container: boolean }
  | { type: 'conflict'; message: string /** field managers in the way, from the Status causes */; managers: readonly string[] }
  | { type: 'rejected'; code: number; reason: string; message: string }
  | {
      type: 'unreachable';
      reason: 'timeout' | 'refused' | 'tls' | 'dns' | 'unauthorized' | 'forbidden' | 'overloaded' | 'other';
      message: string;
    };

export type MemberResult<T> = { type: 'ok'; value: T } | MemberFailure;

/** A resource that the member serves (subresources left out). */
export type MemberApiResource = {
  group: string;
  version: string;
  kind: string;
  pluralName: string;
  scope: 'Namespaced' | 'Cluster';
};

export type MemberWatchEvent =
  | { type: 'added' | 'modified' | 'deleted'; object: KubeObject }
  | { type: 'bookmark'; resourceVersion: string };

/** What ends a watch that did not end cleanly: `expired` asks for a new list, everything else is as of any call. */
export type MemberWatchFailure = { type: 'expired'; message: string } | MemberFailure;

/** Thrown by the iterator of `MemberClient.watch`. */
export class MemberWatchError extends Error {
  readonly failure: MemberWatchFailure;
  constructor(failure: MemberWatchFailure) {
    super(failure.message);
    this.name = 'MemberWatchError';
    this.failure = failure;
  }
}

export type MemberClient = {
  /** Server-side apply with field manager `lamiral`. Without `force` a foreign owner answers `conflict`. uid and resourceVersion in the object are preconditions. */
  apply(ref: MemberRef, object: KubeObject, options: { force: boolean }): Promise<MemberResult<KubeObject>>;
  get(ref: MemberRef): Promise<MemberResult<KubeObject>>;
  /** POST of a new object (join needs it: a ServiceAccount, a namespace). */
  create(ref: MemberRef, object: KubeObject): Promise<MemberResult<KubeObject>>;
  list(
    resource: GroupVersionResource,
    options: { namespace?: string; labelSelector?: string; fieldSelector?: string; metadataOnly?: boolean },
  ): Promise<MemberResult<{ items: KubeObject[]; resourceVersion: string }>>;
  /** Watches from `resourceVersion`; ends cleanly when the server does, throws MemberWatchError (type `expired` or a MemberFailure) otherwise. */
  watch(
    resource: GroupVersionResource,
    options: { labelSelector?: string; resourceVersion: string; signal: AbortSignal },
  ): AsyncIterable<MemberWatchEvent>;
  /** Merge patch of metadata (labels, annotations, finalizers): orphaning and adoption need it. */
  patch(ref: MemberRef, patch: JsonObject): Promise<MemberResult<KubeObject>>;
  /** Background deletion, only of this uid and version when given. */
  delete(ref: MemberRef, preconditions: { uid?: string; resourceVersion?: string }): Promise<MemberResult<undefined>>;
  discover(): Promise<
    MemberResult<{ resources: MemberApiResource[] /** Human-readable notes on groups that failed. */; failures: string[] }>
  >;
  /** GET /healthz: the body. */
  health(): Promise<MemberResult<string>>;
  version(): Promise<MemberResult<string>>;
  /** GET of an OpenAPI v3 document by its path (`apis/apps/v1`). */
  openApi(path: string): Promise<MemberResult<JsonObject>>;
};

/** One long-lived client per connection; a changed connection replaces it. */
export type MemberClients = {
  connect(connection: MemberConnection): MemberClient;
  forget(cluster: string): Promise<void>;
  close(): Promise<void>;
};
