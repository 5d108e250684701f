/** Who a request counts as: whoever its credential proves, or whom that one may act as. */
import { unauthorized } from '../../machinery/status.ts';
import type { RequestTrace } from '../audit/event.ts';
import type { Core } from '../core.ts';
import { requireAllowed } from '../handlers/authorize.ts';
import type { Connection, User } from '../server.ts';
import { impersonate, impersonationHeaders } from './impersonation.ts';

/** Throws 401 without a good credential, 403 for an impersonation that is not allowed; notes both users in the trace. */
export async function identify(
  core: Core,
  request: Request,
  connection: Connection | undefined,
  trace: RequestTrace,
): Promise<User> {
  const user = await core.deps.authenticate(request, connection);
  if (user === undefined) throw unauthorized();
  trace.user = user;
  const headers = impersonationHeaders(request, connection);
  if (headers === undefined) return user;
  const acting = await impersonate(user, headers, (attributes) => requireAllowed(core, attributes, trace));
  if (acting === undefined) return user;
  trace.impersonated = acting;
  return acting;
}
