import type { Filter } from '#http'
import { kind } from '#schema'

/** Objects that stand between a request and its handler. */
export const FilterKind = kind<Filter>('Filter')
