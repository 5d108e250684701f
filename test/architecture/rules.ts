/** The import table of docs/architecture.md as data: which room may reach into which, and which libraries. */

/** A room: folder prefix -> folder prefixes it may import from, and packages it may use ('*' = any that package.json lists). */
export type Room = { prefix: string; may: readonly string[]; packages: readonly string[] };

const MACHINERY = ['shared/machinery'];
const APIS = [...MACHINERY, 'shared/apis'];
const PORTS = [...APIS, 'shared/ports'];
const FEDERATION = [...APIS, 'shared/federation'];
const WORKER = [...PORTS, 'shared/federation', 'shared/runtime'];

/** Rooms, the longest prefix first where they nest. Every source file must lie in one. */
export const ROOMS: readonly Room[] = [
  { prefix: 'shared/machinery', may: MACHINERY, packages: ['yaml', 're2js'] },
  { prefix: 'shared/apis', may: APIS, packages: [] },
  { prefix: 'shared/federation', may: FEDERATION, packages: [] },
  { prefix: 'shared/ports', may: PORTS, packages: [] },
  { prefix: 'shared/runtime', may: [...PORTS, 'shared/runtime'], packages: [] },
  { prefix: 'shared/apiserver', may: [...PORTS, 'shared/apiserver'], packages: ['hono'] },
  { prefix: 'shared/adapters/cells', may: [...PORTS, 'shared/adapters/cells'], packages: [] },
  { prefix: 'shared/adapters/http', may: [...PORTS, 'shared/adapters/http'], packages: [] },
  { prefix: 'shared/adapters/keys', may: [...PORTS, 'shared/adapters/keys'], packages: [] },
  { prefix: 'shared/adapters/sqlite', may: [...PORTS, 'shared/adapters/sqlite'], packages: [] },
  // The in-memory store is the SQLite one on ':memory:', not a second implementation.
  { prefix: 'shared/adapters/memory', may: [...PORTS, 'shared/adapters/memory', 'shared/adapters/sqlite'], packages: [] },
  {
    prefix: 'shared/adapters/kubernetes',
    may: [...PORTS, 'shared/adapters/kubernetes'],
    packages: ['undici', '@kubernetes/client-node'],
  },
  {
    prefix: 'shared/cli',
    may: [...FEDERATION, 'shared/ports', 'shared/adapters/kubernetes', 'shared/cli'],
    packages: ['commander', 'yaml'],
  },
  { prefix: 'functions/api', may: [...WORKER, 'shared/apiserver', 'functions/api'], packages: ['hono'] },
  { prefix: 'functions/console', may: [...APIS, 'functions/console'], packages: ['hono'] },
  ...['relay', 'scheduler', 'dispatcher', 'status', 'clusters', 'sweeper', 'cells'].map((name) => ({
    prefix: `functions/${name}`,
    may: [...WORKER, `functions/${name}`],
    packages: [],
  })),
  { prefix: 'cdk', may: ['shared', 'cdk'], packages: ['*'] },
  { prefix: 'localstack', may: ['shared', 'functions', 'localstack'], packages: ['*'] },
  { prefix: 'test', may: ['shared', 'functions', 'localstack', 'cdk', 'test', 'vitest.config.ts'], packages: ['*'] },
];

/** `main.ts` of a function wires it, and may reach the adapters for that. */
export const WIRING = { file: /^functions\/[^/]+\/main\.ts$/, may: 'shared/adapters' };

/** node: modules that do I/O, keep time or chance: forbidden in the pure rooms, but for what is named here. */
export const PURE_ROOMS: readonly { prefix: string; nodeModules: readonly string[] }[] = [
  { prefix: 'shared/machinery', nodeModules: ['node:crypto', 'node:buffer'] },
  { prefix: 'shared/apis/data', nodeModules: ['node:fs', 'node:url', 'node:zlib'] },
  { prefix: 'shared/apis', nodeModules: ['node:crypto'] },
  { prefix: 'shared/federation', nodeModules: ['node:crypto'] },
  { prefix: 'shared/ports', nodeModules: [] },
];

/** Calls that read the clock or chance; the pure rooms take `now` and ids as arguments. */
export const IMPURE_CALLS: readonly string[] = ['Date.now', 'Math.random', 'performance.now', 'crypto.randomUUID'];

export const FILE_LINES_MAX = 400;
export const FUNCTION_LINES_MAX = 70;

/** Top level of the checkout is fixed. */
export const TOP_LEVEL = new Set([
  'package.json', 'package-lock.json', 'cdk', 'functions', 'shared', 'localstack', 'test', 'README.md', 'docs', 'examples',
  '.ci', 'LICENSE', 'tsconfig.json', 'tsconfig.build.json', 'biome.json', 'vitest.config.ts', '.gitignore', '.npmrc',
]); // biome-ignore format: one list
