export { Circuit, type CircuitSettings } from './circuit-breaker/circuit.ts'
export {
  type Attempt,
  CIRCUIT_METRICS,
  type Guard,
  openCircuitBreaker,
} from './circuit-breaker/circuit-breaker.ts'
export { isFailure } from './circuit-breaker/failure.ts'
export { openServerCircuits } from './circuit-breaker/server-circuits.ts'
export { EVENTS as RESILIENCE_EVENTS } from './log-events.ts'
export { bufferForReplay } from './retries/replay.ts'
export { BucketTable, type TableSize } from './throttling/bucket-table.ts'
export { admitted, gcraRate, refused } from './throttling/gcra.ts'
export { withResilience } from './with-resilience.ts'
