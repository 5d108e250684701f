/**
 * The seam of the generic API server. `createApiServer` (create.ts) builds the Hono app from these dependencies; the same server
 * serves the API Lambda, `dev`, and every simulated member cluster.
 */
import type { Hono } from 'hono';
import type { Registry, ResourceDefinition } from '../apis/definition.ts';
import type { RbacView } from '../apis/rbac/bindings.ts';
import type { JsonObject, KubeObject } from '../machinery/object.ts';
import type { Store, WriteOperation } from '../ports/object-store.ts';
import type { Signer } from '../ports/signer.ts';
import type { Clock, Http, Ids, Log } from '../ports/system.ts';
import type { AuditEvent } from './audit/event.ts';
import type { TokenCheck } from './authn/chain.ts';
import type { DescriptionSource } from './openapi/descriptions.ts';
import type { ResolveService } from './webhook-client.ts';

/** Who asks. `groups` include system:authenticated. */
export type User = { name: string; uid?: string; groups: readonly string[]; extra?: Record<string, readonly string[]> };

/** What is asked, as authorization and audit see it. */
export type RequestAttributes = {
  user: User;
  verb: string;
  group: string;
  version: string;
  resource: string;
  subresource: string;
  namespace: string;
  name: string;
  /** Set for paths that name no resource (`/version`). */
  path?: string;
};

/** What the listener knows of a request that a web Request does not carry. */
export type Connection = {
  /** Names and values in turn, as they came: a Request joins repeated headers, and values may hold commas. */
  rawHeaders?: readonly string[];
  remoteAddress?: string;
  /** A client certificate that the listener (or the gateway before it) has verified: common name and organizations. */
  certificate?: { name: string; groups: readonly string[] };
};

/** Undefined: 401. */
export type Authenticate = (request: Request, connection?: Connection) => Promise<User | undefined>;
export type Authorize = (attributes: RequestAttributes) => Promise<{ allowed: boolean; reason: string }>;

/** One write on its way in. A step may change `object` in place, and may throw a StatusError to refuse. */
export type AdmissionRequest = {
  definition: ResourceDefinition;
  operation: 'create' | 'update' | 'delete';
  subresource: string;
  namespace: string;
  name: string;
  object?: KubeObject;
  old?: KubeObject;
  user: User;
  dryRun: boolean;
  /** Adds a Warning header. */
  warn(text: string): void;
  /** What is to be stored in one step with the object, at most three; asked for anew before every attempt. May throw a StatusError to refuse. */
  alongside?: () => Promise<readonly WriteOperation[]>;
  /** Adds an annotation to the audit record. */
  annotate?(key: string, value: string): void;
  /** On creates and updates: a mutating step that sets `needed` has all mutating steps run once more, in round 2. `state` is kept between the rounds. */
  reinvocation?: { round: 1 | 2; needed: boolean; state?: unknown };
};
/** A sort of write, which says by itself whether a step looks at it. */
export type AdmissionTarget = Pick<AdmissionRequest, 'definition' | 'operation' | 'subresource'>;
export type AdmissionStep = {
  name: string;
  /** Whether it looks at writes of this sort at all; absent: at every one. Asked once per sort, so the answer must stay the same. */
  concerns?(target: AdmissionTarget): boolean;
  mutate?(request: AdmissionRequest): Promise<void>;
  validate?(request: AdmissionRequest): Promise<void>;
};

/** A virtual resource or a subresource that is not plain storage (reviews, `token`, `eviction`, `log`): answers an object or throws a StatusError. */
export type View = (request: {
  attributes: RequestAttributes;
  definition: ResourceDefinition;
  body: KubeObject | undefined;
  query: URLSearchParams;
  dryRun: boolean;
}) => Promise<{ code: number; object: KubeObject | JsonObject }>;

/** Issues ServiceAccount tokens. `audiences`: those of this API server, for requests that name none. */
export type ServiceAccountIssuer = {
  /** `iss` of the tokens, an https URL that need not lead here. */
  issuer: string;
  audiences: readonly string[];
  signer: Signer;
  /** Address of the public keys, where it is not below the address that clients use. */
  keysUri?: string;
};

export type ApiServerDeps = {
  store: Pick<Store, 'objects' | 'lanes'>;
  /** Read per request: a CRD may change it. */
  registry: () => Registry;
  /** How conversion webhooks are called, and where Services lead that they name; absent: kinds that need one are not served, or by what is stored. */
  http?: Http;
  resolveService?: ResolveService;
  /** Where kinds come and go while the server runs: waited for before a kind is believed to be missing. */
  types?: {
    /** Undefined while `registry` holds all that this process knows of. */
    pending(): Promise<void> | undefined;
    settle(): Promise<void>;
    onChange(listener: (registry: Registry) => void): () => void;
  };
  clock: Clock;
  ids: Ids;
  log: Log;
  authenticate: Authenticate;
  authorize: Authorize;
  /** Checks a token that somebody else was given, for TokenReview. Absent: it is read as if it had come with a request. */
  reviewToken?: TokenCheck;
  /** Roles and bindings, where authorization is by them: what SelfSubjectRulesReview lists and what nobody may grant beyond. */
  rbac?: () => RbacView | Promise<RbacView>;
  /** Absent: no ServiceAccount tokens are issued, and no issuer documents are served. */
  serviceAccounts?: ServiceAccountIssuer;
  /** Told once per request, at its end. Must not throw or wait. */
  audit?: (event: AuditEvent) => void;
  admission: readonly AdmissionStep[];
  /** `group/resource` or `group/resource/subresource` -> view. */
  views: ReadonlyMap<string, View>;
  /** Gives `kubectl explain` its prose; absent: types are shown without. */
  descriptions?: DescriptionSource;
  /** Text of GET /version. */
  version: { major: string; minor: string; gitVersion: string };
  /** Named checks behind /readyz; a failing one answers its reason. */
  readiness: ReadonlyMap<string, () => Promise<string | undefined>>;
};

/** Options of a write made in-process, by controllers that run beside the server (simulated members, bootstrap). */
export type WriteOptions = { user?: User; fieldManager?: string; subresource?: string };

/** Storage of resources behind the HTTP handlers; in-process callers get the same defaulting, validation, admission and deletion rules. Throws StatusError. */
export type ResourceService = {
  get(definition: ResourceDefinition, namespace: string, name: string): Promise<KubeObject>;
  list(
    definition: ResourceDefinition,
    options: { namespace?: string; labelSelector?: string; fieldSelector?: string },
  ): Promise<{ items: KubeObject[]; resourceVersion: string }>;
  create(definition: ResourceDefinition, object: KubeObject, options?: WriteOptions): Promise<KubeObject>;
  /** Compare-and-set when `metadata.resourceVersion` is set. `subresource: 'status'` writes status only. */
  update(definition: ResourceDefinition, object: KubeObject, options?: WriteOptions): Promise<KubeObject>;
  /** The patch formats by content type, `application/apply-patch+yaml` included (then `force` counts). */
  patch(
    definition: ResourceDefinition,
    namespace: string,
    name: string,
    patch: { contentType: string; body: string; force?: boolean },
    options?: WriteOptions,
  ): Promise<KubeObject>;
  delete(
    definition: ResourceDefinition,
    namespace: string,
    name: string,
    options?: { uid?: string; resourceVersion?: string; propagationPolicy?: string; gracePeriodSeconds?: number },
  ): Promise<void>;
};

export type ApiServer = {
  app: Hono;
  resources: ResourceService;
  /** Ends open watches cleanly, after a bookmark. */
  close(): Promise<void>;
};
