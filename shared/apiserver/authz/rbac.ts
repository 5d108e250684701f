/** Role-based access control over an injected view of the roles and bindings. What nothing allows is refused. */
import type { Grants, RbacView } from '../../apis/rbac/bindings.ts';
import { ruleAllows } from '../../apis/rbac/evaluate.ts';
import { DECISIONS_PER_USER_MAX } from '../authn/limits.ts';
import type { Authorize, RequestAttributes, User } from '../server.ts';

/** The newest view that is known; see functions/api/rbac-view.ts. Rejects when none could ever be read. */
export type LoadRbac = () => RbacView | Promise<RbacView>;

type Decision = Awaited<ReturnType<Authorize>>;
/** What one user holds, per namespace, and what was decided of it. */
type Known = { grantsByNamespace: Map<string, Grants>; decisions: Map<string, Decision> };

/** Members of it may do everything, before any role is looked at: the server itself and its administrator. */
export const MASTERS = 'system:masters';

const ALLOWED: Decision = { allowed: true, reason: '' };

/**
 * The authorizer. Grants and decisions are kept per user object and view: authentication gives the same object for the same token, so that most
 * requests cost one look-up. `reason` is upstream's: `RBAC: allowed by ...`, or what was wrong with the bindings of a user who may not.
 */
export function createRbacAuthorizer({ load }: { load: LoadRbac }): Authorize {
  let view: RbacView | undefined;
  let users = new WeakMap<User, Known>();
  return async (attributes) => {
    const { user } = attributes;
    if (user.groups.includes(MASTERS)) return ALLOWED;
    const current = await load();
    if (current !== view) {
      view = current;
      users = new WeakMap();
    }
    return decide(current, knownOf(users, user), attributes);
  };
}

function knownOf(users: WeakMap<User, Known>, user: User): Known {
  const known = users.get(user) ?? { grantsByNamespace: new Map(), decisions: new Map() };
  users.set(user, known);
  return known;
}

function decide(view: RbacView, known: Known, attributes: RequestAttributes): Decision {
  const { user, namespace, verb, group, resource, subresource, name, path = '' } = attributes;
  // Names come from URLs and may hold anything: only a form that keeps the parts apart is a key.
  const key = JSON.stringify([verb, group, resource, subresource, namespace, name, path]);
  const before = known.decisions.get(key);
  if (before) return before;
  if (known.decisions.size >= DECISIONS_PER_USER_MAX) known.decisions.clear();
  if (known.grantsByNamespace.size >= DECISIONS_PER_USER_MAX) known.grantsByNamespace.clear();
  const grants = known.grantsByNamespace.get(namespace) ?? view.grantsFor(user, namespace);
  known.grantsByNamespace.set(namespace, grants);
  const decision = evaluate(grants, attributes);
  known.decisions.set(key, decision);
  return decision;
}

function evaluate({ grants, errors }: Grants, attributes: RequestAttributes): Decision {
  const found = grants.find(({ rule }) => ruleAllows(rule, attributes));
  if (found) return { allowed: true, reason: `RBAC: allowed by ${found.source}` };
  if (errors.length === 0) return { allowed: false, reason: '' };
  return { allowed: false, reason: `RBAC: ${errors.length === 1 ? errors[0] : `[${errors.join(', ')}]`}` };
}
