/** What tells others how to check ServiceAccount tokens: OpenID discovery and the public keys. Pure. */
import type { ServiceAccountIssuer } from '../server.ts';

/** Paths that are served; who may read them is authorization's matter (system:service-account-issuer-discovery). */
export const DISCOVERY_PATH = '/.well-known/openid-configuration';
export const KEYS_PATH = '/openid/v1/jwks';

const CACHED = { 'Cache-Control': 'public, max-age=3600' };

export type IssuerDocument = { contentType: string; text: string; headers: Record<string, string> };

/** The document at a path; undefined for other paths. `origin`: how this request reached the server, for the address of the keys. */
export function issuerDocument(issuer: ServiceAccountIssuer, path: string, origin: string): IssuerDocument | undefined {
  if (path === KEYS_PATH) {
    const keys = issuer.signer.publicKeys();
    return { contentType: 'application/jwk-set+json', text: JSON.stringify({ keys }), headers: CACHED };
  }
  if (path !== DISCOVERY_PATH) return undefined;
  const text = JSON.stringify({
    issuer: issuer.issuer,
    jwks_uri: issuer.keysUri ?? `${origin}${KEYS_PATH}`,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [...new Set(issuer.signer.publicKeys().map(({ alg }) => alg))].sort(),
  });
  return { contentType: 'application/json', text, headers: CACHED };
}
