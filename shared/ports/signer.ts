/** Signatures of tokens: a key that signs, somewhere safe, and public keys that check. */

/** A public key as RFC 7517 writes it. `kid` and `alg` name it and its only use. */
export type PublicKey = {
  kty: string;
  kid: string;
  alg: string;
  use?: string;
  crv?: string;
  x?: string;
  y?: string;
  n?: string;
  e?: string;
};

/** Signs ServiceAccount tokens. The private key never leaves it (on AWS it lies in KMS). */
export type Signer = {
  /** RFC 7518 name, `ES256` or `RS256`, and the `kid` of the key that signs. */
  algorithm: string;
  keyId: string;
  /** Rejects when the keeper of the key does not answer. */
  sign(input: Uint8Array): Promise<Uint8Array>;
  /** The key that signs, then those that were used before it and still verify. */
  publicKeys(): readonly PublicKey[];
};

/** Does the signature (JWS form) over `input` stem from this key, by the key's own algorithm? False too for keys it cannot read. Never throws. */
export type VerifySignature = (key: PublicKey, input: Uint8Array, signature: Uint8Array) => boolean;
