import type { Numeric } from '#json'
import type { Pointer } from '../pointer.ts'

/** The value of a comparison. */
export type Assertion = string | Numeric | boolean

/** A parsed query filter (spec: "Query filter grammar"). */
export type QueryFilter =
  | { readonly kind: 'and'; readonly filters: readonly QueryFilter[] }
  | { readonly kind: 'or'; readonly filters: readonly QueryFilter[] }
  | { readonly kind: 'not'; readonly filter: QueryFilter }
  | { readonly kind: 'literal'; readonly value: boolean }
  | { readonly kind: 'present'; readonly pointer: Pointer }
  | { readonly kind: 'comparison'; readonly pointer: Pointer; readonly operator: string; readonly value: Assertion }

/** The standard operators; others are extended ones. */
export const OPERATORS = ['eq', 'co', 'sw', 'lt', 'le', 'gt', 'ge'] as const

/** Longer filters are rejected before they are parsed. */
export const MAX_FILTER_LENGTH = 16_384

/** Deeper nesting is rejected: parser and evaluation recurse. */
export const MAX_FILTER_DEPTH = 256

/** An invalid query filter, with the position of the error. */
export class QueryFilterError extends Error {
  override readonly name = 'QueryFilterError'
  readonly offset: number

  constructor(reason: string, offset: number) {
    super(`_queryFilter, character ${offset + 1}: ${reason}`)
    this.offset = offset
  }
}
