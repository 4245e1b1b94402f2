import { corrupt, overLimit } from './keystore-error.ts'
import { type Budget, limits } from './limits.ts'

const CONSTRUCTED = 0x20
const INDEFINITE = -1

/** An element that is still open: where it ends, and the closest end that is known from outside. */
interface Open {
  readonly end: number
  readonly bound: number
}

interface Header {
  readonly identifier: number
  readonly length: number
  readonly contentAt: number
}

/**
 * Walks the tags and lengths of one BER element before asn1js builds objects from it. asn1js lets a child be longer than
 * what holds it, lets bytes follow the end, and makes an object of each part of an OBJECT IDENTIFIER, so that a long one
 * would take gigabytes; here all of that is refused, without recursion and without believing a length.
 */
export function checkShape(bytes: Buffer, budget: Budget): void {
  const open: Open[] = []
  let at = 0
  let nodes = 0
  do {
    const bound = open.at(-1)?.bound ?? bytes.length
    const header = readHeader(bytes, at, bound)
    nodes += 1
    if (header.identifier === 0) {
      if (header.length !== 0 || open.pop()?.end !== INDEFINITE) throw corrupt(`ASN.1: stray end mark at offset ${at}`)
      at = header.contentAt
    } else if ((header.identifier & CONSTRUCTED) !== 0) {
      open.push(opened(header, bound))
      if (open.length > limits.derDepth) throw overLimit(`ASN.1: nested deeper than ${limits.derDepth}`)
      at = header.contentAt
    } else {
      checkPrimitive(header, at)
      at = header.contentAt + header.length
    }
    while (open.at(-1)?.end === at) open.pop()
  } while (open.length > 0)
  if (at !== bytes.length) throw corrupt(`ASN.1: ${bytes.length - at} bytes follow the end`)
  budget.spendNodes(nodes)
}

function opened({ length, contentAt }: Header, bound: number): Open {
  if (length === INDEFINITE) return { end: INDEFINITE, bound }
  return { end: contentAt + length, bound: contentAt + length }
}

function readHeader(bytes: Buffer, at: number, bound: number): Header {
  const identifier = at < bound ? bytes[at] : undefined
  const first = at + 1 < bound ? bytes[at + 1] : undefined
  if (identifier === undefined || first === undefined) throw corrupt(`ASN.1: ends in the middle, at offset ${at}`)
  if ((identifier & 0x1f) === 0x1f) throw corrupt(`ASN.1: a tag above 30 at offset ${at}`)
  if (first === 0x80) return { identifier, length: INDEFINITE, contentAt: at + 2 }
  const extra = first < 0x80 ? 0 : first & 0x7f
  if (extra > 4 || at + 2 + extra > bound) throw corrupt(`ASN.1: a length that cannot be, at offset ${at + 1}`)
  const length = extra === 0 ? first : bytes.readUIntBE(at + 2, extra)
  const contentAt = at + 2 + extra
  if (length > bound - contentAt) {
    throw corrupt(`ASN.1: a length of ${length} at offset ${at + 1}, with ${bound - contentAt} bytes left`)
  }
  return { identifier, length, contentAt }
}

/** Bytes of the largest primitive of each universal type; octet strings and tagged content are bounded by the file. */
function checkPrimitive({ identifier, length }: Header, at: number): void {
  if (length === INDEFINITE) throw corrupt(`ASN.1: a value without a length at offset ${at}`)
  const universal = identifier < 0x20 ? identifier : undefined
  if (universal === undefined || universal === 0x04) return
  const limit = universal === 0x06 ? 64 : 4096
  if (length > limit) throw overLimit(`ASN.1: a value of type ${universal} with ${length} bytes at offset ${at}`)
}
