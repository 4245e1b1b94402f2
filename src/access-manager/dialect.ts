import type { AmDialect } from '#contracts'

/** What counts where neither the server nor the configuration names a version. */
export const ASSUMED_VERSION = '7.3'

const FIRST_OPENAM = 13
const FIRST_BASE64URL = 7

/** How a server of a version is talked to (decisions, "Dialect of the access manager"). */
export function dialectOf(version: string): AmDialect {
  const major = Number(/\d+/.exec(version)?.[0] ?? ASSUMED_VERSION.split('.')[0])
  if (major >= FIRST_OPENAM) return { family: 'openam', adviceEncoding: 'xml', version }
  return { family: 'pingam', adviceEncoding: major >= FIRST_BASE64URL ? 'base64url' : 'xml', version }
}
