// Preloaded into each test process: property tests use the same values in each run, so that failures are reproducible.
// FUZZ_SEED selects other values; FUZZ_RUNS is their number, where a test does not set it.
import fc from 'fast-check'

const { FUZZ_SEED, FUZZ_RUNS } = process.env

fc.configureGlobal({
  seed: Number(FUZZ_SEED ?? 20260101),
  ...(FUZZ_RUNS !== undefined && { numRuns: Number(FUZZ_RUNS) }),
})
