/** Token and port of a server outlive its process, so that a kubeconfig that was copied somewhere stays valid. */
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** `port` 0: none was taken yet. */
export type KeptAccess = { token: string; port: number };

const FILE = 'access.json';

/** What is kept in `dir`, or a new token. A file that cannot be read as such is replaced: the worst is a new kubeconfig. */
export async function readAccess(dir: string): Promise<KeptAccess> {
  try {
    const { token, port } = JSON.parse(await readFile(join(dir, FILE), 'utf8')) as Partial<KeptAccess>;
    if (typeof token === 'string' && token !== '' && typeof port === 'number') return { token, port };
  } catch (error) {
    if (!(error instanceof SyntaxError) && (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const made = { token: randomBytes(32).toString('base64url'), port: 0 };
  await keepAccess(dir, made);
  return made;
}

/** Writes it readable by its owner alone, whole or not at all: half a file would be replaced by a new token, and every copied kubeconfig with it. */
export async function keepAccess(dir: string, access: KeptAccess): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const draft = join(dir, `${FILE}.${randomBytes(6).toString('hex')}`);
  try {
    await writeFile(draft, JSON.stringify(access), { mode: 0o600, flag: 'wx' });
    await rename(draft, join(dir, FILE));
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
