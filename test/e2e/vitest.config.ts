import { defineConfig } from 'vitest/config';

/** Tests that start the real program: one at a time, because each wants the machine for itself. `npm run test:e2e -- NAME` picks one. */
export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    include: ['test/e2e/**/*.test.ts'],
    testTimeout: 180_000,
    hookTimeout: 180_000,
    fileParallelism: false,
    reporters: ['verbose'],
  },
});
