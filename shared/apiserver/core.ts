/** What the parts of one server share, and what one write carries. Types only. */
import type { Registry, ResourceDefinition } from '../apis/definition.ts';
import type { ProtobufCodec } from '../machinery/codec/protobuf.ts';
import type { KubeObject } from '../machinery/object.ts';
import type { ObjectStore, StoredObject } from '../ports/object-store.ts';
import type { Negotiated } from './http/accept.ts';
import type { AdmissionChain } from './resources/admit.ts';
import type { ApiServerDeps, User, View } from './server.ts';
import type { WatchHub } from './watch/hub.ts';

export type Core = {
  deps: ApiServerDeps;
  admission: AdmissionChain;
  views: ReadonlyMap<string, View>;
  negotiate: (header: string | null) => Negotiated;
  /** Loaded with the first protobuf body. */
  protobuf: () => ProtobufCodec;
  watches: WatchHub;
  /** The store as one kind sees it: the store itself, but for custom resources, which lie there in several versions. */
  objects: (definition: ResourceDefinition) => ObjectStore;
};

export type FieldValidation = 'Strict' | 'Warn' | 'Ignore';

/** One write on its way: what is written, by whom, how. */
export type WriteContext = {
  registry: Registry;
  definition: ResourceDefinition;
  /** The definition in whose shape the kind is stored. */
  storage: ResourceDefinition;
  scope: string;
  namespace: string;
  name: string;
  subresource: string;
  user: User;
  /** Field manager. */
  manager: string;
  dryRun: boolean;
  fieldValidation: FieldValidation;
  /** Epoch ms, the same for the whole write. */
  now: number;
  /** Who the change log says wrote it. */
  writer: string;
  warn(text: string): void;
  /** Adds to the audit record; absent for writes that have none. */
  annotate?(key: string, value: string): void;
};

/** What a write left behind: the object as stored (`removed`: as it was last), and the same decoded, in the version that was asked for. */
export type WriteResult = { type: 'created' | 'updated' | 'unchanged' | 'removed'; stored: StoredObject; object: KubeObject };
