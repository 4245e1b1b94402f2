import type { X509Certificate } from 'node:crypto'
import type { Purpose } from '#contracts'
import { Der } from './keystore/der.ts'
import { Budget } from './keystore/limits.ts'

/** Context tag of the extensions in a certificate, RFC 5280 section 4.1. */
const EXTENSIONS = 3
/** RFC 5280 section 4.2.1.3. */
const KEY_USAGE = '2.5.29.15'

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
  const usage = keyUsage(certificate.raw)
  if (usage === null) return null
  const allows = (bits: number) => (usage & bits) !== 0
  const purposes: Purpose[] = []
  if (allows(DIGITAL_SIGNATURE | CONTENT_COMMITMENT)) purposes.push('SIGN')
  // Trust managers verify certificates with that of the authority.
  if (allows(DIGITAL_SIGNATURE | CONTENT_COMMITMENT | CERTIFICATE_SIGNING | LIST_SIGNING)) purposes.push('VERIFY')
  if (allows(KEY_ENCIPHERMENT | DATA_ENCIPHERMENT | KEY_AGREEMENT)) purposes.push('ENCRYPT', 'DECRYPT')
  return purposes
}

/** The first byte of the key usage, which Node does not expose; null without the extension. */
function keyUsage(certificate: Buffer): number | null {
  const budget = new Budget()
  const [toBeSigned] = Der.read(certificate, budget).sequence('certificate', 3, 3)
  const tagged = toBeSigned!.sequence('certificate').find((field) => field.isTagged(EXTENSIONS))
  for (const extension of tagged?.explicit(EXTENSIONS, 'extensions').sequence('extensions') ?? []) {
    const parts = extension.sequence('extension', 2, 3)
    if (parts[0]!.oid('extension') !== KEY_USAGE) continue
    return Der.read(parts.at(-1)!.octets('key usage'), budget).bits('key usage')[0] ?? 0
  }
  return null
}
