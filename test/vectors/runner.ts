/** Runs every vector file of a folder against the production functions, and counts. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { JsonValue } from '../../shared/machinery/object.ts';
import { comparisonOf, isUnordered, matches } from './compare.ts';
import type { Mapper, Mappers, VectorRecord } from './outcome.ts';

/** `lines` is what a person reads: one line per failure and per skipped file. Counts are records; a file that cannot be read counts one. */
export type VectorReport = { passed: number; failed: number; skipped: number; lines: readonly string[] };

/** Files that may be skipped while nothing maps them, by name, with the reason that is printed. */
const SKIPPABLE: readonly { file: RegExp; reason: string }[] = [
  { file: /^planner_binpack$/, reason: 'the bin-pack planner is not built yet' },
  { file: /^webhook_/, reason: 'webhook plugins are not built yet' },
  { file: /^hpa_mode$/, reason: 'federated HPA is not built yet' },
  { file: /^automigration$/, reason: 'auto-migration is not built yet' },
  { file: /^kubefed_/, reason: 'the KubeFed front end is not built yet' },
  { file: /^uniteddeployment_/, reason: 'the UnitedDeployment front end is not built yet' },
  { file: /^karmada_/, reason: 'the Karmada presets are not built yet' },
  { file: /^fedv1_dns$/, reason: 'the federation v1 front end is not built yet' },
];

/** What lies beside the vectors of the project's own folder. */
const NOT_VECTORS = /(\.ts|\.md)$/;

/** The joined mappers of a folder; `failures` names mapper files that could not be loaded. */
export type LoadedMappers = { mappers: Mappers; failures: readonly string[] };

/** Reads every `*.ts` of a folder and joins their `mappers`. A file that cannot be loaded does not keep the others from running. */
export async function loadMappers(directory: string): Promise<LoadedMappers> {
  const mappers: Mappers = {};
  const failures: string[] = [];
  for (const file of readdirSync(directory).sort()) {
    if (!file.endsWith('.ts')) continue;
    try {
      const loaded = (await import(pathToFileURL(join(directory, file)).href)) as { mappers: Mappers };
      for (const [name, mapper] of Object.entries(loaded.mappers)) {
        if (Object.hasOwn(mappers, name)) throw new Error(`${name} is mapped by another file already`);
        mappers[name] = mapper;
      }
    } catch (error) {
      failures.push(`FAILED mappers/${file}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return { mappers, failures };
}

/** Runs the vector files of one folder. An unknown file, an unknown shape and an exception are failures, by name. */
export function runVectors(directory: string, { mappers, failures }: LoadedMappers): VectorReport {
  const report = { passed: 0, failed: failures.length, skipped: 0, lines: [...failures] };
  const entries = readdirSync(directory, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    if (entry.isDirectory() || NOT_VECTORS.test(entry.name)) continue;
    const one = runFile(join(directory, entry.name), entry.name, mappers);
    report.passed += one.passed;
    report.failed += one.failed;
    report.skipped += one.skipped;
    report.lines.push(...one.lines);
  }
  if (report.passed + report.failed + report.skipped > 0) return report;
  return { ...report, failed: 1, lines: [`FAILED ${directory}: no vector file in this folder`] };
}

function runFile(path: string, name: string, mappers: Mappers): VectorReport {
  const broken = (why: string): VectorReport => ({ passed: 0, failed: 1, skipped: 0, lines: [`FAILED ${name}: ${why}`] });
  if (!name.endsWith('.json')) return broken('not a vector file (.json)');
  const base = name.slice(0, -'.json'.length);
  const mapper = Object.hasOwn(mappers, base) ? mappers[base] : undefined;
  const skip = SKIPPABLE.find(({ file }) => file.test(base));
  if (!mapper && !skip) return broken('no mapper knows this file');
  const records = readRecords(path);
  if (typeof records === 'string') return broken(records);
  if (mapper) return runRecords(base, name, records, mapper);
  return { passed: 0, failed: 0, skipped: records.length, lines: [`skipped: ${name} (${skip?.reason ?? ''})`] };
}

function readRecords(path: string): unknown[] | string {
  try {
    const parsed: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (!Array.isArray(parsed)) return 'not a JSON array of records';
    return parsed.length === 0 ? 'no records' : parsed;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function runRecords(base: string, name: string, records: readonly unknown[], mapper: Mapper): VectorReport {
  const lines: string[] = [];
  let passed = 0;
  for (const [index, record] of records.entries()) {
    const why = isRecord(record) ? judge(base, record, mapper) : 'a record needs name, input and expected';
    if (why === undefined) passed++;
    else lines.push(`FAILED ${name} ${isRecord(record) ? record.name : `record ${index + 1}`}: ${why}`);
  }
  return { passed, failed: lines.length, skipped: 0, lines };
}

function isRecord(record: unknown): record is VectorRecord {
  if (typeof record !== 'object' || record === null) return false;
  return 'name' in record && typeof record.name === 'string' && 'input' in record && 'expected' in record;
}

/** Undefined when the record passes; otherwise why it does not. */
function judge(base: string, record: VectorRecord, mapper: Mapper): string | undefined {
  try {
    const outcome = mapper(record);
    if (outcome.type === 'unknown') return `unknown shape: ${outcome.what}`;
    const mustFail = errorExpected(record.expected) === true;
    if (outcome.type === 'failed') return mustFail ? undefined : `refused: ${outcome.message}`;
    if (mustFail) return `an error was expected, got ${show(outcome.value)}`;
    const expected = withoutError(record.expected);
    const actual = errorExpected(record.expected) === false ? withoutError(outcome.value) : outcome.value;
    if (matches(actual, expected, comparisonOf(base), isUnordered(record.note))) return undefined;
    return `want ${show(expected)}, got ${show(actual)}`;
  } catch (error) {
    return `threw ${error instanceof Error ? (error.stack ?? error.message).split('\n').slice(0, 3).join(' ') : String(error)}`;
  }
}

function errorExpected(expected: JsonValue): JsonValue | undefined {
  if (typeof expected !== 'object' || expected === null || Array.isArray(expected)) return undefined;
  return expected.error;
}

/** `error: false` says nothing beyond "it did not fail", which was checked. */
function withoutError(expected: JsonValue): JsonValue {
  if (errorExpected(expected) !== false) return expected;
  const { error: _error, ...rest } = expected as { [key: string]: JsonValue };
  return rest;
}

function show(value: JsonValue): string {
  const shown = JSON.stringify(value);
  return shown.length > 400 ? `${shown.slice(0, 400)}...` : shown;
}
