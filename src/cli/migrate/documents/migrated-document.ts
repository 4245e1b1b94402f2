import { type Catalogue, type DocumentType, LEGACY_KEYS } from '#heap'
import { isPlainObject, type JsonObject, type JsonValue } from '#json'
import { type Field, ignored, type Members, type OlderSpelling, type TypeDefinition } from '#schema'

/** A document that is migrated: its kind, and the types of the objects in it. */
export interface MigratedDocument {
  readonly type: DocumentType<Members>
  /** Whether it is admin.json. */
  readonly isAdmin: boolean
  /** Whether secrets in clear text are moved to files. */
  readonly movesSecrets: boolean
  readonly types: TypesOfDocument
}

/** The types of the objects of a document, and its decorators. */
export class TypesOfDocument {
  readonly #catalogue: Catalogue
  readonly #decorators = new Map<string, TypeDefinition>()
  /** Objects of all heaps. */
  readonly declared: readonly JsonObject[]

  /** `heaps` are those of the document and of the documents around it, and the objects that exist without a declaration. */
  constructor(catalogue: Catalogue, heaps: readonly (JsonValue | undefined)[]) {
    this.#catalogue = catalogue
    this.declared = heaps.flatMap(declarationsIn)
    for (const { name, type } of this.declared) {
      const definition = this.find(type)
      if (typeof name === 'string' && definition !== null && definition.settings !== null) {
        this.#decorators.set(name, definition)
      }
    }
  }

  find(type: JsonValue | undefined): TypeDefinition | null {
    return typeof type === 'string' ? this.#catalogue.find(type) : null
  }

  /** The message for a type that does not exist. */
  unknown(type: string): string {
    return this.#catalogue.unknown(type)
  }

  /** Whether an object has no effect today. */
  isRetired(json: JsonValue): boolean {
    if (!isPlainObject(json) || typeof json['type'] !== 'string') return false
    return this.#catalogue.retirement(json['type']) !== null
  }

  isDecorator(key: string): boolean {
    return this.#decorators.has(key)
  }

  decoratorSettings(key: string): Field | null {
    return this.#decorators.get(key)?.settings ?? null
  }

  /** Keys that are removed: those that no object uses any more, and those of the kind of document. */
  obsoleteKeys(ofDocument: readonly string[]): OlderSpelling[] {
    const ofObjects = LEGACY_KEYS.filter(({ old: [name = ''] }) => !ofDocument.includes(name))
    const all = [...ofDocument.map((key) => ignored(key, 'it is no longer used')), ...ofObjects]
    return all.filter(({ old: [name = ''] }) => !this.isDecorator(name))
  }
}

/** Objects of a heap, also in the form of OpenIG 2. */
function declarationsIn(heap: JsonValue | undefined): JsonObject[] {
  const list = isPlainObject(heap) ? heap['objects'] : heap
  return Array.isArray(list) ? list.filter((each) => isPlainObject(each)) : []
}
