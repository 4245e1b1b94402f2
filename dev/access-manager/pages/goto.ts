import { compilePattern } from '../policies/resource-pattern.ts'

/** The redirect target of a login page of OpenAM by the patterns of its realm; its own page for other URLs. */
export function validatedGoto(text: string | null, base: string, patterns: readonly string[]): string {
  const isValid = text !== null && patterns.some((pattern) => compilePattern(pattern)(text))
  return isValid ? text : `${base}/`
}

/** The redirect target after login or logout; null where it is not allowed. */
export function gotoTarget(text: string | null, base: string, allowedHosts: readonly string[]): string | null {
  if (text === null || text === '') return `${base}/`
  // Browsers read backslashes as slashes and drop control characters: both are rejected.
  if (/[\\\p{Cc}]/u.test(text)) return null
  const url = URL.parse(text)
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null
  if (url.username !== '' || url.password !== '') return null
  const { hostname } = url
  const known = isLoopback(hostname) || hostname === new URL(base).hostname || allowedHosts.includes(hostname)
  return known ? url.href : null
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127(?:\.\d+){3}$/.test(host)
}
