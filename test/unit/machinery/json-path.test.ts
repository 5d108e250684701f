import { describe, expect, test } from 'vitest';
import { findJsonPath, parseJsonPath } from '../../../shared/machinery/json-path.ts';
import type { JsonValue } from '../../../shared/machinery/object.ts';

const object: JsonValue = {
  metadata: { labels: { 'a.b/c': 'x' }, annotations: {} },
  spec: { ports: [{ port: 80 }, { port: 443 }], names: ['a', 'b', 'c'] },
  status: {
    conditions: [
      { type: 'Ready', status: 'True', weight: 5 },
      { type: 'Synced', status: 'False', weight: 9 },
    ],
  },
};

const find = (path: string) => {
  const parsed = parseJsonPath(path);
  return parsed && findJsonPath(parsed, object);
};

describe('a path', () => {
  test.each<[string, JsonValue[]]>([
    ['.spec.names', [['a', 'b', 'c']]],
    ['spec.names[0]', ['a']],
    ['$.spec.names[-1]', ['c']],
    ['.spec.names[1:]', ['b', 'c']],
    ['.spec.names[*]', ['a', 'b', 'c']],
    ['.spec.ports[*].port', [80, 443]],
    [".metadata.labels['a.b/c']", ['x']],
    ['.metadata.labels.a\\.b/c', ['x']],
    ['.status.conditions[?(@.type=="Ready")].status', ['True']],
    [".status.conditions[?(@.type == 'Synced')].status", ['False']],
    ['.status.conditions[?(@.weight>5)].type', ['Synced']],
    ['.status.conditions[?(@.weight)].type', ['Ready', 'Synced']],
    ['..port', [80, 443]],
    ['.spec.missing.more', []],
    ['.spec.names.length', []],
    ['.metadata.__proto__', []],
  ])('%s', (path, want) => {
    expect(find(path)).toEqual(want);
  });

  test.each(['.spec.names[', '.spec[?(', '.a b', '.x[abc]'])('%s is none', (path) => {
    expect(parseJsonPath(path)).toBeUndefined();
  });
});
