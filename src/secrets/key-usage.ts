import type { X509Certificate } from 'node:crypto'
import { keyUsage } from '@identity-gateway/jvm-keystores'
import type { Purpose } from '#contracts'

/** Bits of the first byte of a key usage, the first named bit is the highest. */
const DIGITAL_SIGNATURE = 0x80
const CONTENT_COMMITMENT = 0x40
const KEY_ENCIPHERMENT = 0x20
const DATA_ENCIPHERMENT = 0x10
const KEY_AGREEMENT = 0x08
const CERTIFICATE_SIGNING = 0x04
const LIST_SIGNING = 0x02

/** Purposes that the key usage of a certificate allows; null without the extension. */
export function certificatePurposes(certificate: X509Certificate): readonly Purpose[] | null {
  const usage = keyUsage(certificate)
  if (usage === null) return null
  const allows = (bits: number) => (usage & bits) !== 0
  const purposes: Purpose[] = []
  if (allows(DIGITAL_SIGNATURE | CONTENT_COMMITMENT)) purposes.push('SIGN')
  // Trust managers verify certificates with that of the authority.
  if (allows(DIGITAL_SIGNATURE | CONTENT_COMMITMENT | CERTIFICATE_SIGNING | LIST_SIGNING)) purposes.push('VERIFY')
  if (allows(KEY_ENCIPHERMENT | DATA_ENCIPHERMENT | KEY_AGREEMENT)) purposes.push('ENCRYPT', 'DECRYPT')
  return purposes
}
