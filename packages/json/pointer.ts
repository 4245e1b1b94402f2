/** `/a~1b/0` from `['a/b', 0]` (RFC 6901). */
export function formatPointer(path: readonly (string | number | symbol)[]): string {
  return path.map((token) => `/${escapeToken(String(token))}`).join('')
}

/** The pointer of a member of the value at `pointer`. */
export function appendPointer(pointer: string, token: string | number): string {
  return `${pointer}/${escapeToken(String(token))}`
}

/** The tokens of a pointer; null for invalid text. */
export function parsePointer(pointer: string): string[] | null {
  if (pointer === '') return []
  if (!pointer.startsWith('/')) return null
  const tokens = pointer.slice(1).split('/')
  return pointer.includes('~') ? tokens.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~')) : tokens
}

function escapeToken(token: string): string {
  return token.includes('~') || token.includes('/') ? token.replaceAll('~', '~0').replaceAll('/', '~1') : token
}
