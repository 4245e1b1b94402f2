import { DecoratorKind, providerOf, SecretStoreKind } from '#contracts'
import { appendPointer, type JsonValue } from '#json'
import {
  ConfigError,
  type Decorator,
  didYouMean,
  type Kind,
  type Problem,
  Reference,
  type RouterHost,
  type SecretStore,
  type SecretsProvider,
  settle,
  type TypeDefinition,
  type Typed,
} from '#schema'
import { createdOrWithoutSecrets } from './absent-secrets.ts'
import { asKind } from './as-kind.ts'
import { attributed } from './attributed.ts'
import { ContextReads } from './context-reads.ts'
import { type Declaration, type DecodeContext, type Decoration, decodeInPlace, isOfKind } from './declaration.ts'
import { DeclaredObjects, type Entry } from './declared-objects.ts'
import { type DecoratedPlace, type DecorationOrigin, decorated } from './decorated.ts'
import { InheritedSecrets } from './inherited-secrets.ts'
import { checkSettled, inConfig, isSameProblem, toConfigError } from './located-problems.ts'
import { EVENTS } from './log-events.ts'
import { lookUpSecrets } from './named-secrets.ts'
import { objectEnvironment } from './object-environment.ts'
import type { Properties } from './properties.ts'
import { readReferences } from './read-references.ts'
import { Releases } from './releases.ts'
import type { UnitServices } from './unit-services.ts'

/** Shared by all heaps of a gateway unit. */
export interface UnitContext extends UnitServices {
  /** Loads the routes of a Router in a heap; `buildPath` is passed to the heaps of those routes. */
  router(heap: Heap, buildPath: BuildPath): RouterHost
}

/** Input of a heap. */
interface HeapInput {
  readonly unitContext: UnitContext
  readonly parent: Heap | null
  /** The segment of this heap in qualified names: `gateway`, a router, a route. */
  readonly segments: readonly string[]
  readonly properties: Properties
  readonly declarations: JsonValue
  /** Pointer of the declarations; `/heap` by default. */
  readonly declarationsAt?: string
  readonly globalDecorators: JsonValue
  /** Objects that exist without a declaration; a declaration of the same name replaces one. */
  readonly defaults?: readonly JsonValue[]
  /** Separates this heap's shared memory from that of another revision of the same route. */
  readonly revision: string
  /** For routes: the objects of parent heaps that wait for this one; waiting for them would be a cycle. */
  readonly buildPath?: BuildPath
}

/** Objects that are being built, the outermost first. */
export type BuildPath = readonly Entry[]

/** The objects of one configuration document: decoded together, built on demand, disposed in reverse order. */
export class Heap {
  readonly parent: Heap | null
  readonly properties: Properties
  readonly #input: HeapInput
  readonly #declared: DeclaredObjects
  readonly #releases = new Releases((error) => this.#notReleased(error))
  /** The stores of the document's `secrets` with their pointers; inline ones are built once. */
  readonly #secretStores = new Map<Reference, { readonly pointer: string; entry: Entry | null }>()
  /** Objects declared in fields that are built. */
  readonly #builtFirst = new Map<Reference, Entry>()

  #typesAround: ReadonlySet<TypeDefinition> | null = null

  readonly contextReads = new ContextReads()

  /** Decodes without building. Check `problems` before the build. */
  constructor(input: HeapInput) {
    this.#input = input
    this.parent = input.parent
    this.properties = input.properties
    this.#declared = new DeclaredObjects(input, input.parent === null ? null : input.parent.#declared)
  }

  get problems(): Problem[] {
    return this.#declared.decoding.problems
  }

  /** Problems found during the build that do not prevent it. */
  readonly findings: Problem[] = []

  /**
   * Whether configuration is only checked: valid objects are then built although others fail, so that every problem is
   * found. A ConfigError without problems is that of an object that references one with problems. With invalid
   * properties, no object can be checked.
   */
  get isChecked(): boolean {
    return this.#input.unitContext.serving === false && this.properties.problems.length === 0
  }

  get warnings(): Problem[] {
    return this.#declared.decoding.warnings
  }

  /** Context for decoding fields of this document. */
  get decoding(): DecodeContext {
    return this.#declared.decoding
  }

  /** Whether an object here or in a parent may set the target server of requests. */
  get maySetTarget(): boolean {
    return this.decoding.maySetTarget || (this.parent?.maySetTarget ?? false)
  }

  /** Types of the objects here and in the parents; complete when this document is decoded. */
  get typesAround(): ReadonlySet<TypeDefinition> {
    this.#typesAround ??= new Set([...this.decoding.types, ...(this.parent?.typesAround ?? [])])
    return this.#typesAround
  }

  /** The global decorators of this document. */
  get globalDecorations(): readonly Decoration[] {
    return this.#declared.globals
  }

  /** The declaration of a name here or in a parent, and its heap. */
  declarationOf(name: string): { readonly declaration: Declaration; readonly heap: Heap } | null {
    const entry = this.#declared.entries.get(name)
    if (entry !== undefined) return { declaration: entry.declaration, heap: this }
    return this.parent?.declarationOf(name) ?? null
  }

  /** The inherited secret stores for objects of this heap and its children. */
  offerSecrets(stores: Iterable<readonly [Reference, string]>): void {
    for (const [reference, pointer] of stores) this.#secretStores.set(reference, { pointer, entry: null })
  }

  /** Objects of parents that wait for this heap. */
  get #outer(): BuildPath {
    return this.#input.buildPath ?? []
  }

  /** Builds every declared object, used or not: one that can not be built fails the document. */
  async buildAll(): Promise<void> {
    const problems: Problem[] = [...this.problems]
    if (problems.length > 0 && !this.isChecked) throw new ConfigError(problems)
    for (const entry of this.#declared.inBuildOrder()) {
      try {
        await this.#build(entry, [])
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error
        for (const problem of error.problems)
          if (!problems.some((known) => isSameProblem(known, problem))) problems.push(problem)
      }
    }
    if (problems.length > 0) throw new ConfigError(problems)
  }

  /** Builds an object that is declared in a field before those of the heap, which are built when they are referenced. */
  async buildFirst(reference: Reference, pointer: string): Promise<void> {
    if (typeof reference.target === 'string') return
    const entry = { declaration: this.#inPlace(reference, pointer), building: null }
    this.#builtFirst.set(reference, entry)
    await this.#build(entry, [])
  }

  /** The object of a name here or in a parent, if it exists. */
  async find<T>(name: string, kind: Kind<T>): Promise<T | null> {
    const entry = this.#declared.entries.get(name)
    if (entry === undefined) return this.parent?.find(name, kind) ?? null
    return asKind(await this.#build(entry, []), [kind], '') as T
  }

  /** Settles decoded document fields against this heap. */
  settleFields<C>(decoded: C): ReturnType<typeof settle<C>> {
    return settle(decoded, this.#settleContext([]), '')
  }

  /** Applies the top-level decorations of a document to its main handler. */
  async decorateMain<T>(kind: Kind<T>, value: T, decorations: readonly Decoration[], name: string): Promise<T> {
    return (await this.#apply(decorations, { kind, value }, this.#locationOf(name, []), 'named')).value as T
  }

  /** Disposes all built objects in reverse order. */
  async dispose(): Promise<void> {
    await this.#releases.dispose()
  }

  /** Disposes the objects of a build that failed or is abandoned. Never rejects: the reason of the failure is the one to report. */
  async discard(): Promise<void> {
    await this.dispose().catch((error: unknown) => this.#notReleased(error))
  }

  #notReleased(error: unknown): void {
    this.#input.unitContext.logger.error({ heap: this.#input.segments.join('+'), error }, EVENTS.NOT_RELEASED)
  }

  #settleContext(chain: BuildPath) {
    return {
      scope: this.properties.scope,
      isLenient: this.decoding.isLenient,
      warn: (pointer: string, message: string) => void this.warnings.push({ pointer, message }),
      reads: (pointer: string, contexts: readonly string[]) =>
        this.contextReads.add(chain.at(-1)?.declaration, pointer, contexts),
      inheritedSecrets: () => this.#inheritedSecrets(chain),
      resolve: async (reference: unknown, pointer: string) => {
        const { kinds, advice, isOptional, target } = reference as Reference
        if (isOptional && typeof target === 'string' && this.declarationOf(target) === null) return null
        const object = await this.#resolve(reference as Reference, pointer, chain)
        return asKind(object, kinds, pointer, advice)
      },
    }
  }

  async #resolve(reference: Reference, pointer: string, chain: BuildPath): Promise<Typed> {
    if (typeof reference.target === 'string') return this.#named(reference, reference.target, pointer, chain)
    const entry = this.#builtFirst.get(reference) ?? { declaration: this.#inPlace(reference, pointer), building: null }
    const store = this.#secretStores.get(reference)
    if (store === undefined) return this.#build(entry, chain)
    store.entry ??= entry
    return this.#build(store.entry, chain)
  }

  #inPlace(reference: Reference, pointer: string): Declaration {
    const context = { ...this.decoding, problems: [] as Problem[] }
    const declaration = (reference.declared as Declaration | null) ?? decodeInPlace(reference, pointer, context)
    if (declaration === null || context.problems.length > 0) throw new ConfigError(context.problems)
    // Already reported by the decoder.
    const { kind } = declaration.definition
    if (kind !== null && !isOfKind(kind, reference.kinds)) throw new ConfigError([])
    return declaration
  }

  /**
   * The stores of `secrets` here and in the parents, in order. A store that is being built and waits for the requesting
   * object is skipped.
   */
  async *#inheritedStores(chain: BuildPath): AsyncGenerator<SecretStore> {
    for (let heap: Heap | null = this; heap !== null; heap = heap.parent) {
      const waiting = heap === this ? chain : this.#outer
      for (const [reference, { pointer, entry }] of heap.#secretStores) {
        const named = typeof reference.target === 'string' ? heap.#entryOf(reference.target) : entry
        if (named !== null && [...chain, ...waiting].includes(named)) continue
        const store = await heap.#resolve(reference, pointer, waiting)
        yield asKind(store, [SecretStoreKind], pointer) as SecretStore
      }
    }
  }

  #inheritedSecrets(chain: BuildPath): SecretsProvider {
    const inherited = new InheritedSecrets(() => this.#inheritedStores(chain))
    this.#releases.defer(() => inherited.release())
    return providerOf([inherited])
  }

  #entryOf(name: string): Entry | null {
    const own = this.#declared.entries.get(name) ?? null
    return own !== null || this.parent === null ? own : this.parent.#entryOf(name)
  }

  async #named({ kinds, words, missing }: Reference, name: string, pointer: string, chain: BuildPath): Promise<Typed> {
    for (let heap: Heap | null = this; heap !== null; heap = heap.parent) {
      const entry = heap.#declared.entries.get(name)
      if (heap.#declared.unusable.has(name)) throw new ConfigError([])
      if (entry === undefined) continue
      const waiting = heap === this ? chain : this.#outer
      const cycle = waiting.indexOf(entry)
      if (cycle !== -1) {
        const path = [...waiting.slice(cycle), entry].map(({ declaration }) => declaration.name).join(' -> ')
        throw new ConfigError([{ pointer, message: `these objects need each other, so none can be built: ${path}` }])
      }
      return heap.#build(entry, waiting)
    }
    const wanted = kinds.map((kind) => kind.name).join(' or ')
    const suggestion = didYouMean(name, [...words, ...this.#names()])
    const message = missing?.get(name) ?? `no ${wanted} named "${name}" in this heap or its parents${suggestion}`
    throw new ConfigError([{ pointer, message }])
  }

  *#names(): Generator<string> {
    yield* this.#declared.entries.keys()
    if (this.parent !== null) yield* this.parent.#names()
  }

  #build(entry: Entry, chain: BuildPath): Promise<Typed> {
    entry.building ??= this.#create(entry, [...chain, entry])
    return entry.building
  }

  async #create(entry: Entry, chain: BuildPath): Promise<Typed> {
    const { definition, config, pointer, name, decorations } = entry.declaration
    if (config === null) throw new ConfigError(await this.#problemsBelow(entry.declaration, chain))
    const settled = await settle(config, this.#settleContext(chain), appendPointer(pointer, 'config'))
    const created = await createdOrWithoutSecrets(this.#input.unitContext, async () => {
      checkSettled(entry.declaration, settled, (warning) => this.#warn(warning))
      await this.#lookUpSecrets(entry.declaration, settled, chain)
      return this.#run(entry.declaration, settled, chain)
    })
    const object = attributed(definition.kind, created, this.#qualified(name))
    if (object.kind === (DecoratorKind as Kind)) return object
    const place = this.#locationOf(name, chain)
    return this.#applyGlobals(await this.#apply(decorations, object, place, 'named'), place)
  }

  /** Problems of the objects that an invalid object references or declares. */
  async #problemsBelow({ definition, json, pointer }: Declaration, chain: BuildPath): Promise<Problem[]> {
    const problems: Problem[] = []
    for (const [reference, at] of readReferences(definition.config, json, appendPointer(pointer, 'config'))) {
      try {
        await this.#resolve(reference, at, chain)
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error
        problems.push(...error.problems)
      }
    }
    return problems
  }

  async #lookUpSecrets(declaration: Declaration, settled: unknown, chain: BuildPath): Promise<void> {
    if (this.#input.unitContext.secretsLookedUp !== true) return
    const found = await lookUpSecrets(
      declaration,
      settled,
      () => this.#inheritedSecrets(chain),
      this.#input.unitContext.directories.secrets,
    )
    this.findings.push(...found.problems)
    this.warnings.push(...found.warnings)
  }

  #qualified(name: string): string {
    return [...this.#input.segments, name].join('+')
  }

  async #run(declaration: Declaration, settled: unknown, chain: BuildPath): Promise<unknown> {
    const { definition, pointer } = declaration
    try {
      return await definition.create(settled as never, this.#environment(declaration, chain))
    } catch (error) {
      throw toConfigError(error, pointer, inConfig(declaration), `${definition.name} can not be built`)
    }
  }

  #environment(declaration: Pick<Declaration, 'name' | 'pointer'> & Partial<Declaration>, chain: BuildPath) {
    const { name, pointer } = declaration
    const { unitContext, segments, revision } = this.#input
    return objectEnvironment(unitContext, {
      name,
      qualified: this.#qualified(name),
      segments,
      revision,
      scope: this.properties.scope,
      sharedKey: `${segments.join('+')}@${revision}#${pointer || name}`,
      releases: this.#releases,
      router: unitContext.router(this, [...this.#outer, ...chain]),
      warn: (message, field) =>
        this.#warn({ pointer: field === undefined ? pointer : inConfig(declaration)(field), message }),
    })
  }

  /** Problems of global decorators are reported once. */
  #warn(warning: Problem): void {
    if (!this.warnings.some((known) => isSameProblem(known, warning))) this.warnings.push(warning)
  }

  /** Location of a decorated object. Wrappers of a parent's decorators belong to the object's own heap. */
  #locationOf(name: string, chain: BuildPath): HeapPlace {
    const qualified = this.#qualified(name)
    return { name, qualified, chain, environment: (pointer) => this.#environment({ name, pointer }, chain) }
  }

  async #applyGlobals(object: Typed, place: HeapPlace): Promise<Typed> {
    const outer = { ...place, chain: this.#outer }
    const inherited = this.parent === null ? object : await this.parent.#applyGlobals(object, outer)
    return this.#apply(this.#declared.globals, inherited, place, 'global')
  }

  #apply(
    decorations: readonly Decoration[],
    object: Typed,
    place: HeapPlace,
    origin: DecorationOrigin,
  ): Promise<Typed> {
    const { chain } = place
    return decorated(object, decorations, place, {
      origin,
      decorator: async (name, pointer) => {
        const named = await this.#named(new Reference([DecoratorKind], name), name, pointer, chain)
        return asKind(named, [DecoratorKind], pointer) as Decorator
      },
      settled: (settings, pointer) => settle(settings, this.#settleContext(chain), pointer),
    })
  }
}

/** The place of a decorated object, and the objects that wait for it. */
interface HeapPlace extends DecoratedPlace {
  readonly chain: BuildPath
}
