import { Response, reasonPhrase } from '#http'

/** An error in the form of Common REST (spec gap: error body). */
export function crestError(status: number, message: string, headers: Record<string, string> = {}): Response {
  const body = JSON.stringify({ code: status, reason: reasonPhrase(status), message })
  return new Response(status, {
    headers: {
      'Content-Type': 'application/json; charset=UTF-8',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      ...headers,
    },
    body,
  })
}

/** A JSON answer of the management API; never cached. */
export function crestJson(value: unknown, pretty: boolean): Response {
  return new Response(200, {
    headers: {
      'Content-Type': 'application/json; charset=UTF-8',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    },
    body: pretty ? JSON.stringify(value, null, 2) : JSON.stringify(value),
  })
}
