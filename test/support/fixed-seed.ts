// Preloaded into each test process: random tests try the same values in each run, so that a failure comes back.
// FUZZ_SEED chooses other values; FUZZ_RUNS how many, where a test does not say so itself.
import fc from 'fast-check'

const { FUZZ_SEED, FUZZ_RUNS } = process.env

fc.configureGlobal({
  seed: Number(FUZZ_SEED ?? 20260101),
  ...(FUZZ_RUNS !== undefined && { numRuns: Number(FUZZ_RUNS) }),
})
