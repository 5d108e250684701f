/** Maxima of authentication, authorization and audit. Bytes, characters, milliseconds and counts are named by their unit. */

/** What is remembered of one user between two changes of roles or bindings. */
export const DECISIONS_PER_USER_MAX = 500;

/** A bearer token above this is none of ours. */
export const TOKEN_LENGTH_MAX = 16_384;
/** How long a token that was accepted is believed without looking again, unless this process hears of a change (upstream keeps 10 s). */
export const TOKEN_CACHE_MS = 10_000;
export const TOKEN_CACHE_ENTRIES_MAX = 2000;
/** How far clocks of those who issue and those who check may be apart (upstream's leeway). */
export const CLOCK_LEEWAY_MS = 60_000;

/** Bounds of `expirationSeconds` of a TokenRequest, and what it is when nobody says. */
export const TOKEN_SECONDS_MIN = 600;
export const TOKEN_SECONDS_MAX = 2 ** 32;
export const TOKEN_SECONDS_DEFAULT = 3600;

/** Keys of an OIDC issuer are asked for again after this long; for a key that is not known, no sooner than the second. */
export const ISSUER_KEYS_MS = 3_600_000;
export const ISSUER_RETRY_MS = 10_000;

/** Values of one request's impersonation headers. */
export const IMPERSONATED_VALUES_MAX = 256;
