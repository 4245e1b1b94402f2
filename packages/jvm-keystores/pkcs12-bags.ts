import type { X509Certificate } from 'node:crypto'
import { readCertificate } from './certificate-chain.ts'
import { Der } from './der.ts'
import { type Sealed, sealedKey } from './encrypted-key.ts'
import { at, corrupt } from './keystore-error.ts'
import { type Budget, checkLimit, limits } from './limits.ts'

const bagTypes = {
  key: '1.2.840.113549.1.12.10.1.1',
  shroudedKey: '1.2.840.113549.1.12.10.1.2',
  certificate: '1.2.840.113549.1.12.10.1.3',
  secret: '1.2.840.113549.1.12.10.1.5',
  safeContents: '1.2.840.113549.1.12.10.1.6',
} as const

const X509 = '1.2.840.113549.1.9.22.1'
const FRIENDLY_NAME = '1.2.840.113549.1.9.20'
const LOCAL_KEY_ID = '1.2.840.113549.1.9.21'
/** Java's attribute of trusted certificates. */
const TRUSTED_KEY_USAGE = '2.16.840.1.113894.746875.1.1'

interface Attributes {
  readonly name: string | null
  /** Hexadecimal, so that keys and certificates can be matched. */
  readonly keyId: string | null
  readonly trusted: boolean
}

/** One item of a PKCS #12 file (RFC 7292 section 4.2). */
export type Bag = Attributes &
  (
    | { readonly kind: 'key' | 'secret'; readonly sealed: Sealed }
    | { readonly kind: 'certificate'; readonly certificate: X509Certificate }
    | { readonly kind: 'unknown'; readonly type: string }
  )

/** Reads SafeContents, with those nested in it. */
export function readBags(safeContents: Der, budget: Budget): readonly Bag[] {
  const bags = safeContents
    .sequence('safe contents')
    .flatMap((bag, index) => at(`bag ${index + 1}`, () => readBag(bag, budget)))
  checkLimit('bags', bags.length, limits.entries + limits.certificates)
  return bags
}

function readBag(bag: Der, budget: Budget): readonly Bag[] {
  const [id, value, attributeSet] = bag.sequence('bag', 2, 3)
  const type = id!.oid('type of the bag')
  const content = value!.explicit(0, 'content of the bag')
  const attributes = readAttributes(attributeSet)
  switch (type) {
    case bagTypes.key: {
      const { encoded } = content
      return [{ ...attributes, kind: 'key', sealed: () => encoded }]
    }
    case bagTypes.shroudedKey:
      return [{ ...attributes, kind: 'key', sealed: sealedKey(content) }]
    case bagTypes.certificate:
      return [readCertificateBag(content, attributes, budget)]
    case bagTypes.secret:
      return [readSecretBag(content, attributes, budget)]
    case bagTypes.safeContents:
      return readBags(content, budget)
    default:
      return [{ ...attributes, kind: 'unknown', type }]
  }
}

function readCertificateBag(content: Der, attributes: Attributes, budget: Budget): Bag {
  const [id, value] = content.sequence('certificate bag', 2, 2)
  const type = id!.oid('type of certificate')
  if (type !== X509) return { ...attributes, kind: 'unknown', type }
  const bytes = value!.explicit(0, 'certificate').octets('certificate')
  return { ...attributes, kind: 'certificate', certificate: readCertificate(bytes, budget) }
}

/** Java stores a secret key as an encrypted PrivateKeyInfo in a secret bag. */
function readSecretBag(content: Der, attributes: Attributes, budget: Budget): Bag {
  const [id, value] = content.sequence('secret bag', 2, 2)
  const type = id!.oid('type of secret')
  if (type !== bagTypes.shroudedKey) return { ...attributes, kind: 'unknown', type }
  const bytes = value!.explicit(0, 'secret').octets('secret')
  checkLimit('bytes of a secret', bytes.length, limits.secretBytes)
  return { ...attributes, kind: 'secret', sealed: sealedKey(Der.read(bytes, budget)) }
}

function readAttributes(attributeSet: Der | undefined): Attributes {
  let name: string | null = null
  let keyId: string | null = null
  let trusted = false
  for (const attribute of attributeSet?.set('attributes of the bag') ?? []) {
    const [id, values] = attribute.sequence('attribute', 2, 2)
    const type = id!.oid('type of attribute')
    const first = values!.set('values of the attribute')[0]
    if (type === FRIENDLY_NAME && first !== undefined) name = readName(first)
    if (type === LOCAL_KEY_ID && first !== undefined) keyId = first.octets('local key id').toString('hex')
    if (type === TRUSTED_KEY_USAGE) trusted = true
  }
  return { name, keyId, trusted }
}

function readName(value: Der): string {
  const name = value.text('friendly name')
  if (!name.isWellFormed()) throw corrupt('friendly name: not valid text')
  return name
}
