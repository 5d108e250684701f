/** Asks whether a request is allowed, and words the refusal as kube-apiserver does. */
import { formatGroupResource } from '../../machinery/resource.ts';
import { failure, unauthorized } from '../../machinery/status.ts';
import type { RequestTrace } from '../audit/event.ts';
import { ANONYMOUS } from '../authn/chain.ts';
import type { Core } from '../core.ts';
import type { RequestAttributes } from '../server.ts';

/**
 * Throws 403 with the standard sentence when the user may not, and 401 when there was no credential at all. What was asked and decided is noted in
 * `trace`.
 */
export async function requireAllowed(core: Core, attributes: RequestAttributes, trace?: RequestTrace): Promise<void> {
  const decision = await core.deps.authorize(attributes);
  if (trace) Object.assign(trace, { attributes, decision });
  if (decision.allowed) return;
  if (attributes.user === ANONYMOUS) throw unauthorized();
  throw refusal(attributes, decision.reason);
}

function refusal(attributes: RequestAttributes, reason: string) {
  const why = reason === '' ? '' : `: ${reason}`;
  const { user, verb, group, resource, subresource, namespace, name, path } = attributes;
  if (path !== undefined)
    return failure(403, 'Forbidden', `forbidden: User "${user.name}" cannot ${verb} path "${path}"${why}`, {});
  const qualified = subresource === '' ? resource : `${resource}/${subresource}`;
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  const subject = formatGroupResource({ group, resource });
  const named = name === '' ? subject : `${subject} "${name}"`;
  const message = `${named} is forbidden: User "${user.name}" cannot ${verb} resource "${qualified}" in API group "${group}" ${where}${why}`;
  return failure(403, 'Forbidden', message, {
    ...(name === '' ? {} : { name }),
    ...(group === '' ? {} : { group }),
    kind: resource,
  });
}
