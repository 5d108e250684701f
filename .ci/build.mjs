// Compiles the sources into dist/ for `npm pack`, and lays the type data beside them.
import { execFileSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';

rmSync('dist', { recursive: true, force: true });
execFileSync('tsc', ['-p', 'tsconfig.build.json'], { stdio: 'inherit', shell: process.platform === 'win32' });
cpSync('shared/apis/data', 'dist/shared/apis/data', { recursive: true, filter: (path) => !path.endsWith('.ts') });
