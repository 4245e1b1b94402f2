import { defaultPort } from '#http'

const ORIGIN = /^([a-z][a-z0-9+.-]*):\/\/(\[[0-9a-f:.]+\]|[a-z0-9._~-]+)(?::(\d{1,5}))?$/

/** An origin in normal form, without the default port of its scheme; null for text other than `scheme://host[:port]`. */
export function normalOrigin(text: string): string | null {
  const [, scheme, host, written] = ORIGIN.exec(text.toLowerCase()) ?? []
  if (scheme === undefined || host === undefined) return null
  const port = written === undefined ? defaultPort(scheme) : Number(written)
  if (port > 65535) return null
  return port === defaultPort(scheme) ? `${scheme}://${host}` : `${scheme}://${host}:${port}`
}
