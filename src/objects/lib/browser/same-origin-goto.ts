import type { Uri } from '#http'

const MAX_LENGTH = 4_096

/**
 * The redirect target after login or logout: a path, or a URL of the same origin. Null for any other text, so that the gateway is
 * not an open redirector (threats B64).
 */
export function sameOriginGoto(text: string, here: Uri): string | null {
  // Browsers read backslashes as slashes and drop tabs and line breaks: URLs with them are rejected.
  if (text.length === 0 || text.length > MAX_LENGTH || !/^[\x21-\x5b\x5d-\x7e]+$/.test(text)) return null
  const isPath = text.startsWith('/') && !text.startsWith('//')
  if (!isPath && !/^https?:\/\/[^/?#@]+(?:[/?#]|$)/i.test(text)) return null
  const site = `${here.scheme}://${here.authority}`
  if (!URL.canParse(text, site)) return null
  const url = new URL(text, site)
  const isSame = url.origin === new URL(site).origin && url.username === '' && url.password === ''
  return isSame ? url.href : null
}
