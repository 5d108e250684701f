import { defineConfig } from 'vitest/config';

/** Tests run on the sources; two workers, because the machines that run them have two cores. `npm run test:unit -- PATH` picks some. */
export default defineConfig({
  test: {
    include: ['test/{unit,contract,integration,architecture,simulation}/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    maxWorkers: 2,
    reporters: ['default'],
  },
});
