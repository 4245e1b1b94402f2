import { corrupt } from './keystore-error.ts'

export const INDEFINITE = -1

/** Tag and length of an ASN.1 element. */
export interface Header {
  /** Class, constructed bit and tag number in one byte. */
  readonly identifier: number
  readonly length: number
  readonly contentAt: number
}

export function isConstructed(identifier: number): boolean {
  return (identifier & 0x20) !== 0
}

/** Reads the header at an offset; the content must end before `bound`. */
export function readHeader(bytes: Buffer, at: number, bound: number): Header {
  const identifier = at < bound ? bytes[at] : undefined
  const first = at + 1 < bound ? bytes[at + 1] : undefined
  if (identifier === undefined || first === undefined) throw corrupt(`ASN.1: truncated at offset ${at}`)
  if ((identifier & 0x1f) === 0x1f) throw corrupt(`ASN.1: a tag above 30 at offset ${at}`)
  if (first === 0x80) return { identifier, length: INDEFINITE, contentAt: at + 2 }
  const extra = first < 0x80 ? 0 : first & 0x7f
  if (extra > 4 || at + 2 + extra > bound) throw corrupt(`ASN.1: an invalid length at offset ${at + 1}`)
  const length = extra === 0 ? first : bytes.readUIntBE(at + 2, extra)
  const contentAt = at + 2 + extra
  if (length > bound - contentAt) {
    throw corrupt(`ASN.1: a length of ${length} at offset ${at + 1}, with ${bound - contentAt} bytes left`)
  }
  return { identifier, length, contentAt }
}
