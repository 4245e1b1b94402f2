/**
 * The contract of an object: `Handler`, `Filter`, `SecretStore`. A typed token for an interface: references accept a kind,
 * types have a kind.
 */
export interface Kind<T = unknown> {
  readonly name: string
  /** Objects of other kinds that are accepted after conversion. */
  readonly adapters: readonly Adapter<T>[]
  /** Wraps an object so that its faults are attributed to its qualified name. */
  attribute?(value: T, name: string): T
  /** Type of its objects; never set. */
  readonly value?: T
}

/** Converts an object of one kind to another. */
interface Adapter<T> {
  readonly from: Kind
  adapt(value: never): T
}

export function kind<T>(
  name: string,
  adapters: readonly Adapter<T>[] = [],
  attribute?: (value: T, name: string) => T,
): Kind<T> {
  return attribute === undefined ? { name, adapters } : { name, adapters, attribute }
}

/** An adapter for `kind` with checked types. */
export function adapter<F, T>(from: Kind<F>, adapt: (value: F) => T): Adapter<T> {
  return { from, adapt: adapt as (value: never) => T }
}
