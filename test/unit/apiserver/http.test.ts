import { describe, expect, test } from 'vitest';
import { createNegotiator, parseAccept } from '../../../shared/apiserver/http/accept.ts';
import { isEmptyBody, readBody } from '../../../shared/apiserver/http/body.ts';
import { goJsonError, summarizeBody } from '../../../shared/apiserver/http/go-json.ts';
import { respond, warningHeader } from '../../../shared/apiserver/http/respond.ts';
import { parseTarget } from '../../../shared/apiserver/http/target.ts';
import { BODY_BYTES_MAX } from '../../../shared/apiserver/limits.ts';
import { StatusError } from '../../../shared/machinery/status.ts';

const NONE = { group: '', version: '', resource: '', namespace: '', name: '', subresource: '', rest: '', watch: false };

const TARGETS: readonly [string, string, Partial<typeof NONE> | undefined][] = [
  ['the root names no resource', '/', undefined],
  ['an API group names no resource', '/apis/apps/v1', undefined],
  ['a core collection', '/api/v1/pods', { version: 'v1', resource: 'pods' }],
  ['a namespaced object', '/api/v1/namespaces/a/pods/p', { version: 'v1', namespace: 'a', resource: 'pods', name: 'p' }],
  [
    'a namespaced collection',
    '/apis/apps/v1/namespaces/a/deployments',
    { group: 'apps', version: 'v1', namespace: 'a', resource: 'deployments' },
  ],
  ['all namespaces', '/api/v1/namespaces', { version: 'v1', resource: 'namespaces' }],
  ['a namespace itself', '/api/v1/namespaces/a', { version: 'v1', resource: 'namespaces', name: 'a' }],
  [
    'a namespace subresource',
    '/api/v1/namespaces/a/finalize',
    { version: 'v1', resource: 'namespaces', name: 'a', subresource: 'finalize' },
  ],
  [
    'an object of a kind called status',
    '/api/v1/namespaces/a/status/x',
    { version: 'v1', namespace: 'a', resource: 'status', name: 'x' },
  ],
  [
    'a subresource',
    '/apis/apps/v1/namespaces/a/deployments/d/scale',
    { group: 'apps', version: 'v1', namespace: 'a', resource: 'deployments', name: 'd', subresource: 'scale' },
  ],
  [
    'a proxy path',
    '/api/v1/namespaces/a/pods/p/proxy/x/y',
    { version: 'v1', namespace: 'a', resource: 'pods', name: 'p', subresource: 'proxy', rest: 'x/y' },
  ],
  ['the old watch prefix', '/api/v1/watch/namespaces/a/pods', { version: 'v1', namespace: 'a', resource: 'pods', watch: true }],
  [
    'an escaped name',
    '/apis/g/v1/clusterroles/system%3Anode',
    { group: 'g', version: 'v1', resource: 'clusterroles', name: 'system:node' },
  ],
  ['a trailing slash', '/api/v1/nodes/', { version: 'v1', resource: 'nodes' }],
];

describe('parseTarget', () => {
  test.each(TARGETS)('%s: %s', (_sentence, path, want) => {
    const { resource } = parseTarget(`https://host:6443${path}?limit=5`);
    expect(resource).toEqual(want === undefined ? undefined : { ...NONE, ...want });
  });

  test('keeps the query and drops the fragment', () => {
    const { query, path } = parseTarget('https://host/api/v1/pods?labelSelector=a%3Db&watch=1#x');
    expect([path, query.get('labelSelector'), query.get('watch')]).toEqual(['/api/v1/pods', 'a=b', '1']);
  });

  test('bad percent-encoding is a 400', () => {
    expect(() => parseTarget('https://host/api/v1/pods/%zz')).toThrow(StatusError);
  });
});

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json';
const ACCEPTS: readonly [string, string | null, object][] = [
  ['no header', null, { media: 'application/json', as: 'object' }],
  ['kubectl get', TABLE, { media: 'application/json', as: 'table', version: 'v1' }],
  [
    'typed clients: protobuf first',
    'application/vnd.kubernetes.protobuf,application/json',
    { media: 'application/vnd.kubernetes.protobuf', as: 'object' },
  ],
  ['protobuf alone', 'application/vnd.kubernetes.protobuf', { media: 'application/vnd.kubernetes.protobuf', as: 'object' }],
  ['YAML', 'application/yaml', { media: 'application/yaml', as: 'object' }],
  ['quality decides', 'application/yaml;q=0.5, application/json', { media: 'application/json', as: 'object' }],
  ['metadata', 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1', { media: 'application/json', as: 'metadata' }],
  ['an unknown transform falls back to the next clause', 'application/json;as=Graph;g=x;v=v1,application/json', { as: 'object' }],
];

describe('negotiation', () => {
  const negotiate = createNegotiator();
  test.each(ACCEPTS)('%s', (_sentence, header, want) => {
    expect(negotiate(header)[0]).toMatchObject(want);
    expect(negotiate(header)[0]).toMatchObject(want);
  });

  test.each([['text/html'], ['application/json;q=0'], ['application/json;as=Table;g=other;v=v1']])(
    '%s is not acceptable',
    (header) => {
      expect(() => negotiate(header)).toThrow(expect.objectContaining({ status: expect.objectContaining({ code: 406 }) }));
    },
  );

  test('a Table alone leaves no plain form', () => {
    expect(negotiate('application/json;as=Table;v=v1;g=meta.k8s.io').map(({ as }) => as)).toEqual(['table']);
  });

  test('parameters are read with and without quotes', () => {
    expect(parseAccept('application/json; as="Table"; g=meta.k8s.io; v=v1')[0]).toMatchObject({
      as: 'Table',
      group: 'meta.k8s.io',
    });
  });
});

describe('bodies', () => {
  const post = (body: NonNullable<RequestInit['body']>, headers: Record<string, string> = {}) =>
    new Request('https://h/', { method: 'POST', body, headers, duplex: 'half' } as RequestInit);

  test('a body without a content type is JSON', async () => {
    const body = await readBody(post(new TextEncoder().encode('{}'), { 'content-length': '2' }));
    expect(body).toEqual({ mediaType: 'application/json', text: '{}', bytes: undefined });
  });

  test('an announced length above the limit is refused before anything is read', async () => {
    let pulled = 0;
    const pull = () => {
      pulled += 1;
    };
    const stream = new ReadableStream({ pull }, { highWaterMark: 0 });
    const request = post(stream, { 'content-length': String(BODY_BYTES_MAX + 1) });
    await expect(readBody(request)).rejects.toMatchObject({ status: { code: 413 } });
    expect(pulled).toBe(0);
  });

  test('a body of unknown length is refused once it is too long', async () => {
    const chunk = new Uint8Array(1024 * 1024);
    let sent = 0;
    const stream = new ReadableStream({
      pull(controller) {
        sent += 1;
        controller.enqueue(chunk);
      },
    });
    await expect(readBody(post(stream))).rejects.toMatchObject({ status: { code: 413 } });
    expect(sent).toBeLessThan(8);
  });

  const COMPLAINTS: readonly [string, string][] = [
    ['', 'unexpected end of JSON input'],
    ['{"a":', 'unexpected end of JSON input'],
    ['[{', 'unexpected end of JSON input'],
    ['{"a":"x', 'unexpected end of JSON input'],
    ['x', "invalid character 'x' looking for beginning of value"],
    ['{a:1}', "invalid character 'a' looking for beginning of object key string"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1 "b":2}', "invalid character '\"' after object key:value pair"],
    ['[1 2]', "invalid character '2' after array element"],
    ['[1,]', "invalid character ']' looking for beginning of value"],
    ['{"a":1}x', "invalid character 'x' after top-level value"],
    ['{"a":"\u0001"}', "invalid character '\\u0001' in string literal"],
  ];
  test.each(COMPLAINTS)('%s is refused in the words of Go', (text, want) => {
    const attempt = () => {
      try {
        return JSON.parse(text);
      } catch (error) {
        return goJsonError(text, error as Error);
      }
    };
    expect(attempt()).toBe(want);
  });

  const SUMMARIES: readonly [string, string][] = [
    ['', '<empty>'],
    ['{"a":', '{"a":'],
    ['[1]', '5b315d'],
    [`{"a":"${'x'.repeat(40)}"}`, `{"a":"${'x'.repeat(24)} ...`],
  ];
  test.each(SUMMARIES)('%s is summarized', (text, want) => {
    expect(summarizeBody({ text, bytes: undefined })).toBe(want);
  });

  test('an empty body is empty', async () => {
    expect(isEmptyBody(await readBody(new Request('https://h/', { method: 'DELETE' })))).toBe(true);
  });
});

describe('responses', () => {
  const context = { auditId: 'a', acceptsGzip: true, warnings: [] };

  test('a large body is compressed, a small one is not', async () => {
    const large = await respond(context, 200, 'application/json', 'x'.repeat(200 * 1024));
    const small = await respond(context, 200, 'application/json', '{}');
    expect([large.headers.get('content-encoding'), small.headers.get('content-encoding')]).toEqual(['gzip', null]);
    expect(Number((await large.arrayBuffer()).byteLength)).toBeLessThan(10_000);
  });

  const WARNINGS: readonly [string, string[], string][] = [
    ['quotes are escaped', ['unknown field "spec.foo"'], '299 - "unknown field \\"spec.foo\\""'],
    ['the same text is said once', ['a', 'a', 'b'], '299 - "a", 299 - "b"'],
    ['control characters become spaces', ['a\nb'], '299 - "a b"'],
    ['other letters travel as UTF-8 bytes', ['é'], '299 - "Ã©"'],
  ];
  test.each(WARNINGS)('%s', (_sentence, texts, want) => {
    expect(warningHeader(texts)).toBe(want);
  });

  test('too many warnings are cut and dropped', () => {
    const texts = Array.from({ length: 40 }, (_, index) => `${index}${'w'.repeat(500)}`);
    expect(warningHeader(texts).split('299').length - 1).toBe(16);
  });
});
