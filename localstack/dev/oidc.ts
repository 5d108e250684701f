/** `--oidc-*`: logins of an OpenID provider, with kube-apiserver's option names. */
import { readFile } from 'node:fs/promises';
import { createDocumentFetcher } from '../../shared/adapters/http/documents.ts';
import { createVerifier } from '../../shared/adapters/keys/verify.ts';
import type { TokenCheck } from '../../shared/apiserver/authn/chain.ts';
import { type OidcOptions, oidcTokens } from '../../shared/apiserver/authn/oidc.ts';
import type { Clock, Log } from '../../shared/ports/system.ts';

/** What the command line says; `caFile`: PEM file of the authorities that the provider's certificate is believed from. */
export type DevOidc = OidcOptions & { caFile?: string };

/** The flags, all of them texts. */
export const OIDC_FLAGS = {
  'oidc-issuer-url': { type: 'string' },
  'oidc-client-id': { type: 'string' },
  'oidc-username-claim': { type: 'string' },
  'oidc-username-prefix': { type: 'string' },
  'oidc-groups-claim': { type: 'string' },
  'oidc-groups-prefix': { type: 'string' },
  'oidc-ca-file': { type: 'string' },
} as const;

type Given = { [flag in keyof typeof OIDC_FLAGS]?: string | undefined };

/** Reads the flags; undefined without an issuer. A text says what is wrong with them. */
export function parseOidc(given: Given): DevOidc | string | undefined {
  const { 'oidc-issuer-url': issuerUrl, 'oidc-client-id': clientId } = given;
  if (issuerUrl === undefined) {
    const flag = Object.keys(OIDC_FLAGS).find((name) => given[name as keyof Given] !== undefined);
    return flag === undefined ? undefined : `--${flag} needs --oidc-issuer-url`;
  }
  if (!issuerUrl.startsWith('https://')) return `--oidc-issuer-url ${issuerUrl}: must be an https address`;
  if (clientId === undefined || clientId === '') return '--oidc-issuer-url needs --oidc-client-id';
  const rest = {
    usernameClaim: given['oidc-username-claim'],
    usernamePrefix: given['oidc-username-prefix'],
    groupsClaim: given['oidc-groups-claim'],
    groupsPrefix: given['oidc-groups-prefix'],
    caFile: given['oidc-ca-file'],
  };
  return {
    issuerUrl,
    clientId,
    ...(Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)) as object),
  };
}

/** The check for the provider's tokens; none without a provider. Rejects when the CA file cannot be read. */
export async function oidcChecks(oidc: DevOidc | undefined, deps: { clock: Clock; log: Log }): Promise<TokenCheck[]> {
  if (!oidc) return [];
  const { caFile, ...options } = oidc;
  const ca = caFile === undefined ? {} : { ca: await readFile(caFile, 'utf8') };
  return [oidcTokens(options, { ...deps, fetchDocument: createDocumentFetcher(ca), verify: createVerifier() })];
}
