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
