// Preloaded into each test process: property tests use the same values in each run, so that failures are reproducible.
// FUZZ_SEED selects other values; FUZZ_RUNS is their number, where a test does not set it.
import { isMainThread } from 'node:worker_threads'

const { FUZZ_SEED, FUZZ_RUNS, NODE_TEST_CONTEXT } = process.env

// The module is also preloaded into each thread, and fast-check is large.
if (isMainThread && NODE_TEST_CONTEXT !== undefined) {
  const { configureGlobal } = await import('fast-check')
  configureGlobal({
    seed: Number(FUZZ_SEED ?? 20260101),
    ...(FUZZ_RUNS !== undefined && { numRuns: Number(FUZZ_RUNS) }),
  })
}
