/** What the codes of a failed TLS handshake mean, in words of the cluster's Secret. Node's own texts speak of Node's options and OpenSSL's files. */

/** `cause`: a clause about the cluster. `remedy`: whole sentences. */
export type TlsTrouble = { cause: string; remedy: string };

const UNKNOWN_AUTHORITY: TlsTrouble = {
  cause: 'its certificate is signed by an unknown authority',
  remedy: "The CA in certificate-authority-data of its Secret did not sign it: put the cluster's own CA there (PEM, in base64).",
};
const NO_TLS: TlsTrouble = {
  cause: 'it does not speak TLS there',
  remedy: 'Check the port in spec.apiEndpoint: it must be the one that serves HTTPS.',
};
const REFUSED_CLIENT: TlsTrouble = {
  cause: 'it does not accept our client certificate',
  remedy: 'Renew client-certificate-data and client-key-data of its Secret.',
};
const UNREADABLE_CLIENT: TlsTrouble = {
  cause: 'our client certificate cannot be read',
  remedy: 'Put client-certificate-data and client-key-data into its Secret as PEM, in base64.',
};

const TROUBLES: ReadonlyMap<string, TlsTrouble> = new Map([
  ['DEPTH_ZERO_SELF_SIGNED_CERT', UNKNOWN_AUTHORITY],
  ['SELF_SIGNED_CERT_IN_CHAIN', UNKNOWN_AUTHORITY],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', UNKNOWN_AUTHORITY],
  ['UNABLE_TO_GET_ISSUER_CERT', UNKNOWN_AUTHORITY],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', UNKNOWN_AUTHORITY],
  ['CERT_UNTRUSTED', UNKNOWN_AUTHORITY],
  ['CERT_SIGNATURE_FAILURE', UNKNOWN_AUTHORITY],
  [
    'CERT_HAS_EXPIRED',
    {
      cause: 'its certificate, or the CA that signed it, has expired',
      remedy: 'Renew it on the cluster, and a renewed CA also in certificate-authority-data of its Secret.',
    },
  ],
  [
    'CERT_NOT_YET_VALID',
    { cause: 'its certificate is not valid yet', remedy: 'Check the clocks of the cluster and of this control plane.' },
  ],
  ['ERR_SSL_WRONG_VERSION_NUMBER', NO_TLS],
  ['ERR_SSL_HTTP_REQUEST', NO_TLS],
  ['ERR_SSL_PACKET_LENGTH_TOO_LONG', NO_TLS],
  [
    'ERR_OSSL_X509_KEY_VALUES_MISMATCH',
    {
      cause: 'our client certificate and key do not belong together',
      remedy: 'Put a certificate with its own key into client-certificate-data and client-key-data of its Secret.',
    },
  ],
]);

const CHECK_ALL =
  'Check certificate-authority-data, client-certificate-data and client-key-data of its Secret, and the port in spec.apiEndpoint.';

/** What a network error means if TLS is the trouble; undefined: it is something else. `message` is Node's. */
export function tlsTrouble({ code, message }: { code: string; message: string }): TlsTrouble | undefined {
  const known = TROUBLES.get(code);
  if (known) return known;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return otherName(message);
  if (code.startsWith('ERR_OSSL')) return UNREADABLE_CLIENT;
  if (!/^(EPROTO$|CERT_|ERR_TLS|ERR_SSL)/.test(code)) return undefined;
  const words =
    opensslReason(message) ??
    code
      .replace(/^ERR_(TLS|SSL)_/, '')
      .replaceAll('_', ' ')
      .toLowerCase();
  if (words === 'wrong version number') return NO_TLS;
  if (/alert.*(certificate|unknown ca|access denied)/.test(words)) return REFUSED_CLIENT;
  return { cause: `TLS failed (${words})`, remedy: CHECK_ALL };
}

/** `Hostname/IP does not match certificate's altnames: IP: 10.0.0.1 is not in the cert's list: 10.0.0.2`. */
function otherName(message: string): TlsTrouble {
  const [, list = ''] = /(?:cert's list: |cert's altnames: )(.*)$/.exec(message) ?? [];
  const names = list.trim() === '' ? '' : ` (it names ${list.trim().slice(0, 200)})`;
  return {
    cause: `its certificate does not name this host${names}`,
    remedy: 'Put an endpoint that the certificate names into spec.apiEndpoint.',
  };
}

/** The reason of `400D:error:0A00010B:SSL routines:tls_validate_record_header:wrong version number:file.c:77:`. */
function opensslReason(message: string): string | undefined {
  return /error:[0-9A-F]+:[^:]*:[^:]*:([^:]+)/.exec(message)?.[1]?.trim();
}
