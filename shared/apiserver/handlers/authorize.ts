/** Asks whether a request is allowed, and words the refusal as kube-apiserver does. */
import { quoteGo } from '../../machinery/go-quote.ts';
import { failure, forbidden, unauthorized } from '../../machinery/status.ts';
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
  const { group, resource, name, path } = attributes;
  const sentence = `${markupFree(sentenceOf(attributes))}${why}`;
  if (path !== undefined) return failure(403, 'Forbidden', `forbidden: ${sentence}`, {});
  return forbidden({ group, resource }, name, sentence);
}

function sentenceOf({ user, verb, group, resource, subresource, namespace, path }: RequestAttributes): string {
  const who = `User ${quoteGo(user.name)} cannot ${verb}`;
  if (path !== undefined) return `${who} path ${quoteGo(path)}`;
  const qualified = subresource === '' ? resource : `${resource}/${subresource}`;
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${quoteGo(namespace)}`;
  return `${who} resource ${quoteGo(qualified)} in API group ${quoteGo(group)} ${where}`;
}

/** Names come from the request: what a browser would take for markup is spelled, as upstream spells it. */
function markupFree(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}
