import type { Scope } from '#expression'
import type { Field } from './field.ts'
import type { SecretsProvider } from './secret-lookup.ts'

/** Input of settling. */
export interface SettleContext {
  /** Variables of expressions other than the request: properties, environment and so on. */
  readonly scope: Scope
  /** Resolves a reference to its object. */
  resolve(reference: unknown, pointer: string): Promise<unknown>
  /** The stores of `secrets` in the document and its parents: queried after the `secretsProvider` of an object. */
  inheritedSecrets(): SecretsProvider
  report(pointer: string, message: string): void
  warn(pointer: string, message: string): void
  /** Notes the contexts that an expression reads. */
  reads?(pointer: string, contexts: readonly string[]): void
  /** Whether unknown names are warnings (`unknownFields` of admin.json). */
  readonly isLenient?: boolean
}

/** A decoded value that depends on the environment: a configuration expression, a reference, an expression to bind. */
export abstract class Deferred<T> {
  /** Type of the settled value; never set. */
  declare readonly settled: T
  /** The member that has this value, so that null can select the member's default. */
  owner: Field | null = null

  /** The decoded content, so that its references are found before settling. */
  get content(): unknown {
    return undefined
  }

  /** Whether the value may turn out to be null, as if it were not given. */
  get mayBeNull(): boolean {
    return false
  }

  isNull(_scope: Scope): boolean {
    return false
  }

  abstract settle(context: SettleContext, pointer: string): unknown
}

type Leaf = string | number | boolean | null | undefined | bigint | symbol | RegExp | ((...args: never[]) => unknown)

/** A decoded configuration with deferred values replaced by settled ones. */
export type Settled<C> =
  C extends Deferred<infer T>
    ? T
    : C extends Leaf
      ? C
      : C extends readonly (infer U)[]
        ? Settled<U>[]
        : { readonly [K in keyof C]: Settled<C[K]> }
