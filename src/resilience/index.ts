export { Circuit, type CircuitSettings } from './circuit-breaker/circuit.ts'
export {
  type Attempt,
  type Guard,
  openCircuitBreaker,
} from './circuit-breaker/circuit-breaker.ts'
export { isFailure } from './circuit-breaker/failure.ts'
export { bufferForReplay } from './retries/replay.ts'
export { BucketTable, type TableSize } from './throttling/bucket-table.ts'
export { admitted, gcraRate, refused } from './throttling/gcra.ts'
export { withResilience } from './with-resilience.ts'
