import type { AmDialect } from '#contracts'

/** Version where neither the server nor the configuration names one. */
const ASSUMED_VERSION = '7.3'

const FIRST_OPENAM = 13
const FIRST_BASE64URL = 7

/** Dialect of a version (decisions, "Dialect of the access manager"); null where the version is unknown. */
export function dialectOf(reported: string | null): AmDialect {
  const version = reported ?? ASSUMED_VERSION
  const major = Number(/\d+/.exec(version)?.[0] ?? ASSUMED_VERSION.split('.')[0])
  if (major >= FIRST_OPENAM) return { family: 'openam', adviceEncoding: 'xml', version, losesNotifications: true }
  const adviceEncoding = major >= FIRST_BASE64URL ? 'base64url' : 'xml'
  return { family: 'pingam', adviceEncoding, version, losesNotifications: reported === null }
}
