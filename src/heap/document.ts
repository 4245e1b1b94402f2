import { HandlerKind, warningsOfOrder } from '#contracts'
import { substituteTokens } from '#expression'
import type { Handler } from '#http'
import { isPlainObject, type JsonObject, type JsonValue, setOwn } from '#json'
import {
  ConfigError,
  type DecodedMembers,
  DOCUMENT_STRUCTURE,
  documentPointer,
  type Field,
  isIgnoredKey,
  type Members,
  type OlderSpelling,
  object,
  type Problem,
  Reference,
  type SecretStore,
  type Settled,
  writtenReferencesIn,
} from '#schema'
import { chainWalk } from './chain-walk.ts'
import { currentKeys } from './current-keys.ts'
import { type Decoration, decodeDecorations, decodeField } from './declaration.ts'
import { type BuildPath, Heap, type UnitContext } from './heap.ts'
import { missingContexts } from './missing-contexts.ts'
import { missingTargets } from './missing-target.ts'
import type { Properties } from './properties.ts'

/** A kind of configuration document: its fields beside heap, properties and decorators. */
export interface DocumentType<M extends Members> {
  readonly members: M
  readonly fields: Field<DecodedMembers<M>>
  /** Obsolete keys: accepted with a warning, without effect. */
  readonly legacy: readonly string[]
  readonly older: readonly OlderSpelling[]
}

/** Defines a kind of document. */
export function documentType<M extends Members>(
  members: M,
  { legacy = [], older = [] }: Partial<Pick<DocumentType<M>, 'legacy' | 'older'>> = {},
): DocumentType<M> {
  return { members, fields: object(members, { older }), legacy, older }
}

/** Input of a document. */
interface DocumentInput {
  readonly unitContext: UnitContext
  readonly parent: Heap | null
  readonly properties: Properties
  readonly segments: readonly string[]
  readonly revision: string
  readonly defaults?: readonly JsonValue[]
  readonly buildPath?: BuildPath
}

/** A decoded configuration document. Nothing is built until `build`. */
export class ConfigDocument<M extends Members> {
  readonly heap: Heap
  readonly properties: Properties
  readonly problems: readonly Problem[]
  readonly #fields: DecodedMembers<M>
  readonly #decorations: readonly Decoration[]

  /** Decodes a document with the types that it uses, which are loaded where necessary. */
  static decode<M extends Members>(
    type: DocumentType<M>,
    json: JsonObject,
    input: DocumentInput,
  ): Promise<ConfigDocument<M>> {
    return input.unitContext.catalogue.withTypes(() => new ConfigDocument(type, json, input))
  }

  /** All types of the document must be loaded. */
  constructor(type: DocumentType<M>, json: JsonObject, input: DocumentInput) {
    this.properties = input.properties.extend(json['properties'] ?? null)
    const { value, problems } = substituteTokens(without(json, 'properties'), this.properties.token, (token) =>
      this.properties.adviceFor(token),
    )
    const document = value as JsonObject
    this.heap = new Heap({
      ...input,
      properties: this.properties,
      ...heapOf(document['heap'] ?? null),
      globalDecorators: document['globalDecorators'] ?? null,
    })
    this.heap.problems.push(...this.properties.problems, ...problems)
    const known = new Set<string>([...Object.keys(DOCUMENT_STRUCTURE), ...Object.keys(type.members), ...type.legacy])
    for (const key of type.legacy) {
      if (document[key] === undefined) continue
      this.heap.warnings.push({ pointer: `/${key}`, message: `${key} is no longer used and has no effect; remove it` })
    }
    const { members, others } = fieldsOf(document, type)
    const keys = currentKeys(others, '', known, this.heap.decoding)
    this.#decorations = decodeDecorations(keys, '', known, this.heap.decoding)
    if (!Array.isArray(document['heap']) && isPlainObject(document['heap']))
      this.heap.warnings.push({ pointer: '/heap', message: 'objects is deprecated; make heap the list of objects' })
    const fields = decodeField(type.fields, members, '', this.heap.decoding) as DecodedMembers<M> | null
    this.#fields = fields ?? this.#usableFields(type, members)
    const secrets = isPlainObject(this.#fields) ? this.#fields['secrets'] : null
    this.heap.offerSecrets(writtenReferencesIn(secrets, documentPointer(this.#fields, '/secrets')))
    leaveOutConsequences(this.heap.problems, problems)
    this.problems = this.heap.problems
  }

  get warnings(): readonly Problem[] {
    return this.heap.warnings
  }

  /** The fields that can be decoded independently, where configuration is only checked. Their problems are already reported. */
  #usableFields(type: DocumentType<M>, members: JsonObject): DecodedMembers<M> {
    const usable: Record<string, unknown> = {}
    for (const key of this.heap.isChecked ? Object.keys(members) : []) {
      if (!Object.hasOwn(type.members, key)) continue
      const context = { ...this.heap.decoding, problems: [], warnings: [] }
      const value = decodeField(type.members[key] as Field, members[key], `/${key}`, context)
      if (value !== null) usable[key] = value
    }
    return usable as DecodedMembers<M>
  }

  /** Builds the heap and settles the fields; on failure the objects built so far are disposed. */
  async build(): Promise<Settled<DecodedMembers<M>>> {
    const problems: Problem[] = []
    let failed = false
    const collect = (error: unknown): void => {
      if (!(error instanceof ConfigError)) throw error
      failed = true
      problems.push(...error.problems)
    }
    try {
      // Fields that were not decoded can not be settled; the others may have further problems.
      const isUsable = this.problems.length === 0 || this.heap.isChecked
      const audit = isPlainObject(this.#fields) ? (this.#fields as Record<string, unknown>)['auditService'] : null
      // As audit services of the heap: a route with a folder of it is refused, and not the document.
      if (isUsable && audit instanceof Reference) await this.heap.buildFirst(audit, '/auditService').catch(collect)
      await this.heap.buildAll().catch(collect)
      const settled = isUsable ? await this.heap.settleFields(this.#fields).catch(collect) : undefined
      const { findings } = this.heap
      // An object whose secret is unusable fails for the same reason: the secret id is the better location.
      const others = problems.filter(({ message }) => !findings.some((found) => message.endsWith(`: ${found.message}`)))
      if (failed || findings.length > 0) throw new ConfigError(withoutRepeats([...others, ...findings]))
      this.#warnOfChains()
      this.#warnOfSecretsOrder(settled)
      return settled as Settled<DecodedMembers<M>>
    } catch (error) {
      await this.heap.discard()
      throw error
    }
  }

  #warnOfChains(): void {
    const main = (this.#fields as { readonly handler?: unknown }).handler
    if (!(main instanceof Reference)) return
    const pointer = documentPointer(this.#fields, '/handler')
    const steps = chainWalk(main, pointer, [...this.#decorations, ...this.heap.globalDecorations], this.heap)
    this.heap.warnings.push(...missingTargets(steps), ...missingContexts(steps, this.heap))
  }

  #warnOfSecretsOrder(settled: unknown): void {
    const { stores = [] } =
      (settled as { readonly secrets?: { readonly stores?: readonly SecretStore[] } }).secrets ?? {}
    this.heap.warnings.push(...warningsOfOrder(stores, documentPointer(this.#fields, '/secrets/stores')))
  }

  /** Builds, and passes the fields to `assemble`; where that fails, the objects are disposed as well. */
  async buildFor<T>(assemble: (fields: Settled<DecodedMembers<M>>) => Promise<T>): Promise<T> {
    const fields = await this.build()
    try {
      return await assemble(fields)
    } catch (error) {
      await this.heap.discard()
      throw error
    }
  }

  /** The main handler with the top-level decorations of the document. */
  decorateMain(handler: Handler): Promise<Handler> {
    return this.heap.decorateMain(HandlerKind, handler, this.#decorations, 'handler')
  }
}

/** The objects of the heap; OpenIG 2 has them in `objects`. */
function heapOf(heap: JsonValue): { declarations: JsonValue; declarationsAt: string } {
  if (isPlainObject(heap) && Object.keys(heap).join() === 'objects')
    return { declarations: heap['objects'] as JsonValue, declarationsAt: '/heap/objects' }
  return { declarations: heap, declarationsAt: '/heap' }
}

/** The fields of a document, also under old names and with blanks at the ends of keys, and its other keys. */
function fieldsOf<M extends Members>(document: JsonObject, { members: known, older }: DocumentType<M>) {
  const names = new Set([...Object.keys(known), ...older.flatMap(({ old }) => old)])
  const members: JsonObject = {}
  const others: JsonObject = {}
  for (const key of Object.keys(document)) {
    setOwn(names.has(key.trim()) ? members : others, key, document[key] as JsonValue)
  }
  return { members, others }
}

/** Removes comments, so that tokens in them are not resolved; `_id` is read elsewhere. */
function without(json: JsonObject, left: string): JsonObject {
  const rest: JsonObject = {}
  for (const key of Object.keys(json)) if (key !== left && !isIgnoredKey(key)) setOwn(rest, key, json[key] as JsonValue)
  return rest
}

/** A value with an unresolved token is decoded as null; what is then said of that value is left out. */
function leaveOutConsequences(all: Problem[], causes: readonly Problem[]): void {
  const places = new Set(causes.map(({ pointer }) => pointer))
  const left = all.filter((problem) => causes.includes(problem) || !places.has(problem.pointer))
  all.splice(0, all.length, ...left)
}

function withoutRepeats(problems: readonly Problem[]): Problem[] {
  const seen = new Set<string>()
  return problems.filter(({ pointer, message }) => {
    const key = `${pointer}\n${message}`
    return !seen.has(key) && seen.add(key)
  })
}
