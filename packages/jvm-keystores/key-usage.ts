import type { X509Certificate } from 'node:crypto'
import { Der } from './der.ts'
import { Budget } from './limits.ts'

/** Context tag of the extensions in a certificate, RFC 5280 section 4.1. */
const EXTENSIONS = 3
/** RFC 5280 section 4.2.1.3. */
const KEY_USAGE = '2.5.29.15'

/** The first byte of the key usage of a certificate, which Node does not expose; null without the extension. */
export function keyUsage({ raw }: X509Certificate): number | null {
  const budget = new Budget()
  const [toBeSigned] = Der.read(raw, budget).sequence('certificate', 3, 3)
  const tagged = toBeSigned!.sequence('certificate').find((field) => field.isTagged(EXTENSIONS))
  for (const extension of tagged?.explicit(EXTENSIONS, 'extensions').sequence('extensions') ?? []) {
    const parts = extension.sequence('extension', 2, 3)
    if (parts[0]!.oid('extension') !== KEY_USAGE) continue
    return Der.read(parts.at(-1)!.octets('key usage'), budget).bits('key usage')[0] ?? 0
  }
  return null
}
