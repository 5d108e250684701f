/** `url()` and `isURL()`: absolute URIs and absolute paths, as Go's url.ParseRequestURI takes them. */
import { quoteGo } from '../../go-quote.ts';
import { global, member, type Overload } from '../functions.ts';
import { sizeOf } from '../operators.ts';
import { type CelOpaque, type CelValue, fail, opaque, textMap } from '../values.ts';

type Url = { scheme: string; host: string; path: string; query: string; text: string };
type Parsed = { ok: true; url: Url } | { ok: false; problem: string };

const TYPE = 'kubernetes.URL';
const FORM = /^(?:([A-Za-z][A-Za-z\d+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#.*)?$/;

/** Go's complaint follows `parse "<text>": `. */
export function parseRequestUri(text: string): Parsed {
  const refuse = (why: string): Parsed => ({ ok: false, problem: `parse ${quoteGo(text)}: ${why}` });
  if (text === '') return refuse('empty url');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
  if (/[\x00-\x1f\x7f]/.test(text)) return refuse('net/url: invalid control character in URL');
  const colon = /^[^/?#]*?:/.exec(text);
  if (colon && !/^[A-Za-z]/.test(text))
    return refuse(text.startsWith(':') ? 'missing protocol scheme' : 'first path segment in URL cannot contain colon');
  const match = FORM.exec(text);
  if (!match) return refuse('invalid URI for request');
  const [, scheme = '', authority, path = '', query = ''] = match;
  if (scheme === '' && !text.startsWith('/')) return refuse('invalid URI for request');
  const wrongEscape = /%(?![\da-fA-F]{2}).{0,2}/.exec(`${authority ?? ''}${path}`);
  if (wrongEscape) return refuse(`invalid URL escape ${quoteGo(wrongEscape[0])}`);
  // A request that begins with a path has no authority of its own, whatever follows.
  const plain =
    scheme === '' ? { host: '', path: path === '' ? text : (authority === undefined ? '' : `//${authority}`) + path } : undefined;
  if (plain) return { ok: true, url: { scheme, ...plain, query, text } };
  const problem = authorityProblem(authority ?? '');
  if (problem !== undefined) return refuse(problem);
  if (authority === undefined && !path.startsWith('/'))
    return { ok: true, url: { scheme: scheme.toLowerCase(), host: '', path: '', query, text } };
  return { ok: true, url: { scheme: scheme.toLowerCase(), host: (authority ?? '').replace(/^.*@/, ''), path, query, text } };
}

function authorityProblem(authority: string): string | undefined {
  const host = authority.replace(/^.*@/, '');
  if (host.startsWith('[')) {
    const end = host.lastIndexOf(']');
    if (end < 0) return "missing ']' in host";
    const rest = host.slice(end + 1);
    return rest === '' || /^:\d*$/.test(rest) ? undefined : `invalid port ${quoteGo(rest)} after host`;
  }
  const colon = host.indexOf(':');
  if (colon >= 0 && !/^:\d*$/.test(host.slice(colon)))
    return `invalid port ${quoteGo(host.slice(host.lastIndexOf(':')))} after host`;
  const wrong = /[ "<>\\^`{|}]/.exec(host);
  return wrong ? `invalid character ${quoteGo(wrong[0])} in host name` : undefined;
}

function toUrl(text: CelValue): CelValue {
  const parsed = parseRequestUri(text as string);
  if (!parsed.ok) return fail(`URL parse error during conversion from string: ${parsed.problem}`);
  const { url } = parsed;
  return opaque(TYPE, url, (other) => (other as Url).text === url.text);
}

const get = (read: (url: Url) => CelValue) => (value: CelValue) => read((value as CelOpaque).data as Url);

function hostname({ host }: Url): string {
  if (host.startsWith('[')) return host.slice(1, host.indexOf(']'));
  return host.replace(/:\d*$/, '');
}

function port({ host }: Url): string {
  return /^(?:\[[^\]]*\]|[^:]*):(\d*)$/.exec(host)?.[1] ?? '';
}

function queryMap({ query }: Url): CelValue {
  const values = new Map<string, string[]>();
  for (const [key, value] of new URLSearchParams(query)) values.set(key, [...(values.get(key) ?? []), value]);
  return textMap([...values]);
}

/** Bytes that a path may hold as they are; everything else is escaped. */
function escapedPath({ path }: Url): string {
  return path.replace(/[^\w\-.~$&+,/:;=@!'()*%[\]]/gu, (char) => encodeURIComponent(char));
}

const walk = (text: CelValue = null): number => Math.ceil(sizeOf(text) / 10);

export const URLS: readonly Overload[] = [
  global('url', 'string', TYPE, toUrl, walk),
  global('isURL', 'string', 'bool', (text) => parseRequestUri(text as string).ok, walk),
  member(
    'getScheme',
    TYPE,
    'string',
    get(({ scheme }) => scheme),
  ),
  member(
    'getHost',
    TYPE,
    'string',
    get(({ host }) => host),
  ),
  member('getHostname', TYPE, 'string', get(hostname)),
  member('getPort', TYPE, 'string', get(port)),
  member('getEscapedPath', TYPE, 'string', get(escapedPath)),
  member('getQuery', TYPE, 'map(string, list(string))', get(queryMap)),
];
