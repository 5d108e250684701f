/** JSON Web Tokens in compact form (RFC 7515, 7519): taken apart and put together. Signatures are made and checked elsewhere. Pure. */
import { parseJson } from './codec/json.ts';
import type { JsonObject, JsonValue } from './object.ts';

/** A token taken apart; nothing in it is believed until the signature over `signed` is checked. */
export type ParsedJwt = { header: JsonObject; claims: JsonObject; signed: Uint8Array; signature: Uint8Array };

const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** Takes a token apart; undefined for anything but three parts of base64url, the first two of them JSON objects. */
export function parseJwt(token: string): ParsedJwt | undefined {
  if (!COMPACT.test(token)) return undefined;
  const [header = '', claims = '', signature = ''] = token.split('.');
  const parsedHeader = parseObject(header);
  const parsedClaims = parseObject(claims);
  if (!parsedHeader || !parsedClaims) return undefined;
  return {
    header: parsedHeader,
    claims: parsedClaims,
    signed: Buffer.from(`${header}.${claims}`),
    signature: Buffer.from(signature, 'base64url'),
  };
}

function parseObject(part: string): JsonObject | undefined {
  try {
    const value: JsonValue = parseJson(Buffer.from(part, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What is to be signed: header and claims, encoded. */
export function jwtSigningInput(header: JsonObject, claims: JsonObject): string {
  const encode = (part: JsonObject) => Buffer.from(JSON.stringify(part)).toString('base64url');
  return `${encode(header)}.${encode(claims)}`;
}

/** The token of a signing input and its signature. */
export function joinJwt(signingInput: string, signature: Uint8Array): string {
  return `${signingInput}.${Buffer.from(signature).toString('base64url')}`;
}

/** `aud` as a list: a text is a list of one. Anything else holds no audience. */
export function audiencesOf({ aud }: JsonObject): string[] {
  if (typeof aud === 'string') return [aud];
  return Array.isArray(aud) ? aud.filter((each) => typeof each === 'string') : [];
}

/** Why the times of a token do not hold at `now` (epoch ms); undefined when they do. Seconds since the epoch, as RFC 7519 has them. */
export function jwtTimeProblem(
  claims: JsonObject,
  now: number,
  leewayMs: number,
): 'expired' | 'notYet' | 'issuedLater' | undefined {
  const ms = (value: JsonValue | undefined) => (typeof value === 'number' ? value * 1000 : undefined);
  const notBefore = ms(claims.nbf);
  const expires = ms(claims.exp);
  const issued = ms(claims.iat);
  if (notBefore !== undefined && now + leewayMs < notBefore) return 'notYet';
  if (expires !== undefined && now - leewayMs > expires) return 'expired';
  if (issued !== undefined && now + leewayMs < issued) return 'issuedLater';
  return undefined;
}
