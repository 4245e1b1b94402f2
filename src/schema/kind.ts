/**
 * What an object can stand for: `Handler`, `Filter`, `SecretStore`. A typed token beside the interface it names;
 * references ask for a kind, types are of a kind.
 */
export interface Kind<T = unknown> {
  readonly name: string
  /** Objects of these other kinds may stand in, once adapted. */
  readonly adapters: readonly Adapter<T>[]
  /** Makes the faults of an object known under its qualified name, where the kind has a way to do so. */
  attribute?(value: T, name: string): T
  /** Carries the type of its objects; no value. */
  readonly value?: T
}

/** How an object of one kind is made to serve as another. */
interface Adapter<T> {
  readonly from: Kind
  adapt(value: never): T
}

/** Names a kind. */
export function kind<T>(
  name: string,
  adapters: readonly Adapter<T>[] = [],
  attribute?: (value: T, name: string) => T,
): Kind<T> {
  return attribute === undefined ? { name, adapters } : { name, adapters, attribute }
}

/** An adapter for `kind`, typed at both ends. */
export function adapter<F, T>(from: Kind<F>, adapt: (value: F) => T): Adapter<T> {
  return { from, adapt: adapt as (value: never) => T }
}
