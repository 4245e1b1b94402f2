import type { Contents, KeyStoreEntry } from './entries.ts'
import { javaMagic, readJavaKeyStore } from './java-keystore.ts'
import { corrupt, entryPlace, unsupported } from './keystore-error.ts'
import { checkLimit, limits } from './limits.ts'
import { readPkcs12 } from './pkcs12.ts'

export type KeyStoreType = 'PKCS12' | 'JKS' | 'JCEKS'

/** A keystore after the integrity check; its keys and secrets are decrypted individually. */
export class KeyStore {
  /** Format of the content, which may differ from the declared one. */
  readonly type: KeyStoreType
  readonly entries: readonly KeyStoreEntry[]
  /** Warnings about the file, for the log. */
  readonly warnings: readonly string[]
  readonly #byAlias: ReadonlyMap<string, KeyStoreEntry>

  constructor(type: KeyStoreType, entries: readonly KeyStoreEntry[], warnings: readonly string[]) {
    this.type = type
    this.warnings = warnings
    this.#byAlias = new Map(entries.map((entry) => [folded(entry.alias), entry]))
    this.entries = [...this.#byAlias.values()]
  }

  /** The entry of an alias, case-insensitive as in Java. */
  entry(alias: string): KeyStoreEntry | undefined {
    return this.#byAlias.get(folded(alias))
  }
}

/**
 * Reads a keystore. Its integrity (the MAC of PKCS #12, the keyed digest of JKS and JCEKS) is checked first; throws a
 * KeyStoreError. A null password means no password. The format is detected by the content, as in Java since version 9: a
 * different declared type is a warning.
 */
export function readKeyStore(bytes: Buffer, declared: KeyStoreType, password: string | null): KeyStore {
  checkLimit('bytes of the file', bytes.length, limits.fileBytes)
  const type = typeOf(bytes)
  // A copy: entries are decrypted later, and must be the verified bytes.
  const { entries, warnings } = readAs(type, Buffer.from(bytes), password)
  checkLimit('entries', entries.length, limits.entries)
  return new KeyStore(type, entries, [...mismatch(type, declared), ...warnings, ...shadowed(entries)])
}

function readAs(type: KeyStoreType, bytes: Buffer, password: string | null): Contents {
  return type === 'PKCS12' ? readPkcs12(bytes, password) : readJavaKeyStore(bytes, type, password)
}

function typeOf(bytes: Buffer): KeyStoreType {
  if (bytes.length === 0) throw corrupt('the file is empty')
  const magic = bytes.length < 4 ? 0 : bytes.readUInt32BE()
  if (magic === javaMagic.JKS) return 'JKS'
  if (magic === javaMagic.JCEKS) return 'JCEKS'
  if (bytes[0] === 0x30) return 'PKCS12'
  if (bytes.subarray(0, 10).toString('latin1') === '-----BEGIN') {
    throw unsupported('this is a PEM file; expected a PKCS12, JKS or JCEKS keystore')
  }
  throw corrupt('not a PKCS12, JKS or JCEKS keystore: the first bytes belong to none of them')
}

function mismatch(type: KeyStoreType, declared: KeyStoreType): readonly string[] {
  return type === declared ? [] : [`this file is a ${type} keystore, not ${declared}; set storeType to ${type}`]
}

/** As in Java the last of several entries with one alias is used. */
function shadowed(entries: readonly KeyStoreEntry[]): readonly string[] {
  return [...Map.groupBy(entries, (entry) => folded(entry.alias)).values()]
    .filter((same) => same.length > 1)
    .slice(0, 10)
    .map((same) => `${entryPlace(same[0]!.alias)} is there ${same.length} times; the last one counts`)
}

function folded(alias: string): string {
  return alias.toLowerCase()
}
