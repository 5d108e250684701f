/** Checks JWS signatures with Node's crypto. Only algorithms with a public key: no HMAC, no `none`. */
import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import type { PublicKey, VerifySignature } from '../../ports/signer.ts';

/** RFC 7518 algorithms by name: the digest, and how the signature is encoded. */
const ALGORITHMS: Readonly<Record<string, { digest: string; kty: string }>> = {
  ES256: { digest: 'sha256', kty: 'EC' },
  ES384: { digest: 'sha384', kty: 'EC' },
  ES512: { digest: 'sha512', kty: 'EC' },
  RS256: { digest: 'sha256', kty: 'RSA' },
  RS384: { digest: 'sha384', kty: 'RSA' },
  RS512: { digest: 'sha512', kty: 'RSA' },
};

/** A checker that reads each key once. The algorithm is the key's, never the token's. */
export function createVerifier(): VerifySignature {
  const keys = new WeakMap<PublicKey, KeyObject>();
  return (key, input, signature) => {
    const algorithm = Object.hasOwn(ALGORITHMS, key.alg) ? ALGORITHMS[key.alg] : undefined;
    if (algorithm === undefined || algorithm.kty !== key.kty) return false;
    try {
      const read = keys.get(key) ?? createPublicKey({ key, format: 'jwk' });
      keys.set(key, read);
      return verify(algorithm.digest, input, { key: read, dsaEncoding: 'ieee-p1363' }, signature);
    } catch {
      // A key that Node cannot read, or one that does not fit its algorithm, verifies nothing.
      return false;
    }
  };
}
