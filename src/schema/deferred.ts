import type { Scope } from '#expression'
import type { Field } from './field.ts'

/** Input of settling. */
export interface SettleContext {
  /** Properties, environment and so on: what configuration expressions see, and runtime expressions beyond the request. */
  readonly scope: Scope
  /** The object a reference stands for. */
  resolve(reference: unknown, pointer: string): Promise<unknown>
  report(pointer: string, message: string): void
  warn(pointer: string, message: string): void
}

/** A decoded value that is known only once the environment is: a configuration expression, a reference, an expression to bind. */
export abstract class Deferred<T> {
  /** Carries the settled type; no value. */
  declare readonly settled: T
  /** The member this stands in, so that a null can fall back to the member's default. */
  owner: { readonly field: Field; readonly key: string } | null = null

  /** The decoded content, so that references in it are found before anything is settled. */
  get content(): unknown {
    return undefined
  }

  abstract settle(context: SettleContext, pointer: string): unknown
}

type Leaf = string | number | boolean | null | undefined | bigint | symbol | RegExp | ((...args: never[]) => unknown)

/** A decoded configuration with everything deferred replaced by its value. */
export type Settled<C> =
  C extends Deferred<infer T>
    ? T
    : C extends Leaf
      ? C
      : C extends readonly (infer U)[]
        ? Settled<U>[]
        : { readonly [K in keyof C]: Settled<C[K]> }
