import { defaultPort } from '#http'

const ORIGIN = /^([a-z][a-z0-9+.-]*):\/\/(\[[0-9a-f:.]+\]|[a-z0-9._~-]+)(?::(\d{1,5}))?$/

/** One spelling for an origin, the usual port of its scheme left out; null for what is not `scheme://host[:port]`. */
export function normalOrigin(text: string): string | null {
  const [, scheme, host, written] = ORIGIN.exec(text.toLowerCase()) ?? []
  if (scheme === undefined || host === undefined) return null
  const port = written === undefined ? defaultPort(scheme) : Number(written)
  if (port > 65535) return null
  return port === defaultPort(scheme) ? `${scheme}://${host}` : `${scheme}://${host}:${port}`
}
