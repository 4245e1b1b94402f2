import { type CatalogueType, didYouMean, LazyType, type TypeDefinition } from '#schema'
import { RETIRED_TYPES } from './retired-types.ts'
import { UNSUPPORTED_TYPES } from './unsupported-types.ts'

/** The object types that a heap can build, by name and alias. */
export class Catalogue {
  readonly #byName = new Map<string, CatalogueType>()
  /** Types that the function inside of `withTypes` looked up before they were loaded. */
  #missing: Set<LazyType> | null = null

  constructor(types: readonly CatalogueType[]) {
    for (const type of types) {
      for (const name of [type.name, ...type.aliases]) {
        if (this.#byName.has(name)) throw new TypeError(`two object types have the name ${name}`)
        this.#byName.set(name, type)
      }
    }
  }

  /**
   * Runs a synchronous function that looks up types, such as the decoding of a document. If some were not loaded, it loads them and
   * runs the function again, whose result without them is discarded.
   */
  async withTypes<T>(run: () => T): Promise<T> {
    for (;;) {
      const missing = new Set<LazyType>()
      this.#missing = missing
      try {
        const result = run()
        if (missing.size === 0) return result
      } catch (error) {
        if (missing.size === 0) throw error
      } finally {
        this.#missing = null
      }
      await Promise.all([...missing].map((type) => type.load()))
    }
  }

  /**
   * The type of a name or alias. Of a class name with a package only the last part is used. Inside of `withTypes`, null for a type
   * that is not loaded.
   */
  find(type: string): TypeDefinition | null {
    const found = this.#named(type)
    if (!(found instanceof LazyType)) return found
    if (found.definition !== null) return found.definition
    if (this.#missing === null) throw new Error(`the type ${found.name} is not loaded`)
    this.#missing.add(found)
    return null
  }

  /** Why objects of a type of older gateways have no effect; null for any other type. */
  retirement(type: string): string | null {
    if (this.#named(type) !== null) return null
    return RETIRED_TYPES.get(type.slice(type.lastIndexOf('.') + 1)) ?? null
  }

  /** Error text for an unknown type, with a suggestion; for one of another gateway, with its replacement. */
  unknown(type: string): string {
    const replacement = UNSUPPORTED_TYPES.get(type.slice(type.lastIndexOf('.') + 1))
    if (replacement !== undefined) return `unsupported type "${type}": ${replacement}`
    return `unknown type "${type}"${didYouMean(type, this.#byName.keys())}`
  }

  #named(type: string): CatalogueType | null {
    return this.#byName.get(type) ?? this.#byName.get(type.slice(type.lastIndexOf('.') + 1)) ?? null
  }
}
