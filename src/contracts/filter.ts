import type { Filter } from '#http'
import { kind } from '#schema'
import { attributedFilter } from './fault-origin.ts'

/** Objects that stand between a request and its handler. */
export const FilterKind = kind<Filter>('Filter', [], attributedFilter)
