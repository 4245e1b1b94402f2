import type { Send } from '#contracts'
import type { Handler } from '#http'
import type { Environment } from '#schema'
import { type Attempt, type CircuitBreakerSettings, openCircuitBreaker } from './circuit-breaker/circuit-breaker.ts'
import { type RetrySettings, withRetries } from './retries/retries.ts'
import { RetryDelays } from './retries/retry-delays.ts'

interface ResilienceSettings {
  readonly retries: RetrySettings | undefined
  readonly circuitBreaker: (CircuitBreakerSettings & { readonly enabled: boolean }) | undefined
}

/** Circuit breaker around retries around `send`, each where it is enabled: a retried request counts once. */
export async function withResilience(
  send: Send,
  { retries, circuitBreaker }: ResilienceSettings,
  env: Environment,
): Promise<Handler> {
  const attempt = retries?.enabled ? attemptWithRetries(send, retries, env) : singleAttempt(send)
  if (circuitBreaker?.enabled) {
    const guard = await openCircuitBreaker(circuitBreaker, env)
    return (exchange) => guard(exchange, attempt)
  }
  return retries?.enabled ? async (exchange) => (await attempt(exchange)).response : (exchange) => send(exchange, null)
}

function singleAttempt(send: Send): Attempt {
  return async (exchange) => ({ response: await send(exchange, null), failed: false })
}

function attemptWithRetries(send: Send, settings: RetrySettings, env: Environment): Attempt {
  const delays = new RetryDelays(settings.executor)
  env.onDispose(() => delays.stop())
  return withRetries(send, settings, delays, env.logger)
}
