export { Circuit, type CircuitSettings } from './circuit-breaker/circuit.ts'
export {
  type Attempt,
  type CircuitBreakerSettings,
  circuitBreaking,
  type Guard,
} from './circuit-breaker/circuit-breaking.ts'
export { isFailure } from './circuit-breaker/failure.ts'
export { resilient } from './resilient-sending.ts'
export { BucketTable, type TableSize } from './throttling/bucket-table.ts'
export { admitted, paceOf, refused } from './throttling/pace.ts'
