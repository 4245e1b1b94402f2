import type { X509Certificate } from 'node:crypto'
import type { Purpose } from '#contracts'

const SEQUENCE = 0x30
const OBJECT_IDENTIFIER = 0x06
const OCTET_STRING = 0x04
const BIT_STRING = 0x03
const EXTENSIONS = 0xa3
/** 2.5.29.15, RFC 5280 section 4.2.1.3. */
const KEY_USAGE = Buffer.from([0x55, 0x1d, 0x0f])

/** Bits of the first byte of a key usage, the first named bit being the highest. */
const DIGITAL_SIGNATURE = 0x80
const CONTENT_COMMITMENT = 0x40
const KEY_ENCIPHERMENT = 0x20
const DATA_ENCIPHERMENT = 0x10
const KEY_AGREEMENT = 0x08
const CERTIFICATE_SIGNING = 0x04
const LIST_SIGNING = 0x02

/** What the key usage of a certificate lets its key do; null where it says nothing. */
export function certificatePurposes(certificate: X509Certificate): readonly Purpose[] | null {
  const usage = keyUsage(certificate.raw)
  if (usage === null) return null
  const allows = (bits: number) => (usage & bits) !== 0
  const purposes: Purpose[] = []
  if (allows(DIGITAL_SIGNATURE | CONTENT_COMMITMENT)) purposes.push('SIGN')
  // What an authority has signed is verified with its certificate: that is how trust managers use it.
  if (allows(DIGITAL_SIGNATURE | CONTENT_COMMITMENT | CERTIFICATE_SIGNING | LIST_SIGNING)) purposes.push('VERIFY')
  if (allows(KEY_ENCIPHERMENT | DATA_ENCIPHERMENT | KEY_AGREEMENT)) purposes.push('ENCRYPT', 'DECRYPT')
  return purposes
}

/** Node tells the extended key usage only; OpenSSL has checked the form of the certificate before. */
function keyUsage(certificate: Buffer): number | null {
  const [whole] = elements(certificate)
  const [toBeSigned] = elements(whole?.content)
  const tagged = elements(toBeSigned?.content).find(({ tag }) => tag === EXTENSIONS)
  const [list] = elements(tagged?.content)
  for (const extension of elements(list?.content)) {
    if (extension.tag !== SEQUENCE) continue
    const parts = elements(extension.content)
    if (parts[0]?.tag !== OBJECT_IDENTIFIER || !parts[0].content.equals(KEY_USAGE)) continue
    const [bits] = elements(parts.find(({ tag }) => tag === OCTET_STRING)?.content)
    return bits?.tag === BIT_STRING ? (bits.content[1] ?? 0) : 0
  }
  return null
}

interface Element {
  readonly tag: number
  readonly content: Buffer
}

/** The elements that stand in a row in DER. */
function elements(der: Buffer | undefined): Element[] {
  const found: Element[] = []
  for (let at = 0; der !== undefined && at + 1 < der.length; ) {
    const first = der[at + 1] as number
    const extra = first < 0x80 ? 0 : first & 0x7f
    const start = at + 2 + extra
    if (extra > 4 || start > der.length) return found
    const length = extra === 0 ? first : der.readUIntBE(at + 2, extra)
    found.push({ tag: der[at] as number, content: der.subarray(start, start + length) })
    at = start + length
  }
  return found
}
