/**
 * `node test/vectors/run.ts [DIR]`: runs every vector file of a folder (default: this one) against the production functions.
 * Ends with `N passed, N failed, N skipped`; exit code 1 when anything failed.
 */
import { join } from 'node:path';
import { loadMappers, runVectors } from './runner.ts';

const report = runVectors(process.argv[2] ?? import.meta.dirname, await loadMappers(join(import.meta.dirname, 'mappers')));
for (const line of report.lines) console.log(line);
console.log(`${report.passed} passed, ${report.failed} failed, ${report.skipped} skipped`);
process.exitCode = report.failed > 0 ? 1 : 0;
