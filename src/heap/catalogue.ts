import { didYouMean, type TypeDefinition } from '#schema'

/** The object types a heap can build, found by name or alias. */
export class Catalogue {
  readonly definitions: readonly TypeDefinition[]
  readonly #byName = new Map<string, TypeDefinition>()

  constructor(definitions: readonly TypeDefinition[]) {
    this.definitions = definitions
    for (const definition of definitions) {
      for (const name of [definition.name, ...definition.aliases]) {
        if (this.#byName.has(name)) throw new TypeError(`two object types are called ${name}`)
        this.#byName.set(name, definition)
      }
    }
  }

  /** The type users call by this name. Of a class name with a package only the last part counts. */
  find(type: string): TypeDefinition | null {
    return this.#byName.get(type) ?? this.#byName.get(type.slice(type.lastIndexOf('.') + 1)) ?? null
  }

  /** Why a type can not be found, with a suggestion. */
  unknown(type: string): string {
    return `unknown type "${type}"${didYouMean(type, this.#byName.keys())}`
  }
}
