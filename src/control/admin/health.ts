import type { HealthCheck } from '#contracts'
import { crestError } from '#crest'
import { type Handler, Response } from '#http'
import { because } from './recorded-refusals.ts'

/** The checks of each health endpoint. */
export interface Health {
  live(): readonly HealthCheck[]
  ready(): readonly HealthCheck[]
  startup(): readonly HealthCheck[]
}

const PATHS: Readonly<Record<string, keyof Health>> = {
  '/ping': 'live',
  '/health/live': 'live',
  '/livez': 'live',
  '/healthz': 'live',
  '/health/ready': 'ready',
  '/readyz': 'ready',
  '/health/startup': 'startup',
  '/startupz': 'startup',
}

/** Whether a path is a health endpoint, which is served without credentials (threats B19). */
export function isHealthPath(path: string): boolean {
  return Object.hasOwn(PATHS, path)
}

/** Serves health endpoints: 200 or 503; `?verbose` lists the checks. */
export function healthHandler(health: Health): Handler {
  return async ({ request }) => {
    const endpoint = PATHS[request.uri.path] as keyof Health
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return crestError(405, `${request.method} is not allowed here; there are GET, HEAD`, { Allow: 'GET, HEAD' })
    }
    const checks = health[endpoint]()
    const ok = checks.every((check) => check.ok)
    const verbose = Object.hasOwn(request.queryParams, 'verbose')
    const headers = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' }
    const response = verbose ? verboseResponse(ok, checks, headers) : new Response(ok ? 200 : 503, { headers })
    if (ok) return response
    const failed = checks.filter((check) => !check.ok).map(({ name }) => name)
    return because(`failed checks: ${failed.join(', ')}`, response)
  }
}

function verboseResponse(ok: boolean, checks: readonly HealthCheck[], headers: Record<string, string>): Response {
  const body = JSON.stringify({ status: ok ? 'UP' : 'DOWN', checks }, null, 2)
  return new Response(ok ? 200 : 503, {
    headers: { ...headers, 'Content-Type': 'application/json; charset=UTF-8' },
    body: `${body}\n`,
  })
}
