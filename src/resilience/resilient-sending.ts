import type { Handler } from '#http'
import type { Environment } from '#schema'
import { type Attempt, type CircuitBreakerSettings, circuitBreaking } from './circuit-breaker/circuit-breaking.ts'
import { Pauses } from './retries/pauses.ts'
import { type RetrySettings, retrying } from './retries/retries.ts'

/** What makes sending more than one attempt at one time. */
interface Resilience {
  readonly retries: RetrySettings | undefined
  readonly circuitBreaker: (CircuitBreakerSettings & { readonly enabled: boolean }) | undefined
}

/** The circuit breaker around the retries around sending, each where it is wanted: a retried request counts once. */
export async function resilient(
  send: Handler,
  { retries, circuitBreaker }: Resilience,
  env: Environment,
): Promise<Handler> {
  const attempt = retries?.enabled ? retryingFor(send, retries, env) : plain(send)
  if (circuitBreaker?.enabled) {
    const guard = await circuitBreaking(circuitBreaker, env)
    return (exchange) => guard(exchange, attempt)
  }
  return retries?.enabled ? async (exchange) => (await attempt(exchange)).response : send
}

function plain(send: Handler): Attempt {
  return async (exchange) => ({ response: await send(exchange), failed: false })
}

function retryingFor(send: Handler, settings: RetrySettings, env: Environment): Attempt {
  const pauses = new Pauses(settings.executor)
  env.onDispose(() => pauses.stop())
  return retrying(send, settings, pauses, env.logger)
}
