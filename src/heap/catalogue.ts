import { didYouMean, type TypeDefinition } from '#schema'
import { RETIRED_TYPES } from './retired-types.ts'

/** The object types that a heap can build, by name and alias. */
export class Catalogue {
  readonly definitions: readonly TypeDefinition[]
  readonly #byName = new Map<string, TypeDefinition>()

  constructor(definitions: readonly TypeDefinition[]) {
    this.definitions = definitions
    for (const definition of definitions) {
      for (const name of [definition.name, ...definition.aliases]) {
        if (this.#byName.has(name)) throw new TypeError(`two object types have the name ${name}`)
        this.#byName.set(name, definition)
      }
    }
  }

  /** The type of a name or alias. Of a class name with a package only the last part is used. */
  find(type: string): TypeDefinition | null {
    return this.#byName.get(type) ?? this.#byName.get(type.slice(type.lastIndexOf('.') + 1)) ?? null
  }

  /** Why objects of a type of older gateways have no effect; null for any other type. */
  retirement(type: string): string | null {
    if (this.find(type) !== null) return null
    return RETIRED_TYPES.get(type.slice(type.lastIndexOf('.') + 1)) ?? null
  }

  /** Error text for an unknown type, with a suggestion. */
  unknown(type: string): string {
    return `unknown type "${type}"${didYouMean(type, this.#byName.keys())}`
  }
}
