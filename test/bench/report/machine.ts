/** Where and when figures were measured: without it they mean nothing. */
import { execFile } from 'node:child_process';
import { cpus, loadavg, release, totalmem, type } from 'node:os';
import { promisify } from 'node:util';

const run = promisify(execFile);
const GIB = 1024 ** 3;

/** Lines that head a report: processor, memory, system, Node, Go, load before the run, commit and date. */
export async function describeMachine(root: string, goVersion: string | undefined): Promise<string[]> {
  const processors = cpus();
  const commit = await git(root, 'rev-parse', '--short=10', 'HEAD');
  const changed = (await git(root, 'status', '--porcelain', '--untracked-files=no')) !== '';
  return [
    `machine  ${processors[0]?.model.trim() ?? 'unknown processor'}, ${processors.length} cores, ${(totalmem() / GIB).toFixed(0)} GiB, ${type()} ${release()}`,
    `node     ${process.versions.node}${goVersion === undefined ? '' : `, go ${goVersion}`}`,
    `load     ${loadavg()
      .map((value) => value.toFixed(2))
      .join(' ')} before the run`,
    `commit   ${commit || 'unknown'}${changed ? ' with uncommitted changes' : ''}`,
    `date     ${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC`,
  ];
}

async function git(root: string, ...args: string[]): Promise<string> {
  try {
    return (await run('git', ['-C', root, ...args])).stdout.trim();
  } catch {
    return '';
  }
}
