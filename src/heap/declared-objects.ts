import { AuditServiceKind, DecoratorKind } from '#contracts'
import { appendPointer, isPlainObject, type JsonValue } from '#json'
import type { GatewaySettings, Kind, TypeDefinition, Typed } from '#schema'
import type { Catalogue } from './catalogue.ts'
import { addWarnings } from './current-keys.ts'
import {
  type Declaration,
  type DecodeContext,
  type Decoration,
  decodeDeclaration,
  decodeDecorations,
} from './declaration.ts'

/** A declared object, and its build once started. */
export interface Entry {
  readonly declaration: Declaration
  building: Promise<Typed> | null
}

/** Declarations of a document. */
interface DeclarationsInput {
  readonly unitContext: {
    readonly catalogue: Catalogue
    readonly settings: Pick<GatewaySettings, 'unknownFields'>
  }
  readonly declarations: JsonValue
  readonly declarationsAt?: string
  readonly globalDecorators: JsonValue
  readonly defaults?: readonly JsonValue[]
}

/** The objects that one document declares: all decoded before any is built. */
export class DeclaredObjects {
  readonly entries = new Map<string, Entry>()
  /** Names of declared objects that are unusable. */
  readonly unusable = new Set<string>()
  readonly globals: readonly Decoration[]
  readonly decoding: DecodeContext

  constructor(
    { unitContext, declarations, declarationsAt = '/heap', globalDecorators, defaults = [] }: DeclarationsInput,
    parent: DeclaredObjects | null,
  ) {
    const problems: DecodeContext['problems'] = []
    const declared = Array.isArray(declarations) ? declarations : []
    const types = decoratorTypes([...defaults, ...declared], unitContext.catalogue)
    this.decoding = {
      catalogue: unitContext.catalogue,
      problems,
      warnings: [],
      isLenient: unitContext.settings.unknownFields === 'warn',
      maySetTarget: false,
      types: new Set(),
      decoratorType: (name) => types.get(name) ?? parent?.decoding.decoratorType(name) ?? null,
      decoratorNames: () => [...types.keys(), ...(parent?.decoding.decoratorNames() ?? [])],
    }
    if (declarations !== null && !Array.isArray(declarations)) {
      problems.push({ pointer: declarationsAt, message: 'expected an array of objects' })
    }
    for (const [at, json] of declared.entries()) this.#declare(json, appendPointer(declarationsAt, at))
    for (const json of defaults) this.#declareDefault(json)
    this.globals = this.#decodeGlobals(globalDecorators)
  }

  /**
   * The declared objects. Audit services are first, so that a route with the folder of one of them is refused, and not the document
   * around it. Defaults (which have no pointer) are built when they are referenced.
   */
  inBuildOrder(): readonly Entry[] {
    const declared = [...this.entries.values()].filter(({ declaration }) => declaration.pointer !== '')
    return [...declared.filter(isAuditService), ...declared.filter((entry) => !isAuditService(entry))]
  }

  #declare(json: JsonValue, pointer: string): void {
    if (this.#warnsOfRetired(json, pointer)) return
    if (isPlainObject(json) && json['name'] === undefined) {
      this.decoding.problems.push({ pointer, message: 'expected a "name": objects in a heap are referenced by name' })
    }
    const declaration = decodeDeclaration(json, pointer, this.decoding)
    if (declaration === null) {
      if (isPlainObject(json) && typeof json['name'] === 'string') this.unusable.add(json['name'])
      return
    }
    const first = this.entries.get(declaration.name)
    if (first !== undefined) {
      const message = `the name "${declaration.name}" is already taken by ${first.declaration.pointer}`
      this.decoding.problems.push({ pointer: appendPointer(pointer, 'name'), message })
      return
    }
    this.entries.set(declaration.name, { declaration, building: null })
  }

  /** Whether an object has a type without effect; a document gets one warning for each of these types (decisions 9). */
  #warnsOfRetired(json: JsonValue, pointer: string): boolean {
    const type = isPlainObject(json) ? json['type'] : undefined
    const reason = typeof type === 'string' ? this.decoding.catalogue.retirement(type) : null
    if (reason === null) return false
    const message = `objects of type ${type} have no effect: ${reason}`
    addWarnings(this.decoding, [{ pointer: appendPointer(pointer, 'type'), message, isOnce: true }])
    return true
  }

  #declareDefault(json: JsonValue): void {
    const declaration = decodeDeclaration(json, '', this.decoding)
    if (declaration === null || this.entries.has(declaration.name)) return
    this.entries.set(declaration.name, { declaration, building: null })
  }

  #decodeGlobals(json: JsonValue): Decoration[] {
    if (json === null) return []
    if (isPlainObject(json)) return decodeDecorations(json, '/globalDecorators', new Set(), this.decoding)
    this.decoding.problems.push({
      pointer: '/globalDecorators',
      message: 'expected an object: decorator name to its value',
    })
    return []
  }
}

/** Whether an object is an audit service. */
function isAuditService({ declaration }: Entry): boolean {
  return declaration.definition.kind === (AuditServiceKind as Kind)
}

/** Names and types of declared decorators, read before objects are decoded. */
function decoratorTypes(declared: readonly JsonValue[], catalogue: Catalogue): Map<string, TypeDefinition> {
  const types = new Map<string, TypeDefinition>()
  for (const json of declared) {
    if (!isPlainObject(json) || typeof json['type'] !== 'string' || typeof json['name'] !== 'string') continue
    const definition = catalogue.find(json['type'])
    if (definition?.kind === (DecoratorKind as Kind)) types.set(json['name'], definition)
  }
  return types
}
