export class CircuitOpenError extends Error {
  override readonly name = 'CircuitOpenError'
  readonly code = 'GW_CIRCUIT_OPEN'

  constructor() {
    super('the circuit breaker is open: too many requests have failed, and none is sent until it closes')
  }
}
