/**
 * YAML in and out, read as kubectl and kube-apiserver read it (sigs.k8s.io/yaml on go-yaml v2): YAML 1.1's words for booleans, string
 * keys, timestamps as text, aliases and merge keys within limits. The parser only builds the tree; what a plain word means is decided here.
 */
import { Document, isAlias, isMap, isScalar, isSeq, type ParsedNode, Scalar, visit, type YAMLMap } from 'yaml';
import { setOwn } from '../equality.ts';
import { YAML_DOCUMENTS_MAX, YAML_EXPANDED_NODES_MAX, YAML_NESTING_MAX } from '../limits.ts';
import type { JsonObject, JsonValue } from '../object.ts';
import { duplicateKeys } from './duplicate-keys.ts';
import { parseJson } from './json.ts';
import { composeDocuments, tooDeep } from './yaml-documents.ts';
import { isAmbiguous, resolvePlain } from './yaml-words.ts';

type Node = ParsedNode | null | undefined;
type Reader = {
  anchors: Map<string, Node>;
  /** Anchors whose node is being read: an alias to one of them would never end. */
  open: Set<string>;
  expandedNodes: number;
  aliasDepth: number;
  duplicates: string[];
  text: string;
};

/** What go-yaml says where our parser says this. */
const GO_WORDS: ReadonlyMap<string, string> = new Map([
  ['Tabs are not allowed as indentation', 'found a tab character that violates indentation'],
]);

const STRINGIFY = { indentSeq: false, lineWidth: 0, aliasDuplicateObjects: false } as const;

/** The first document of a text as JSON; null when it is empty. Of a key given twice the last counts. Throws SyntaxError. */
export function parseYaml(text: string): JsonValue {
  return parseFirst(text).value;
}

/** Like `parseYaml`, and names keys given twice as upstream does: `line 3: key "a" already set in map`. */
export function parseYamlStrictly(text: string): { value: JsonValue; duplicates: string[] } {
  return parseFirst(text);
}

/** All documents of a stream; empty ones are left out. Throws SyntaxError. */
export function parseYamlDocuments(text: string): JsonValue[] {
  const values: JsonValue[] = [];
  let count = 0;
  for (const document of composeDocuments(text)) {
    count += 1;
    if (count > YAML_DOCUMENTS_MAX) throw new SyntaxError(`yaml: more than ${YAML_DOCUMENTS_MAX} documents`);
    const { value } = readDocument(document, text);
    if (value !== null) values.push(value);
  }
  return values;
}

/** YAML text that any YAML 1.1 or 1.2 reader understands alike; lists stand flush with their key, as kubectl prints them. */
export function stringifyYaml(value: JsonValue): string {
  const document = new Document(value, STRINGIFY);
  visit(document, {
    Scalar(_key, node) {
      if (typeof node.value === 'string' && isAmbiguous(node.value)) node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  return document.toString(STRINGIFY);
}

function parseFirst(text: string): { value: JsonValue; duplicates: string[] } {
  // Clients send JSON under YAML's content types; JSON is read a hundred times faster.
  if (/^\s*\{/.test(text)) {
    const json = tryJson(text);
    if (json) return json;
  }
  const [document] = composeDocuments(text);
  return document ? readDocument(document, text) : { value: null, duplicates: [] };
}

/** Undefined for flow YAML that is not JSON, and for JSON whose repeated keys must be found by the slow way. */
function tryJson(text: string): { value: JsonValue; duplicates: string[] } | undefined {
  try {
    const duplicates = duplicateKeys(text).map((path) => `key ${JSON.stringify(path)} already set in map`);
    return { value: parseJson(text), duplicates };
  } catch (error) {
    if (error instanceof SyntaxError && !error.message.startsWith('exceeded')) return undefined;
    throw error;
  }
}

function readDocument(document: Document.Parsed, text: string): { value: JsonValue; duplicates: string[] } {
  const fault = document.errors[0];
  if (fault) throw new SyntaxError(`yaml: line ${lineOf(text, fault.pos[0])}: ${GO_WORDS.get(fault.message) ?? fault.message}`);
  const reader: Reader = { anchors: new Map(), open: new Set(), expandedNodes: 0, aliasDepth: 0, duplicates: [], text };
  return { value: readNode(document.contents, 0, reader), duplicates: reader.duplicates };
}

function readNode(node: Node, depth: number, reader: Reader): JsonValue {
  if (depth > YAML_NESTING_MAX) throw tooDeep();
  if (reader.aliasDepth > 0) {
    reader.expandedNodes += 1;
    if (reader.expandedNodes > YAML_EXPANDED_NODES_MAX) throw new SyntaxError('yaml: document contains excessive aliasing');
  }
  if (isAlias(node)) return followAlias(node.source, depth, reader);
  if (!node) return null;
  const { anchor } = node;
  if (anchor === undefined || reader.aliasDepth > 0) return readContent(node, depth, reader);
  reader.anchors.set(anchor, node);
  reader.open.add(anchor);
  const value = readContent(node, depth, reader);
  reader.open.delete(anchor);
  return value;
}

/** Every use of an alias is read anew: no part of the result is shared, and each use is counted. */
function followAlias(anchor: string, depth: number, reader: Reader): JsonValue {
  const target = reader.anchors.get(anchor);
  if (!target) throw new SyntaxError(`yaml: unknown anchor '${anchor}' referenced`);
  if (reader.open.has(anchor)) throw new SyntaxError(`yaml: anchor '${anchor}' value contains itself`);
  reader.aliasDepth += 1;
  const value = readContent(target, depth, reader);
  reader.aliasDepth -= 1;
  return value;
}

function readContent(node: Node, depth: number, reader: Reader): JsonValue {
  if (isScalar(node)) return readScalar(node);
  if (isSeq(node)) return node.items.map((item) => readNode(item as Node, depth + 1, reader));
  if (isMap(node)) return readMap(node, depth, reader);
  return null;
}

function readMap(node: YAMLMap, depth: number, reader: Reader): JsonObject {
  const result: JsonObject = {};
  const merged: JsonObject[] = [];
  for (const pair of node.items) {
    const key = pair.key as Node;
    if (isMergeKey(key)) {
      merged.push(...mergeSources(readNode(pair.value as Node, depth + 1, reader)));
      continue;
    }
    const name = keyName(readNode(key, depth + 1, reader));
    if (Object.hasOwn(result, name) && reader.aliasDepth === 0) {
      reader.duplicates.push(`line ${lineOf(reader.text, key?.range?.[0] ?? 0)}: key ${JSON.stringify(name)} already set in map`);
    }
    setOwn(result, name, readNode(pair.value as Node, depth + 1, reader));
  }
  for (const source of merged) {
    for (const [name, value] of Object.entries(source)) {
      if (!Object.hasOwn(result, name)) setOwn(result, name, value);
    }
  }
  return result;
}

/** `<<: *base` and `<<: [*a, *b]`; keys of the map itself win, earlier sources win over later ones. */
function mergeSources(value: JsonValue): JsonObject[] {
  const sources = Array.isArray(value) ? value : [value];
  return sources.map((source) => {
    if (typeof source !== 'object' || source === null || Array.isArray(source)) {
      throw new SyntaxError('yaml: map merge requires map or sequence of maps as the value');
    }
    return source;
  });
}

function readScalar(node: Scalar): JsonValue {
  const text = typeof node.value === 'string' ? node.value : (node.source ?? '');
  const tag = node.tag?.replace('tag:yaml.org,2002:', '!!');
  if (tag === '!!binary') return Buffer.from(text, 'base64').toString('utf8');
  if (tag === undefined) return node.type === 'PLAIN' ? resolvePlain(text) : text;
  return ['!!int', '!!float', '!!bool', '!!null'].includes(tag) ? resolvePlain(text) : text;
}

function isMergeKey(key: Node): boolean {
  return isScalar(key) && key.type === 'PLAIN' && key.value === '<<';
}

function keyName(key: JsonValue): string {
  if (typeof key === 'string') return key;
  if (typeof key === 'number' || typeof key === 'boolean' || typeof key === 'bigint') return String(key);
  throw new SyntaxError(`yaml: unsupported map key: ${JSON.stringify(key)}`);
}

function lineOf(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}
