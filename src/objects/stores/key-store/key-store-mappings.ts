import { createSecretKey, type X509Certificate } from 'node:crypto'
import { type KeyStore, type KeyStoreEntry, KeyStoreError } from '@identity-gateway/jvm-keystores'
import { type DecodedSecret, Secret } from '#contracts'
import { didYouMean, type Pattern, type Problem } from '#schema'
import { certificatePurposes } from '#secrets'

/** The entries of a secret id: these aliases, or those that match. */
export interface Mapping {
  readonly secretId: string
  readonly aliases?: readonly string[] | undefined
  readonly aliasesMatching?: readonly Pattern[] | undefined
}

interface MappingContext {
  /** Null for the password of the keystore. */
  readonly entryPassword: string | null
  readonly source: string
  /** Milliseconds since the epoch. */
  readonly now: number
  warn(message: string): void
}

interface Mapped {
  readonly secrets: ReadonlyMap<string, readonly Secret[]>
  readonly problems: readonly Problem[]
}

/** An entry with its configured alias, and the pointer of the alias. */
interface Chosen {
  readonly alias: string
  readonly entry: KeyStoreEntry
  readonly pointer: string
}

/** The secrets of each mapped id, in the order of its aliases. Reports every alias that is missing or can not be opened. */
export function mappedSecrets(keyStore: KeyStore, mappings: readonly Mapping[], context: MappingContext): Mapped {
  const problems: Problem[] = []
  const secrets = new Map<string, readonly Secret[]>()
  const opened = new Map<KeyStoreEntry, DecodedSecret>()
  for (const [at, mapping] of mappings.entries()) {
    const { secretId } = mapping
    const ofId: Secret[] = []
    for (const { alias, entry, pointer } of chosen(keyStore, mapping, `/mappings/${at}`, problems, context)) {
      try {
        const parts = opened.get(entry) ?? decoded(entry, context)
        opened.set(entry, parts)
        warnOfTime(parts.certificates?.[0], alias, secretId, context)
        ofId.push(new Secret({ ...parts, secretId, stableId: alias, source: context.source }))
      } catch (error) {
        const reason = error instanceof KeyStoreError ? error.detail : (error as Error).message
        const message = `the alias "${alias}" of the secret id "${secretId}" can not be opened: ${reason}`
        problems.push({ pointer, message })
      }
    }
    secrets.set(secretId, ofId)
  }
  return { secrets, problems }
}

function chosen(
  keyStore: KeyStore,
  mapping: Mapping,
  pointer: string,
  problems: Problem[],
  context: MappingContext,
): readonly Chosen[] {
  if (mapping.aliases === undefined) return matching(keyStore, mapping, pointer, context)
  return mapping.aliases.flatMap((alias, at) => {
    const place = `${pointer}/aliases/${at}`
    const entry = keyStore.entry(alias)
    if (entry !== undefined) return [{ alias, entry, pointer: place }]
    const suggestion = didYouMean(
      alias,
      keyStore.entries.map((each) => each.alias),
    )
    const message = `the keystore has no alias "${alias}", which the secret id "${mapping.secretId}" is mapped to${suggestion}`
    problems.push({ pointer: place, message })
    return []
  })
}

/** Sorted by alias: the order in the file is arbitrary. */
function matching(keyStore: KeyStore, mapping: Mapping, pointer: string, context: MappingContext): readonly Chosen[] {
  const patterns = mapping.aliasesMatching ?? []
  const found = keyStore.entries
    .filter(({ alias }) => patterns.some((pattern) => pattern.matchWhole(alias) !== null))
    .sort((a, b) => (a.alias < b.alias ? -1 : 1))
  if (found.length === 0) {
    context.warn(`no alias of the keystore matches what the secret id "${mapping.secretId}" is mapped to`)
  }
  return found.map((entry) => ({ alias: entry.alias, entry, pointer: `${pointer}/aliasesMatching` }))
}

/** Opens an entry. A secret key that is a password becomes a password, any other a symmetric key. */
function decoded(entry: KeyStoreEntry, { entryPassword }: MappingContext): DecodedSecret {
  if (entry.kind === 'trusted') return withCertificates([entry.certificate])
  if (entry.kind === 'key') return { ...withCertificates(entry.chain), key: entry.privateKey(entryPassword) }
  const { algorithm, bytes } = entry.secret(entryPassword)
  return algorithm.toUpperCase().startsWith('PBE') ? { bytes } : { key: createSecretKey(bytes), algorithm }
}

function withCertificates(certificates: readonly X509Certificate[]): DecodedSecret {
  const [own] = certificates
  return { certificates, purposes: own === undefined ? null : certificatePurposes(own) }
}

/** An expired or future certificate is still used; its verifiers decide. */
function warnOfTime(
  certificate: X509Certificate | undefined,
  alias: string,
  secretId: string,
  { now, warn }: MappingContext,
): void {
  if (certificate === undefined) return
  const what = `the certificate of the alias "${alias}" of the secret id "${secretId}"`
  const { validFromDate, validToDate } = certificate
  if (now > validToDate.getTime()) warn(`${what} expired on ${validToDate.toISOString()}`)
  else if (now < validFromDate.getTime()) warn(`${what} is not valid before ${validFromDate.toISOString()}`)
}
