import type { SecureVersion } from 'node:tls'
import { didYouMean } from '#schema'

const SUPPORTED = ['TLSv1.2', 'TLSv1.3'] as const

/** Why a protocol can not be enabled; null for a supported one. */
export function protocolProblem(name: string): string | null {
  if (SUPPORTED.some((version) => version === name)) return null
  if (/^(?:SSLv\d|SSLv2Hello|TLSv1|TLSv1\.0|TLSv1\.1)$/i.test(name)) {
    return `${name} is broken and not offered; use TLSv1.2 or TLSv1.3`
  }
  return `expected TLSv1.2 or TLSv1.3, got ${JSON.stringify(name)}${didYouMean(name, SUPPORTED)}`
}

/** The range of versions for a list of protocols; an empty list means all supported ones. */
export function versionRange(protocols: readonly string[]): { minVersion: SecureVersion; maxVersion: SecureVersion } {
  const enabled = protocols.length === 0 ? SUPPORTED : SUPPORTED.filter((version) => protocols.includes(version))
  return { minVersion: enabled[0] as SecureVersion, maxVersion: enabled[enabled.length - 1] as SecureVersion }
}
