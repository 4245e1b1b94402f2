import type { TypeDefinition } from './define-type.ts'

/** An object type whose module is loaded with the first document that uses it. */
export class LazyType {
  readonly name: string
  readonly aliases: readonly string[]
  readonly #import: () => Promise<TypeDefinition>
  #loading: Promise<TypeDefinition> | null = null
  #definition: TypeDefinition | null = null

  constructor(name: string, aliases: readonly string[], load: () => Promise<TypeDefinition>) {
    this.name = name
    this.aliases = aliases
    this.#import = load
  }

  /** Null until it is loaded. */
  get definition(): TypeDefinition | null {
    return this.#definition
  }

  /** Loads the definition once; a failed attempt is repeated by the next call. */
  load(): Promise<TypeDefinition> {
    this.#loading ??= this.#load()
    return this.#loading
  }

  async #load(): Promise<TypeDefinition> {
    try {
      this.#definition = await this.#import()
      return this.#definition
    } catch (error) {
      this.#loading = null
      const advice = 'where the files of the gateway were replaced while it ran, restart it'
      throw new Error(`the type ${this.name} can not be loaded: ${(error as Error).message}; ${advice}`, {
        cause: error,
      })
    }
  }
}

/** A type of a catalogue, loaded or not. */
export type CatalogueType = TypeDefinition | LazyType

/** The definitions of types, in the same order. */
export function loadTypes(types: readonly CatalogueType[]): Promise<TypeDefinition[]> {
  return Promise.all(types.map((type) => (type instanceof LazyType ? type.load() : type)))
}
