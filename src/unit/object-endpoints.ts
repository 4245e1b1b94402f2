import type { ObjectEndpoint, ObjectOperation, ObjectResult } from '#schema'

/** The collections that objects of this unit serve in the management API. */
export class ObjectEndpoints {
  /** By object and endpoint; several while versions of a route overlap, the newest last. */
  readonly #served = new Map<string, ObjectEndpoint[]>()

  /** Returns the function that ends it. */
  add(object: string, endpoint: string, collection: ObjectEndpoint): () => void {
    const key = keyOf(object, endpoint)
    const versions = this.#served.get(key) ?? []
    versions.push(collection)
    this.#served.set(key, versions)
    return () => {
      versions.splice(versions.indexOf(collection), 1)
      if (versions.length === 0 && this.#served.get(key) === versions) this.#served.delete(key)
    }
  }

  /** Null where no object serves the endpoint. */
  async call(object: string, endpoint: string, operation: ObjectOperation): Promise<ObjectResult | null> {
    const collection = this.#served.get(keyOf(object, endpoint))?.at(-1)
    return collection === undefined ? null : collection(operation)
  }
}

/** Names in paths of the management API are those of OpenIG, which are in lower case. */
function keyOf(object: string, endpoint: string): string {
  return `${object.toLowerCase()}\0${endpoint}`
}
