import type { AmDialect } from '#contracts'

/** What counts where neither the server nor the configuration names a version. */
const ASSUMED_VERSION = '7.3'

const FIRST_OPENAM = 13
const FIRST_BASE64URL = 7

/** How a server of a version is talked to (decisions, "Dialect of the access manager"); null where nobody told it. */
export function dialectOf(told: string | null): AmDialect {
  const version = told ?? ASSUMED_VERSION
  const major = Number(/\d+/.exec(version)?.[0] ?? ASSUMED_VERSION.split('.')[0])
  if (major >= FIRST_OPENAM) return { family: 'openam', adviceEncoding: 'xml', version, losesNotifications: true }
  const adviceEncoding = major >= FIRST_BASE64URL ? 'base64url' : 'xml'
  return { family: 'pingam', adviceEncoding, version, losesNotifications: told === null }
}
