/** Longest part of a request target that is recorded, in characters. */
const MAX_TARGET = 4_096

/** The path of a request target that was not admitted: without query, and without scheme, credentials and host of other forms. */
export function refusedPath(target: string): string {
  return target
    .slice(0, MAX_TARGET)
    .replace(/[?#].*$/s, '')
    .replace(/^[a-z][a-z0-9+.-]{0,20}:\/\/[^/]*/i, '')
    .replace(/^[^/][^/]*@/, '')
}
