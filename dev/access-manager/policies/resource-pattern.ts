import { compileRegex } from '@identity-gateway/regex'

/** Whether a resource matches a pattern. */
export type ResourceMatcher = (resource: string) => boolean

/** Compiles a pattern. `*` is any text without a `?`, `-*-` any without `?` and `/`. Case-insensitive. */
export function compilePattern(pattern: string): ResourceMatcher {
  const parts = withPort(pattern.toLowerCase()).split(/(-\*-|\*)/)
  const source = parts.map((part) => (part === '*' ? '[^?]*' : part === '-*-' ? '[^/?]*' : literal(part))).join('')
  const matcher = compileRegex(source)
  return (resource) => matcher.matchWhole(withPort(resource.toLowerCase())) !== null
}

/** Resources and patterns are compared with their port, including the default port. */
function withPort(text: string): string {
  const match = /^(https?):\/\/([^/:?]+)(.*)$/s.exec(text)
  if (match === null || match[3]!.startsWith(':')) return text
  return `${match[1]}://${match[2]}:${match[1] === 'https' ? 443 : 80}${match[3]}`
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}
