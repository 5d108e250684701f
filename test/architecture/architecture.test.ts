/** The rules of docs/architecture.md and of the style, checked on the syntax trees of all sources. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FILE_LINES_MAX, FUNCTION_LINES_MAX, IMPURE_CALLS, PURE_ROOMS, ROOMS, type Room, TOP_LEVEL, WIRING } from './rules.ts';
import { projectFiles, ROOT, readSource, type SourceFile } from './source.ts';

const files = projectFiles();
const sources = files.filter((path) => path.endsWith('.ts') && path !== 'vitest.config.ts').map(readSource);
const packages = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Record<string, Record<string, string>>;
const runtimePackages = new Set(Object.keys(packages.dependencies ?? {}));
const allPackages = new Set([...runtimePackages, ...Object.keys(packages.devDependencies ?? {})]);

const within = (path: string, prefix: string) => path === prefix || path.startsWith(`${prefix}/`);
const roomOf = (path: string): Room | undefined => ROOMS.find((room) => within(path, room.prefix));

/** Sentences about what breaks the import table in one file; exported through the checker's own test below. */
function importViolations(source: SourceFile): string[] {
  const room = roomOf(source.path);
  if (!room) return [`${source.path} lies in no room`];
  return source.imports.flatMap(({ target, line }) => {
    const where = `${source.path}:${line} imports ${target}`;
    if (target.startsWith('node:')) return nodeModuleAllowed(source.path, target) ? [] : [`${where}: this room is pure`];
    if (!target.includes('/') || target.startsWith('@'))
      return packageAllowed(room, target) ? [] : [`${where}: the room may not use it`];
    if (room.may.some((prefix) => within(target, prefix))) return [];
    if (WIRING.file.test(source.path) && within(target, WIRING.may)) return [];
    return [`${where}: ${room.prefix} may import only ${room.may.join(', ')}`];
  });
}

function nodeModuleAllowed(path: string, target: string): boolean {
  const pure = PURE_ROOMS.find((room) => within(path, room.prefix));
  return !pure || pure.nodeModules.includes(target);
}

function packageAllowed(room: Room, target: string): boolean {
  if (room.packages.includes('*')) return room.prefix === 'localstack' ? runtimePackages.has(target) : allPackages.has(target);
  return room.packages.includes(target) && runtimePackages.has(target);
}

describe('architecture', () => {
  test('imports follow the table', () => {
    expect(sources.flatMap(importViolations)).toEqual([]);
  });

  test('pure rooms take time and chance as arguments', () => {
    const found = sources
      .filter((source) => PURE_ROOMS.some((room) => within(source.path, room.prefix)))
      .flatMap((source) =>
        source.calls
          .filter(({ callee }) => IMPURE_CALLS.includes(callee))
          .map(({ callee, line }) => `${source.path}:${line} ${callee}`),
      );
    expect(found).toEqual([]);
  });

  test(`no file has more than ${FILE_LINES_MAX} lines`, () => {
    expect(sources.filter(({ lines }) => lines > FILE_LINES_MAX).map(({ path, lines }) => `${path}: ${lines}`)).toEqual([]);
  });

  test(`no function has more than ${FUNCTION_LINES_MAX} lines`, () => {
    const long = sources
      .filter(({ path }) => !path.endsWith('.test.ts') && !within(path, 'test/contract'))
      .flatMap(({ path, functions }) =>
        functions.filter(({ lines }) => lines > FUNCTION_LINES_MAX).map((f) => `${path}:${f.line} ${f.name}: ${f.lines}`),
      );
    expect(long).toEqual([]);
  });

  test('the top level is fixed', () => {
    expect([...new Set(files.map((path) => path.split('/')[0] ?? ''))].filter((name) => !TOP_LEVEL.has(name))).toEqual([]);
  });

  test('every dependency is explained and pinned', () => {
    const explained = readFileSync(join(ROOT, 'docs/dependencies.md'), 'utf8');
    const listed = { ...packages.dependencies, ...packages.devDependencies };
    expect(Object.entries(listed).filter(([name, version]) => !explained.includes(name) || !/^\d/.test(version))).toEqual([]);
  });

  test('the checker sees what it is to see', () => {
    const planted: SourceFile = {
      path: 'shared/machinery/planted.ts',
      lines: 1,
      functions: [],
      calls: [],
      imports: [
        { target: 'shared/apis/definition.ts', line: 1 },
        { target: 'node:fs', line: 2 },
        { target: 'undici', line: 3 },
        { target: 'shared/machinery/object.ts', line: 4 },
      ],
    };
    expect(importViolations(planted)).toHaveLength(3);
    expect(importViolations({ ...planted, path: 'elsewhere/planted.ts' })).toEqual(['elsewhere/planted.ts lies in no room']);
  });
});
