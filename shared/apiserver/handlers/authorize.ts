/** Asks whether a request is allowed, and words the refusal as kube-apiserver does. */
import { formatGroupResource } from '../../machinery/resource.ts';
import { failure } from '../../machinery/status.ts';
import type { Core } from '../core.ts';
import type { RequestAttributes } from '../server.ts';

/** Throws 403 with the standard sentence when the user may not. */
export async function requireAllowed(core: Core, attributes: RequestAttributes): Promise<void> {
  const { allowed, reason } = await core.deps.authorize(attributes);
  if (allowed) return;
  const why = reason === '' ? '' : `: ${reason}`;
  const { user, verb, group, resource, subresource, namespace, name, path } = attributes;
  if (path !== undefined)
    throw failure(403, 'Forbidden', `forbidden: User "${user.name}" cannot ${verb} path "${path}"${why}`, {});
  const qualified = subresource === '' ? resource : `${resource}/${subresource}`;
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  const subject = formatGroupResource({ group, resource });
  const named = name === '' ? subject : `${subject} "${name}"`;
  const message = `${named} is forbidden: User "${user.name}" cannot ${verb} resource "${qualified}" in API group "${group}" ${where}${why}`;
  throw failure(403, 'Forbidden', message, {
    ...(name === '' ? {} : { name }),
    ...(group === '' ? {} : { group }),
    kind: resource,
  });
}
