import { compilePattern } from '../policies/resource-pattern.ts'

/** Where a login page of OpenAM sends a browser by the patterns of its realm: elsewhere to its own page. */
export function validatedGoto(text: string | null, base: string, patterns: readonly string[]): string {
  const isValid = text !== null && patterns.some((pattern) => compilePattern(pattern)(text))
  return isValid ? text : `${base}/`
}

/** Where a browser goes after login or logout; null where it may not be sent there. */
export function gotoTarget(text: string | null, base: string, allowedHosts: readonly string[]): string | null {
  if (text === null || text === '') return `${base}/`
  // Browsers read backslashes as slashes and drop control characters; nothing of that kind is needed here.
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
