/** Reads the project's TypeScript files and their syntax trees: imports, function sizes, calls by name. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { parseSync, Visitor } from 'rolldown/utils';

export const ROOT = new URL('../..', import.meta.url).pathname;

/** Files that git tracks or would track, relative to the root. */
export function projectFiles(): string[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' });
  return [...new Set(listed.split('\n').filter((path) => path !== ''))];
}

export type SourceFile = {
  path: string;
  lines: number;
  /** Where an import leads: a path relative to the root, `node:x`, or a package name. */
  imports: readonly { target: string; line: number }[];
  functions: readonly { name: string; line: number; lines: number }[];
  /** Member calls as written, `Date.now`. */
  calls: readonly { callee: string; line: number }[];
};

/** Parses one file; throws when it does not parse. */
export function readSource(path: string): SourceFile {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const starts = lineStarts(text);
  const lineOf = (offset: number) => lineAt(starts, offset);
  const imports: { target: string; line: number }[] = [];
  const functions: { name: string; line: number; lines: number }[] = [];
  const calls: { callee: string; line: number }[] = [];
  const addImport = (source: { value: unknown; start: number } | null) => {
    if (source && typeof source.value === 'string')
      imports.push({ target: resolveImport(path, source.value), line: lineOf(source.start) });
  };
  const addFunction = (node: { start: number; end: number; id?: { name: string } | null }) => {
    const line = lineOf(node.start);
    functions.push({ name: node.id?.name ?? '(anonymous)', line, lines: lineOf(node.end) - line + 1 });
  };
  new Visitor({
    ImportDeclaration: (node) => addImport(node.source),
    ExportNamedDeclaration: (node) => addImport(node.source),
    ExportAllDeclaration: (node) => addImport(node.source),
    ImportExpression: (node) => addImport(node.source as { value: unknown; start: number }),
    TSImportType: (node) => addImport(node.source),
    FunctionDeclaration: addFunction,
    FunctionExpression: addFunction,
    ArrowFunctionExpression: (node) => addFunction(node),
    CallExpression: (node) => {
      const callee = node.callee;
      if (callee.type !== 'MemberExpression' || callee.object.type !== 'Identifier' || callee.property.type !== 'Identifier')
        return;
      calls.push({ callee: `${callee.object.name}.${callee.property.name}`, line: lineOf(node.start) });
    },
  }).visit(program);
  return { path, lines: starts.length, imports, functions, calls };
}

function resolveImport(from: string, target: string): string {
  if (target.startsWith('.')) return normalize(join(dirname(from), target));
  if (target.startsWith('node:')) return target;
  const parts = target.split('/');
  return target.startsWith('@') ? parts.slice(0, 2).join('/') : (parts[0] ?? target);
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) if (at + 1 < text.length) starts.push(at + 1);
  return starts;
}

function lineAt(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low + 1;
}
