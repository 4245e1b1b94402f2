import type { JsonObject } from '#json'

/** A resource of an object, in the management API. */
export interface ObjectResource {
  readonly id: string
  readonly content: JsonObject
}

/** Why an operation of an object endpoint was refused: a status of the management API, and the reason. */
export interface ObjectRefusal {
  readonly refused: { readonly status: number; readonly message: string }
}

/** A request for an object endpoint. */
export type ObjectOperation =
  | { readonly verb: 'create'; readonly content: JsonObject }
  | { readonly verb: 'read' | 'delete'; readonly id: string }
  | { readonly verb: 'list' }

/** The resources of an operation: one, or those of a list. */
export type ObjectResult = { readonly resources: readonly ObjectResource[] } | ObjectRefusal

/**
 * A collection of resources that an object of a unit serves in the management API. All units have the same object: its state
 * is in a shared store, and any unit responds.
 */
export type ObjectEndpoint = (operation: ObjectOperation) => Promise<ObjectResult>
